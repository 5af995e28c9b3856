"""Parameters of metrics of edit operations."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters
from valor_text.parameters.fields import Prepared, normaliser, tokeniser, tokeniser_named


@parameters
class WordRateParameters(Prepared):
    """Parameters of WER, MER, WIL and their means."""

    normaliser: str = normaliser("none")
    tokeniser: str = tokeniser("words")

    @property
    def unit(self) -> str:
        """Name of the units that are counted."""
        return "words"

    @property
    def unit_tokeniser(self) -> str:
        """Tokeniser of these units."""
        return self.tokeniser


@parameters
class CharacterRateParameters(Prepared):
    """Parameters of CER and its mean."""

    normaliser: str = normaliser("strip")
    whitespace: bool = parameter(
        default=True,
        help="Whether white space counts among the characters; false for languages without blanks "
        "between words, such as Chinese.",
    )

    @property
    def unit(self) -> str:
        """Name of the units that are counted."""
        return "characters"

    @property
    def unit_tokeniser(self) -> str:
        """Tokeniser of these units."""
        return tokeniser_named("characters" if self.whitespace else "char")


@parameters
class WordErrorsParameters(WordRateParameters):
    """Parameters of WordErrors."""

    worst: int = parameter(
        default=5,
        help="Number of items with aligned words: those with the most errors per word of their "
        "reference.",
        check=Within(0),
    )


@parameters
class EditDistanceParameters(Prepared):
    """Parameters of EditDistance."""

    normaliser: str = normaliser("none")
    tokeniser: str = tokeniser("characters")
    relative: bool = parameter(
        default=False,
        help="Whether the distance is divided by the length of the longer text, so that it is at "
        "most 1.",
    )


@parameters
class TERParameters:
    """Parameters of TER and CorpusTER, named as in sacrebleu."""

    normalized: bool = parameter(
        default=False,
        help="Whether punctuation, possessives and symbols are separate words.",
    )
    no_punct: bool = parameter(default=False, help="Whether punctuation is removed.")
    asian_support: bool = parameter(
        default=False,
        help="With normalized, whether Chinese characters are separate words; with no_punct, "
        "whether full-width punctuation is also removed.",
    )
    case_sensitive: bool = parameter(default=False, help="Whether case matters.")
