"""Details of judged metrics besides the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from valor_intervals import LEVEL, mean_interval

from valor_core.resources.bound import BoundResource
from valor_core.results import Failed, ItemRows, MetricDetails, NotRun, Numbers, Undefined
from valor_core.results.item_rows import SINGLE
from valor_core.specs import MetricSpec, Range
from valor_llm.calibration.correction import correction
from valor_llm.parameters.judge import Combination
from valor_llm.trust.panels import (
    RepeatedScores,
    asked_models,
    model_warnings,
    most_frequent,
    panel_details,
    panel_warnings,
)


def bounds_of(present: NDArray[np.float64], failed: int, range: Range) -> list[float] | None:
    """Return the lowest and the highest mean that the scores of failed items could lead to.

    There are none without failures, and none if the range of the scores is unbounded.

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
    [0.375, 0.875]
    """
    if not failed or range.low is None or range.high is None:
        return None
    total, count = math.fsum(present.tolist()), len(present) + failed
    return [(total + failed * end) / count for end in (range.low, range.high)]


def count_states(numbers: Numbers) -> dict[str, int]:
    """Count the items by state.

    Undefined items cannot have a score, such as a response without claims. Failed items have no
    usable reply. Items are not run if a budget is spent or the run is stopped.

    Examples
    --------
    >>> count_states(Numbers.of([0.5, Failed("no reply"), Undefined("no references")]))
    {'scored': 1, 'undefined': 1, 'failed': 1, 'not_run': 0}
    """
    kinds = {"undefined": Undefined, "failed": Failed, "not_run": NotRun}
    counts = {name: int(numbers.have(kind).sum()) for name, kind in kinds.items()}
    return {"scored": len(numbers.present), **counts}


def summarize(
    rows: ItemRows,
    spec: MetricSpec,
    parameters: Any,
    resources: Mapping[str, BoundResource],
) -> MetricDetails:
    """Report states, the interval of the mean, and the agreement of judges and repeats.

    If the judge was calibrated, also report the corrected mean. With weights of items, there are
    no interval, bounds and corrected mean, which are of equal items.

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
    numbers, is_weighted = rows.columns()[SINGLE], rows.weights is not None
    details: dict[str, Any] = {"judged_items": _judged_items(numbers, spec, is_weighted)}
    judge = next(iter(resources.values()), None)
    details_of_rows = [rows.details[row] for row in sorted(rows.details)]
    scorings = RepeatedScores.of(details_of_rows)
    if scorings.values.shape[2] > 1:
        details["repeats"] = _repeats(scorings)
    if len(scorings.judges) > 1:
        combine: Combination = "mean" if judge is None else judge.parameters.combine
        details |= panel_details(scorings, combine)
    silent = panel_warnings(spec.name, scorings)
    if judge is None:
        return MetricDetails(details, silent)
    warnings = (*silent, *model_warnings(asked_models(judge), details_of_rows))
    if is_weighted:
        return MetricDetails(details, warnings)
    corrected = correction(rows, spec, parameters, judge)
    return MetricDetails({**details, **corrected.details}, (*warnings, *corrected.warnings))


def _judged_items(numbers: Numbers, spec: MetricSpec, is_weighted: bool) -> dict[str, Any]:
    states, interval = count_states(numbers), mean_interval(numbers.present, spec.range)
    if is_weighted:
        interval = Undefined("items have weights; set confidence")
    if isinstance(interval, Undefined):
        row: dict[str, Any] = {"interval": None, "method": interval.reason}
    else:
        row = {"interval": [interval.low, interval.high], "method": interval.method}
    row |= {"level": f"{LEVEL * 100:g} %", **states}
    bounds = bounds_of(numbers.present, states["failed"], spec.range)
    if is_weighted:
        bounds = None
    if bounds is not None:
        row["bounds"] = bounds
    return row


def _repeats(scorings: RepeatedScores) -> dict[str, Any]:
    return {
        "repeats": scorings.values.shape[2],
        "spread": scorings.spread,
        "flip_rate": scorings.flip_rate,
        "failed_scorings": sum(scorings.failed),
        **most_frequent(scorings.failures),
    }
