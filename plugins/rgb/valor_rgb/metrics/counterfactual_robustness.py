"""Counterfactual robustness: detection and correction of errors in the documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from valor_rgb.metrics.outcome_counts import AbilityMetric, OutcomeCounts, Share


class CounterfactualRobustness(AbilityMetric):
    """Rates of detected and corrected errors, and accuracy with and without documents."""

    ability = "counterfactual_robustness"

    def values(self, found: OutcomeCounts) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield one value: the rates with their intervals, and the counts with documents."""
        closed_book = found.where(lambda one: one["closed_book"])
        open_book = found.where(lambda one: not one["closed_book"])
        detected, corrected = open_book.count("detected"), open_book.count("corrected")
        both = open_book.count("detected", "corrected")
        shares = {
            "error_detection_rate": open_book.share("detected"),
            "error_correction_rate": open_book.share("corrected"),
            "correction_rate_of_detected": Share(both, detected),
            "accuracy_with_documents": open_book.share("correct"),
            "accuracy_without_documents": closed_book.share("correct"),
        }
        counts = open_book.correctness | {"detected": detected, "corrected": corrected}
        yield {}, self.with_rates(shares, counts)
