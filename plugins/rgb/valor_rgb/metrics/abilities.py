"""Metrics of the four abilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from valor_rgb.metrics.outcome_counts import AbilityMetric, OutcomeCounts, Share


class AccuracyByNoise(AbilityMetric):
    """Share of correct responses at each noise ratio."""

    def values(self, found: OutcomeCounts) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield the accuracy at each noise ratio, then one table of all."""
        table: dict[str, Any] = {}
        for ratio in sorted({one["noise_ratio"] for one in found.kept}, key=_none_last):
            at = found.where(lambda one, ratio=ratio: one["noise_ratio"] == ratio)  # type: ignore[misc]
            accuracy = at.share("correct")
            low, high = accuracy.interval(self.parameters.confidence)
            table["not given" if ratio is None else repr(ratio)] = {
                "accuracy": accuracy.value,
                "low": low,
                "high": high,
                **at.correctness,
            }
            yield {"noise_ratio": ratio}, accuracy.value
        yield {}, {"noise_ratio": table}


def _none_last(ratio: float | None) -> float:
    return 2.0 if ratio is None else ratio


class NoiseRobustness(AccuracyByNoise):
    """Accuracy of responses to prompts with irrelevant documents."""

    ability = "noise_robustness"


class InformationIntegration(AccuracyByNoise):
    """Accuracy of responses whose answer is spread over several documents."""

    ability = "information_integration"


class NegativeRejection(AbilityMetric):
    """Share of responses that refuse, and of those that contain the answer anyway."""

    ability = "negative_rejection"
    needed = "rejected"

    def values(self, found: OutcomeCounts) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield one value: the rates with their intervals, and the counts."""
        shares = {
            "rejection_rate": found.share("rejected"),
            "parametric_answer_rate": found.share("correct"),
        }
        counts = {
            "total": len(found),
            "rejected": found.count("rejected"),
            "incorrect": len(found) - found.count("rejected"),
            "correct": found.count("correct"),
        }
        yield {}, self.with_rates(shares, counts)


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
