"""Accuracy by noise ratio: noise robustness and information integration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from attrs import frozen

from valor_core import Result
from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows
from valor_core.states import RowsOf
from valor_rgb.metrics.findings import Findings, verdicts
from valor_rgb.parameters.rules import AbilityParameters


@frozen
class AccuracyByNoise:
    """Share of right responses at each noise ratio.

    Parameters
    ----------
    parameters : AbilityParameters
        The rules and the confidence.
    """

    ability: ClassVar[str]

    parameters: AbilityParameters

    def needs(self) -> tuple[RowsOf, ...]:
        """Verdicts on the responses."""
        return (verdicts(self.parameters),)

    def compute(self, rows: ItemRows) -> Iterator[Result]:
        """The accuracy at each noise ratio, and one table of all."""
        found = Findings.of(rows, self.ability, "correct")
        own = changed_parameters(self.parameters)
        if not len(found):
            yield Result(parameters=own, value=found.nothing, left_out=found.left_out)
            return
        table: dict[str, Any] = {}
        for level in sorted({one["noise_ratio"] for one in found.kept}, key=_known_first):
            at = found.where(lambda one, level=level: one["noise_ratio"] == level)  # type: ignore[misc]
            rate = at.rate("correct")
            low, high = rate.interval(self.parameters.confidence)
            table["not given" if level is None else repr(level)] = {
                "accuracy": rate.value,
                "low": low,
                "high": high,
                "total": len(at),
                "correct": rate.count,
                "incorrect": len(at) - rate.count,
                "rejected": at.count("rejected") - at.count("rejected", "correct"),
            }
            yield Result(
                parameters={"noise_ratio": level} | own, value=rate.value, left_out=found.left_out
            )
        yield Result(parameters=own, value={"noise_ratio": table}, left_out=found.left_out)


def _known_first(level: float | None) -> float:
    return 2.0 if level is None else level


class NoiseRobustness(AccuracyByNoise):
    """Accuracy where some documents are irrelevant."""

    ability = "noise_robustness"


class InformationIntegration(AccuracyByNoise):
    """Accuracy where the answer has to be put together from several documents."""

    ability = "information_integration"
