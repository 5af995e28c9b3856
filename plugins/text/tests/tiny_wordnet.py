"""WordNet of a few words, in the file format of nltk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

NOUNS = (("car", "auto", "automobile", "motor_car"), ("cat", "feline"), ("auto", "selfi"))
ADJECTIVES = (("big", "larg"), ("quick", "fast", "speedi"))


def write(folder: Path) -> Path:
    """Write the data to a folder of nltk, and return the folder."""
    root = folder / "corpora" / "wordnet"
    root.mkdir(parents=True)
    sets: Mapping[str, Sequence[Sequence[str]]] = {"noun": NOUNS, "adj": ADJECTIVES}
    for name, mark in (("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r")):
        offsets, data = defaultdict(list), ""
        for words in sets.get(name, ()):
            for word in words:
                offsets[word].append(len(data))
            listed = " ".join(f"{word} 0" for word in words)
            data += f"{len(data):08d} 00 {mark} {len(words):02x} {listed} 000 | a set  \n"
        index = "".join(
            f"{word} {mark} {len(word_offsets)} 0 {len(word_offsets)} 0 "
            + " ".join(f"{offset:08d}" for offset in word_offsets)
            + "  \n"
            for word, word_offsets in sorted(offsets.items())
        )
        (root / f"data.{name}").write_text(data)
        (root / f"index.{name}").write_text(index)
        (root / f"{name}.exc").write_text("")
    (root / "lexnames").write_text("00\tall\t3\n")
    for name in ("cntlist.rev", "index.sense"):
        (root / name).write_text("")
    return folder
