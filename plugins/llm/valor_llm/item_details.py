"""Details of judged metrics besides the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray
from valor_intervals import LEVEL, mean_interval

from valor_core.resources import BoundResource
from valor_core.results import ONLY, Failed, ItemRows, MetricDetails, NotRun, Numbers, Undefined
from valor_core.specs import MetricSpec, Range
from valor_llm.calibration.correction import correction
from valor_llm.parameters.judge import Combination
from valor_llm.trust.panels import asked_models, model_warnings, panel_details, panel_warnings
from valor_llm.trust.repeated_scores import RepeatedScores, most_frequent


@frozen
class Bounds:
    """Bounds of the mean for any scores of the failed items.

    Parameters
    ----------
    low : float
        Mean if all failed items had the lowest possible score.
    high : float
        The mean if all of them had the highest.
    """

    low: float
    high: float


def bounds_of(present: NDArray[np.float64], failed: int, range: Range) -> Bounds | None:
    """Return the bounds of a mean; None without failures, or if the range is unbounded.

    Parameters
    ----------
    present : ndarray of float64
        Scores of the scored items.
    failed : int
        Number of failed items.
    range : Range
        Range of the scores. Which end is the best score depends on the metric.

    Examples
    --------
    >>> bounds_of(np.array([1.0, 0.5]), 2, Range(0, 1))
    Bounds(low=0.375, high=0.875)
    """
    if not failed or range.low is None or range.high is None:
        return None
    total, count = math.fsum(present.tolist()), len(present) + failed
    return Bounds(*((total + failed * end) / count for end in (range.low, range.high)))


@frozen
class States:
    """Numbers of items by state.

    Parameters
    ----------
    scored : int
        They have a score.
    undefined : int
        Items that cannot have a score, such as a response without claims.
    failed : int
        Items without a usable reply.
    not_run : int
        Items that were not asked about, since a budget was spent or the run was stopped.

    Examples
    --------
    >>> States.of(Numbers.of([0.5, Failed("no reply"), Undefined("no references")])).to_dict()
    {'scored': 1, 'undefined': 1, 'failed': 1, 'not_run': 0}
    """

    scored: int
    undefined: int
    failed: int
    not_run: int

    @classmethod
    def of(cls, numbers: Numbers) -> States:
        """Count the states of items."""
        undefined, failed, not_run = (
            int(numbers.have(kind).sum()) for kind in (Undefined, Failed, NotRun)
        )
        return cls(len(numbers.present), undefined, failed, not_run)

    def to_dict(self) -> dict[str, int]:
        """The counts as reports have them."""
        return asdict(self)


def summarize(
    rows: ItemRows,
    spec: MetricSpec,
    parameters: Any,
    resources: Mapping[str, BoundResource],
) -> MetricDetails:
    """Report states, the interval of the mean, and the agreement of judges and repeats.

    If the judge was calibrated, also report the corrected mean.

    Parameters
    ----------
    rows : ItemRows
        Rows of a judged metric.
    spec : MetricSpec
        The metric.
    parameters : object
        Its parameters.
    resources : mapping of str to BoundResource
        The judge, which may be missing.
    """
    details: dict[str, Any] = {"judged_items": _judged_items(rows.columns()[ONLY], spec)}
    judge = next(iter(resources.values()), None)
    details_of_rows = [rows.details[place] for place in sorted(rows.details)]
    scorings = RepeatedScores.of(details_of_rows)
    if scorings.values.shape[2] > 1:
        details["repeats"] = _repeats(scorings)
    if len(scorings.judges) > 1:
        combine: Combination = "mean" if judge is None else judge.parameters.combine
        details |= panel_details(scorings, combine)
    silent = panel_warnings(spec.name, scorings)
    if judge is None:
        return MetricDetails(details, silent)
    corrected = correction(rows, spec, parameters, judge)
    warnings = (*silent, *model_warnings(asked_models(judge), details_of_rows), *corrected.warnings)
    return MetricDetails({**details, **corrected.details}, warnings)


def _judged_items(numbers: Numbers, spec: MetricSpec) -> dict[str, Any]:
    states, interval = States.of(numbers), mean_interval(numbers.present, spec.range)
    if isinstance(interval, Undefined):
        row: dict[str, Any] = {"interval": None, "method": interval.reason}
    else:
        row = {"interval": [interval.low, interval.high], "method": interval.method}
    row |= {"level": f"{LEVEL * 100:g} %", **states.to_dict()}
    bounds = bounds_of(numbers.present, states.failed, spec.range)
    if bounds is not None:
        row["bounds"] = [bounds.low, bounds.high]
    return row


def _repeats(scorings: RepeatedScores) -> dict[str, Any]:
    return {
        "repeats": scorings.values.shape[2],
        "spread": scorings.spread,
        "flip_rate": scorings.flip_rate,
        "failed_scorings": sum(scorings.failed),
        **most_frequent(scorings.failures),
    }
