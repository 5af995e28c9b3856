"""Pairs of texts by a fixed seed: references, and responses that differ from them in places."""

from __future__ import annotations

import json
import random
from pathlib import Path

SYLLABLES = [
    "ba",
    "chi",
    "da",
    "fo",
    "gra",
    "hu",
    "ji",
    "kle",
    "lo",
    "mi",
    "nu",
    "pra",
    "re",
    "sto",
    "ti",
    "vu",
    "we",
    "xa",
    "yo",
    "zi",
    "sha",
    "ton",
    "ing",
    "er",
]
WORDS = 20_000

CASES = {"short": (10_000, 60), "long": (1_000, 700), "tiny": (50, 10)}
"""Pairs, and words of a reference on average."""


def vocabulary(source: random.Random) -> tuple[list[str], list[float]]:
    """Words of one to five syllables, and how often each is drawn: a few of them very often."""
    words = {
        "".join(source.choices(SYLLABLES, k=source.randint(1, 5))) + source.choice(["", "", "s"])
        for _ in range(WORDS)
    }
    ranked = sorted(words, key=lambda word: (len(word), word))
    return ranked, [1 / (place + 2) for place in range(len(ranked))]


def written(words: list[str], source: random.Random) -> str:
    """Words as sentences, a line each."""
    lines, start = [], 0
    while start < len(words):
        stop = start + source.randint(8, 25)
        sentence = words[start:stop]
        comma = source.randrange(len(sentence))
        sentence[comma] += ","
        lines.append(" ".join(sentence).capitalize().rstrip(",") + ".")
        start = stop
    return "\n".join(lines)


def changed(words: list[str], ranked: list[str], source: random.Random) -> list[str]:
    """Words of which some are left out, replaced or followed by others."""
    found = []
    for word in words:
        chance = source.random()
        if chance < 0.08:
            continue
        found.append(source.choice(ranked) if chance < 0.18 else word)
        if chance > 0.95:
            found.append(source.choice(ranked))
    if len(found) > 20 and source.random() < 0.3:
        place = source.randrange(len(found) - 10)
        found = found[place:] + found[:place]
    return found or ["nothing"]


def pairs(case: str) -> list[dict[str, str]]:
    """Items of a case, as the lines of a file have them."""
    count, length = CASES[case]
    source = random.Random(case)
    ranked, weights = vocabulary(source)
    items = []
    for number in range(count):
        words = source.choices(ranked, weights, k=source.randint(length // 2, 3 * length // 2))
        items.append(
            {
                "uid": f"item{number:08d}",
                "response": written(changed(words, ranked, source), source),
                "references": written(words, source),
            }
        )
    return items


def file_of(case: str, folder: Path) -> Path:
    """The file of a case in JSON Lines, made if it is not there."""
    path = folder / f"text_{case}.jsonl"
    if not path.exists():
        path.write_text("".join(json.dumps(item) + "\n" for item in pairs(case)), encoding="utf-8")
    return path
