"""Generated texts: pairs that differ in words, order and case, and unusual ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from valor_core.results import ItemRows
from valor_core.results.item_rows import SINGLE
from valor_core.schemas.text import Text, TextBatch

Items = list[tuple[str, list[str]]]
"""Responses and their references."""

ODD = [
    "",
    " ",
    "\n",
    "a",
    "A",
    ".",
    "...",
    "-",
    "$5.00",
    "1,000.5",
    "don't",
    "don\u2019t",
    "The the THE",
    "a b c d e f g h i j",
    "a\nb\n\nc",
    "x" * 200,
    "ab " * 90,
    "naïve café",
    "ÉCOLE İstanbul ß \u017f \u212a \u212b",
    "日本語のテキスト。",
    "我爱北京 天安门!",
    "Ελλάς ΟΔΟΣ",
    "emoji 😀 👩‍👩‍👧 é",
    "tab\tseparated\u00a0words\u2003here",
    "line\r\nbreak\u2028separator",
    "&quot;html&amp;&lt;b&gt;",
    "nul\x00in text",
]
"""Texts on which programs differ."""

_SYLLABLES = ["ka", "lo", "mi", "ne", "ru", "sta", "ter", "vo", "ning", "ed", "ly", "The", "of"]


def word(source: random.Random) -> str:
    """Generate a word of one to three syllables, or a number."""
    if source.random() < 0.05:
        return str(source.randrange(3000))
    return "".join(source.choices(_SYLLABLES, k=source.randint(1, 3)))


def text(source: random.Random, words: int) -> str:
    """Join words with punctuation and line breaks."""
    marks = [" "] * 12 + [", ", ". ", "\n", " - ", "! ", "  "]
    return "".join(word(source) + source.choice(marks) for _ in range(words))


def changed(source: random.Random, original: str) -> str:
    """Delete, insert, replace and move words of a text."""
    words = original.split(" ")
    for _ in range(source.randint(0, max(1, len(words) // 3))):
        at = source.randrange(len(words) + 1)
        kind = source.randrange(4)
        if kind == 0 and words:
            words.pop(at % len(words))
        elif kind == 1:
            words.insert(at, word(source))
        elif kind == 2 and words:
            words[at % len(words)] = word(source)
        elif words:
            words.insert(at, words.pop(source.randrange(len(words))))
    return " ".join(words)


def pairs(count: int, seed: int = 0, longest: int = 25) -> list[tuple[str, str]]:
    """Return generated pairs of response and reference, then all pairs of unusual texts."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        reference = text(source, source.randint(0, longest))
        made.append((changed(source, reference), reference))
    odd = [(one, other) for one in ODD for other in ODD]
    return made + source.sample(odd, min(len(odd), count))


def several(count: int, seed: int = 0) -> Items:
    """Return the responses of `pairs`, with one to three of their references."""
    made = pairs(count, seed)
    return [
        (response, [made[(i + k * k) % len(made)][1] for k in range(i % 3 + 1)])
        for i, (response, _) in enumerate(made)
    ]


def batch_of(items: Items) -> TextBatch:
    """Make a batch of items."""
    return TextBatch.of(
        Text(f"q{i}", response=response, references=references)
        for i, (response, references) in enumerate(items)
    )


def numbers_only(score: Callable[..., Any]) -> Callable[..., Any]:
    """Return a metric's function that returns its numbers without details of rows."""

    def scored(*arguments: Any) -> Any:
        found = score(*arguments)
        if not isinstance(found, ItemRows):
            return found
        return found.numbers[SINGLE] if SINGLE in found.numbers else dict(found.numbers)

    return scored


def arrays_only(score: Callable[..., Any]) -> Callable[..., Any]:
    """Like `numbers_only`, but with arrays, for a metric that scores every item."""

    def scored(*arguments: Any) -> Any:
        found = score(*arguments)
        if not isinstance(found, ItemRows):
            return found
        arrays = {name: column.values for name, column in found.numbers.items()}
        return arrays.get(SINGLE, arrays)

    return scored
