"""Tokenisers, compared with the programs of their names, also on unusual texts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from importlib import import_module

import pytest
from sacrebleu.metrics import CHRF
from valor_text.normalisers import characters, normalise, tokenise

from .generated import ODD, pairs

_MARKS = "ab1-.,'\"&$<>()/_~` \n\t«€½²٣我。\u2019\u2001\x00"


def texts() -> list[str]:
    source = random.Random(5)
    noise = ["".join(source.choices(_MARKS, k=source.randint(0, 12))) for _ in range(4000)]
    chosen = [text for pair in pairs(150, seed=3) for text in pair]
    special = [
        "a<skipped>b",
        "co-\nop",
        "end-\n",
        "&quot;&amp;lt;&lt;",
        ".5",
        "5.",
        ",,",
        "-1",
        "1-2",
    ]
    return [*ODD, *special, *noise, *chosen]


def of_sacrebleu(module: str, name: str) -> Callable[[str], list[str]]:
    tokenizer = getattr(import_module(f"sacrebleu.tokenizers.tokenizer_{module}"), name)()
    # Its metrics strip white space at the end first.
    return lambda text: tokenizer(text.rstrip()).split()


PROGRAMS = {
    "valor": re.compile(r"\w+|\$[\d]+|[^\s\.]+").findall,
    "words": str.split,
    "characters": list,
    "13a": of_sacrebleu("13a", "Tokenizer13a"),
    "intl": of_sacrebleu("intl", "TokenizerV14International"),
    "zh": of_sacrebleu("zh", "TokenizerZh"),
    "chrf": CHRF()._remove_punctuation,
    "char": of_sacrebleu("char", "TokenizerChar"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_to_the_program(name: str) -> None:
    given = texts()
    tokens = tokenise(given, name)

    for i, text in enumerate(given):
        assert tokens.of(i) == PROGRAMS[name](text), text


@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_with_all_separators_are_split_one_by_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = "".join(characters._SEPARATORS)
    given = [marks, f"a,{marks}.b", ".5", "5."]
    tokens = tokenise(given, name)

    assert [tokens.of(i) for i in range(4)] == [PROGRAMS[name](text) for text in given]


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_texts_have_no_tokens(name: str) -> None:
    assert tokenise([], name).starts.tolist() == [0]


def test_lower_case_only() -> None:
    assert normalise([" A\n B", ""], "lowercase") == [" a\n b", ""]
