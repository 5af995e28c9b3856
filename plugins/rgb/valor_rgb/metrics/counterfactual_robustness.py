"""Counterfactual robustness: noticing that documents are false, and putting them right."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from valor_core import Result
from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows
from valor_core.states import RowsOf
from valor_rgb.metrics.findings import Findings, verdicts
from valor_rgb.metrics.rates import Rate
from valor_rgb.parameters.rules import AbilityParameters


@frozen
class CounterfactualRobustness:
    """Rates of detected and corrected errors, and accuracy with and without documents.

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
        """One result: the rates with their intervals, and the counts with documents."""
        found = Findings.of(rows, "counterfactual_robustness", "correct")
        own = changed_parameters(self.parameters)
        if not len(found):
            yield Result(parameters=own, value=found.nothing, left_out=found.left_out)
            return
        closed = found.where(lambda one: one["closed_book"])
        told = found.where(lambda one: not one["closed_book"])
        detected, corrected = told.count("detected"), told.count("corrected")
        rates = {
            "error_detection_rate": told.rate("detected"),
            "error_correction_rate": told.rate("corrected"),
            "correction_rate_of_detected": Rate(told.count("detected", "corrected"), detected),
            "accuracy_with_documents": told.rate("correct"),
            "accuracy_without_documents": closed.rate("correct"),
        }
        value = {name: rate.value for name, rate in rates.items()} | {
            "total": len(told),
            "correct": told.count("correct"),
            "incorrect": len(told) - told.count("correct"),
            "rejected": told.count("rejected") - told.count("rejected", "correct"),
            "detected": detected,
            "corrected": corrected,
            "rates": {
                name: rate.record(self.parameters.confidence) for name, rate in rates.items()
            },
        }
        yield Result(parameters=own, value=value, left_out=found.left_out)
