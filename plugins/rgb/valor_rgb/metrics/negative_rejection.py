"""Negative rejection: refusing to answer where no document has the answer."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from valor_core import Result
from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows
from valor_core.states import RowsOf
from valor_rgb.metrics.findings import Findings, verdicts
from valor_rgb.parameters.rules import AbilityParameters


@frozen
class NegativeRejection:
    """Share of responses that refuse, and of those that have the answer all the same.

    Parameters
    ----------
    parameters : AbilityParameters
        The rules and the confidence.
    """

    parameters: AbilityParameters

    def needs(self) -> tuple[RowsOf, ...]:
        """Verdicts on the responses."""
        return (verdicts(self.parameters),)

    def compute(self, rows: ItemRows) -> Iterator[Result]:
        """One result: the rates with their intervals, and the counts."""
        found = Findings.of(rows, "negative_rejection", "rejected")
        own = changed_parameters(self.parameters)
        if not len(found):
            yield Result(parameters=own, value=found.nothing, left_out=found.left_out)
            return
        rates = {
            "rejection_rate": found.rate("rejected"),
            "parametric_answer_rate": found.rate("correct"),
        }
        value = {name: rate.value for name, rate in rates.items()} | {
            "total": len(found),
            "rejected": found.count("rejected"),
            "incorrect": len(found) - found.count("rejected"),
            "correct": found.count("correct"),
            "rates": {
                name: rate.record(self.parameters.confidence) for name, rate in rates.items()
            },
        }
        yield Result(parameters=own, value=value, left_out=found.left_out)
