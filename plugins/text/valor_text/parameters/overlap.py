"""Parameters of metrics of n-grams and words in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import fsum
from pathlib import Path
from typing import Literal

from attrs import frozen

from valor_core.errors import ParameterError, did_you_mean, short_repr
from valor_core.parameters import Within, parameter, parameters
from valor_text.parameters.fields import TOKENISERS, Prepared, normaliser, tokeniser

ROUGE_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")

_ROUGE_TYPE = re.compile("rouge([1-9]|L|Lsum)")


@parameters
class ROUGEParameters(Prepared):
    """Parameters of ROUGE."""

    rouge_types: tuple[str, ...] = parameter(
        default=ROUGE_TYPES,
        help="Numbers of every item: rouge1 to rouge9 count n-grams, rougeL is the longest common "
        "subsequence of whole texts, rougeLsum that of their lines.",
        non_empty=True,
        distinct=True,
    )
    use_stemmer: bool = parameter(
        default=False,
        help="Whether English words are compared by stem (Porter's stemmer, as in nltk).",
        aliases=("rouge_use_stemmer",),
    )
    measures: tuple[Literal["fmeasure", "precision", "recall"], ...] = parameter(
        default=("fmeasure",),
        help="fmeasure has the name of the type, rouge1. precision and recall, of the reference "
        "with the best F-measure, are named rouge1_precision and rouge1_recall.",
        non_empty=True,
        distinct=True,
    )
    normaliser: str = normaliser("none")
    tokeniser: str = tokeniser("rouge")

    def __attrs_post_init__(self) -> None:
        Prepared.__attrs_post_init__(self)
        for name in self.rouge_types:
            if not _ROUGE_TYPE.fullmatch(name):
                raise ParameterError(
                    "rouge_types must be rouge1 to rouge9, rougeL or rougeLsum, "
                    f"got {short_repr(name)}",
                    f"The usual ones: rouge_types: [{', '.join(ROUGE_TYPES)}]",
                )


NLTK_SMOOTHINGS = ("none", *(f"method{number}" for number in range(1, 8)))
SACREBLEU_SMOOTHINGS = ("none", "exp", "floor", "add-k")

SMOOTHING_VALUES: Mapping[str, float] = {
    "method1": 0.1,
    "method4": 5,
    "method6": 5,
    "method7": 5,
    "floor": 0.1,
    "add-k": 1,
}
"""Default parameters of smoothings that have one."""

_SMALL, _LARGE = Within(0, 1, open_low=True), Within(1, 1000)
_SMOOTHING_RANGES: Mapping[str, Within] = {
    "method1": _SMALL,
    "method4": _LARGE,
    "method7": _LARGE,
    "floor": _SMALL,
}
"""Ranges in which no match counts less than one match."""

_SUM_OF_WEIGHTS = 1e-9
_MOST = 100  # largest length of n-grams, so that a typing error does not exhaust the memory
_LEAST_OF_METHOD6 = 3


@frozen(repr=False)
class _Definition:
    """Definition of BLEU by a program: its tokeniser, and its smoothings with the default first."""

    tokeniser: str
    smoothing: str
    smoothings: tuple[str, ...]


_DEFINITIONS = {
    "nltk": _Definition("valor", "none", NLTK_SMOOTHINGS),
    "sacrebleu": _Definition("13a", "exp", SACREBLEU_SMOOTHINGS),
}


@parameters
class BLEUParameters(Prepared):
    """Parameters of BLEU and CorpusBLEU."""

    definition: Literal["nltk", "sacrebleu"] = parameter(
        default="nltk",
        help="Program that defines the result. They differ in smoothing, in texts shorter than "
        "the longest n-gram, and in tokens. sacrebleu's 0 to 100 is 0 to 1 here.",
    )
    weights: tuple[float, ...] = parameter(
        default=(0.25, 0.25, 0.25, 0.25),
        help="Weights of n-grams by length, starting at 1; they sum to 1. Must be equal for "
        "sacrebleu.",
        check=Within(0),
        non_empty=True,
        aliases=("bleu_weights",),
    )
    smoothing: str | None = parameter(
        default=None,
        help="Replacement for n-gram lengths without a match. nltk: none (default) or method1 to "
        "method7 of Chen and Cherry; sacrebleu: exp (default), floor, add-k or none.",
    )
    smoothing_value: float | None = parameter(
        default=None,
        help="Parameter of the smoothing: the added value for method1 (0.1) and floor (0.1), both "
        "at most 1, and add-k (1); k of method4 and method7 (5), at least 1; alpha of method6 "
        "(5).",
        check=Within(0, 1000, open_low=True),
    )
    effective_order: bool | None = parameter(
        default=None,
        help="Only for sacrebleu: whether lengths that exceed the response are excluded. By "
        "default true in BLEU and false in CorpusBLEU.",
    )
    normaliser: str = normaliser("none")
    tokeniser: str | None = parameter(
        default=None,
        help="Splitting of texts into tokens, with or without a version. Default: valor for nltk, "
        f"13a for sacrebleu. Tokenisers: {', '.join(TOKENISERS)}.",
    )

    def __attrs_post_init__(self) -> None:
        defined = _DEFINITIONS[self.definition]
        # Set in the constructor of a frozen class, so that reports contain the defaults.
        if self.tokeniser is None:
            object.__setattr__(self, "tokeniser", defined.tokeniser)
        if self.smoothing is None:
            object.__setattr__(self, "smoothing", defined.smoothing)
        super().__attrs_post_init__()
        self._check_weights()
        self._check_smoothing(defined.smoothings)
        if self.definition == "nltk" and self.effective_order is not None:
            raise ParameterError(
                "effective_order is only for the definition sacrebleu, got nltk",
                "Write definition: sacrebleu, or omit effective_order.",
            )

    @property
    def longest(self) -> int:
        """Largest length of n-grams with a weight."""
        return len(self.weights)

    def _check_weights(self) -> None:
        if self.longest > _MOST:
            raise ParameterError(
                f"weights must be {_MOST} at the most, got {self.longest:,}",
                "The usual ones: weights: [0.25, 0.25, 0.25, 0.25]",
            )
        total = fsum(self.weights)
        if abs(total - 1) > _SUM_OF_WEIGHTS:
            raise ParameterError(
                "weights must add up to 1, "
                f"got {short_repr(list(self.weights))} with sum {total:g}",
                "The usual ones: weights: [0.25, 0.25, 0.25, 0.25]",
            )
        if self.definition == "sacrebleu" and len(set(self.weights)) > 1:
            raise ParameterError(
                "weights must be the same for all lengths where the definition is sacrebleu, got "
                f"{short_repr(list(self.weights))}",
                "Write definition: nltk, or omit weights.",
            )

    def _check_smoothing(self, smoothings: tuple[str, ...]) -> None:
        if self.smoothing not in smoothings:
            raise ParameterError(
                f"smoothing must be one of {', '.join(smoothings)} where the definition is "
                f"{self.definition}, got {short_repr(self.smoothing)}",
                did_you_mean(str(self.smoothing), smoothings),
            )
        if self.smoothing_value is not None and self.smoothing not in SMOOTHING_VALUES:
            raise ParameterError(
                f"smoothing_value is for the smoothings {', '.join(SMOOTHING_VALUES)}, got "
                f"{short_repr(self.smoothing)}",
                "Omit smoothing_value, or set one of these smoothings.",
            )
        if self.smoothing_value is not None and self.smoothing in _SMOOTHING_RANGES:
            check = _SMOOTHING_RANGES[self.smoothing]
            if not check(self.smoothing_value):
                raise ParameterError(
                    f"smoothing_value must {check.expectation} for {self.smoothing}, got "
                    f"{short_repr(self.smoothing_value)}",
                    f"The default is smoothing_value: {SMOOTHING_VALUES[self.smoothing]}",
                )
        if self.smoothing == "method6" and self.longest < _LEAST_OF_METHOD6:
            raise ParameterError(
                f"smoothing method6 needs at least {_LEAST_OF_METHOD6} weights, got "
                f"{short_repr(list(self.weights))}",
                "Give more weights, or choose another smoothing.",
            )


@parameters
class GLEUParameters(Prepared):
    """Parameters of GLEU and CorpusGLEU."""

    shortest: int = parameter(
        default=1,
        help="Smallest length of n-grams.",
        check=Within(1, _MOST),
        aliases=("min_len",),
    )
    longest: int = parameter(
        default=4,
        help="Largest length of n-grams.",
        check=Within(1, _MOST),
        aliases=("max_len",),
    )
    normaliser: str = normaliser("none")
    tokeniser: str = tokeniser("13a")

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.shortest > self.longest:
            raise ParameterError(
                f"shortest must be at most longest, {self.longest}, got {self.shortest}",
                "The default is {shortest: 1, longest: 4}",
            )


@parameters
class ChrFParameters(Prepared):
    """Parameters of ChrF and CorpusChrF."""

    char_order: int = parameter(
        default=6, help="Largest length of n-grams of characters.", check=Within(1, _MOST)
    )
    word_order: int = parameter(
        default=0,
        help="Largest length of n-grams of words: 0 for chrF, 1 for chrF+, 2 for chrF++.",
        check=Within(0, _MOST),
    )
    beta: float = parameter(
        default=2.0,
        help="Weight of recall relative to precision.",
        check=Within(0, 1000),
    )
    whitespace: bool = parameter(
        default=False, help="Whether white space counts among the characters."
    )
    eps_smoothing: bool = parameter(
        default=False,
        help="Whether F-scores of the lengths are averaged, with almost 0 for lengths that exceed "
        "a text, as in chrF++.py, nltk and Moses. Otherwise precision and recall are averaged "
        "over the lengths of both texts.",
    )
    normaliser: str = normaliser("none")


@parameters
class METEORParameters(Prepared):
    """Parameters of METEOR."""

    alpha: float = parameter(
        default=0.9,
        help="Weight of precision in the denominator of the mean; a larger one makes recall "
        "matter more.",
        check=Within(0, 1),
    )
    beta: float = parameter(
        default=3.0, help="Exponent of the share of chunks in the penalty.", check=Within(0)
    )
    gamma: float = parameter(
        default=0.5,
        help="Largest penalty, if all words are separate chunks.",
        check=Within(0, 1),
    )
    synonyms: Literal["wordnet", "none"] = parameter(
        default="wordnet",
        help="Synonyms to align: those of WordNet, in English, or none. none needs neither nltk "
        "nor its data, and aligns words by form and stem.",
    )
    normaliser: str = normaliser("none")
    tokeniser: str = tokeniser("13a")

    @property
    def asked_resources(self) -> tuple[str, ...]:
        """Resources that the values require."""
        return ("wordnet",) if self.synonyms == "wordnet" else ()


@parameters
class WordNetParameters:
    """Parameters of the resource wordnet."""

    folder: Path | None = parameter(
        default=None,
        help="Folder of nltk's data that contains corpora/wordnet; by default the search path of "
        "nltk.",
    )
