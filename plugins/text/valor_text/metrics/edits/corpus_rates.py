"""WER, CER, MER and WIL: error rates of all items together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from attrs import frozen

from valor_core.parameters import parameter_values
from valor_core.results import Result, Undefined
from valor_core.states import StateRequest
from valor_text.counting.edits import EditTotals, reference_tokens
from valor_text.kernels.values import Positions
from valor_text.metrics.edits.rates import (
    Rates,
    match_error_rate,
    word_error_rate,
    word_information_lost,
)


@frozen
class _CorpusRate:
    """A rate of the edits of all items.

    Parameters
    ----------
    parameters : object
        How texts are prepared.
    """

    unit: ClassVar[str] = "words"

    parameters: Any

    @property
    def tokeniser(self) -> str:
        """Tokeniser of the units that are counted."""
        tokeniser: str = self.parameters.tokeniser
        return tokeniser

    def rate(self, counts: Positions) -> Rates:
        """The rate that some counts give."""
        return word_error_rate(counts)

    def needs(self) -> tuple[StateRequest, ...]:
        """The edits of all items, which metrics of one preparation share."""
        key = {"normaliser": self.parameters.normaliser, "tokeniser": self.tokeniser}
        return (StateRequest(EditTotals, key, {"worst": ()}),)

    def compute(self, totals: EditTotals) -> Iterator[Result]:
        """The rate."""
        value: float | Undefined = Undefined(f"no reference with {self.unit}")
        if reference_tokens(totals.counts):
            value = float(self.rate(totals.counts))
        yield Result(
            parameters=parameter_values(self.parameters),
            value=value,
            left_out=dict(totals.left_out),
            warnings=totals.warnings_of(f"text.{type(self).__name__}", self.parameters),
        )


class WER(_CorpusRate):
    """Word error rate: substitutions, deletions and insertions for each word of the references.

    Equal to jiwer with the tokeniser of that name; jiwer takes a tab or a line feed between two
    letters for a part of the word. An item whose only reference has no words
    adds its words to the insertions; without any word in the references there is no rate.
    """


class CER(_CorpusRate):
    """Character error rate: the word error rate of characters, with or without white space.

    Equal to jiwer where white space counts.
    """

    unit = "characters"

    @property
    def tokeniser(self) -> str:
        """Tokeniser of the characters that count."""
        tokeniser: str = self.parameters.characters
        return tokeniser


class MER(_CorpusRate):
    """Match error rate: edits among all hits and edits.

    Equal to jiwer as `WER` is: of several shortest ways to edit the reference, the same is taken.
    """

    def rate(self, counts: Positions) -> Rates:
        """The rate that some counts give."""
        return match_error_rate(counts)


class WIL(_CorpusRate):
    """Word information lost: one less the shares of hits in references and responses, multiplied.

    Equal to jiwer as `WER` is.
    """

    def rate(self, counts: Positions) -> Rates:
        """The rate that some counts give."""
        return word_information_lost(counts)
