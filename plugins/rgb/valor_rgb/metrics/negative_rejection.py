"""Negative rejection: refusal to answer if no document contains the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from valor_rgb.metrics.outcome_counts import AbilityMetric, OutcomeCounts


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
