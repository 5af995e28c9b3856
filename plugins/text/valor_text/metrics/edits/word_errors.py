"""WordErrors: the edits of all items by kind, and the worst items word by word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_core.parameters import parameter_values
from valor_core.results import Result
from valor_core.states import StateRequest
from valor_text.counting.edits import (
    KINDS,
    EditTotals,
    aligned,
    errors,
    reference_tokens,
)
from valor_text.kernels.values import Positions
from valor_text.parameters.edits import WordErrorsParameters


@frozen
class WordErrors:
    """Hits, substitutions, deletions and insertions of all items, and the worst of these.

    An item is compared with its nearest reference. The worst items have the most edits for each
    word of their reference, then the most edits, then the first uid; those without an edit are
    not among them.

    Parameters
    ----------
    parameters : WordErrorsParameters
        How texts are prepared, and how many items are told.
    """

    parameters: WordErrorsParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The edits of all items, and the worst items."""
        key = {
            "normaliser": self.parameters.normaliser,
            "tokeniser": self.parameters.tokeniser,
        }
        return (StateRequest(EditTotals, key, {"worst": (self.parameters.worst,)}),)

    def compute(self, totals: EditTotals) -> Iterator[Result]:
        """The counts, and the tokens of the worst items' references beside their responses'."""
        yield Result(
            parameters=parameter_values(self.parameters),
            value=_named(totals.counts) | {"worst": self._worst(totals)},
            left_out=dict(totals.left_out),
            warnings=totals.warnings_of("text.WordErrors", self.parameters),
        )

    def _worst(self, totals: EditTotals) -> list[dict[str, Any]]:
        items = totals.ranked(self.parameters.worst)
        uids, responses, references = ([item[at] for item in items] for at in (2, 3, 4))
        told = aligned(
            [str(text) for text in references],
            [str(text) for text in responses],
            totals.normaliser,
            totals.tokeniser,
        )
        return [
            {"uid": uid} | _rate(counts) | _named(counts) | {"aligned": tokens}
            for uid, (counts, tokens) in zip(uids, told, strict=True)
        ]


def _named(counts: Positions) -> dict[str, Any]:
    return dict(zip(KINDS, counts.tolist(), strict=True))


def _rate(counts: Positions) -> dict[str, float | None]:
    length = int(reference_tokens(counts))
    return {"rate": int(errors(counts)) / length if length else None}
