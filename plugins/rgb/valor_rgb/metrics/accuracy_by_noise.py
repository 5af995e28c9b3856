"""Accuracy by noise ratio: noise robustness and information integration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from valor_rgb.metrics.outcome_counts import AbilityMetric, OutcomeCounts


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
