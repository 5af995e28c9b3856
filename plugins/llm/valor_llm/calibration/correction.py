"""Corrected mean of a run's scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from valor_core.resources.bound import BoundResource
from valor_core.results import ItemRow, MetricDetails, Undefined
from valor_core.specs import MetricSpec
from valor_llm.calibration.comparison import sensitivity_and_specificity
from valor_llm.calibration.estimates import Estimate, Share, prediction_powered_mean, rogan_gladen
from valor_llm.calibration.labels import JudgedItem, are_shares, judged_items
from valor_llm.calibration.record import LEAST_LABELS, Calibration, Fingerprint, Pair, Record

Row = dict[str, Any]


def correction(
    rows: Iterable[ItemRow], spec: MetricSpec, parameters: Any, judge: BoundResource
) -> MetricDetails:
    """Correct a metric's mean, if the config names the record of a calibration.

    Parameters
    ----------
    rows : iterable of ItemRow
        The items of the run.
    spec, parameters
        The metric.
    judge : BoundResource
        The judge of the config.

    Raises
    ------
    ResourceError
        If the record cannot be read.
    """
    path = judge.located.calibration
    if path is None:
        return MetricDetails()
    rows = list(rows)
    fingerprint = Fingerprint.of(spec, parameters, judge, rows)
    calibration = Record.load(path).of(fingerprint.metric, fingerprint.parameters)
    if calibration is None:
        return _uncalibrated(spec.name, "its record has no labels of this metric")
    differences = calibration.fingerprint.differences(fingerprint)
    if differences:
        return _uncalibrated(spec.name, "; ".join(differences))
    return MetricDetails({"calibration": corrected(judged_items(rows), calibration)})


def _uncalibrated(metric: str, why: str) -> MetricDetails:
    row = {"state": "uncalibrated", "why": why}
    warning = (
        f"{metric}: uncalibrated, {why}; calibrate again with: valor judge calibrate CONFIG "
        "--labels FILE -o RECORD"
    )
    return MetricDetails({"calibration": row}, (warning,))


def corrected(items: Sequence[JudgedItem], calibration: Calibration) -> list[Row]:
    """Correct a mean by a calibration, with one row per method.

    Parameters
    ----------
    items : sequence of JudgedItem
        The items of the run that have a score.
    calibration : Calibration
        Labels, and the judge's scores of the same items.
    """
    return [_prediction_powered(items, calibration), _rogan_gladen(items, calibration)]


def _prediction_powered(items: Sequence[JudgedItem], calibration: Calibration) -> Row:
    """Correct the mean with the labels of these items, or of all items if these have none.

    Labels of one part of the data do not show how the judge errs in another part. So a slice uses
    only the labels of its items.
    """
    pairs = calibration.items
    if not pairs:
        why = "no labels of scores, nor of all verdicts of an item"
        return _row("prediction-powered", Undefined(why))
    of_run = {item.item for item in items}
    of_items = [pair for pair in pairs if pair.item in of_run]
    if of_items and len(of_items) < LEAST_LABELS:
        why = f"labels of {len(of_items)} of these items, at least {LEAST_LABELS} are needed"
        return _row("prediction-powered", Undefined(why))
    used = of_items or pairs
    labelled = {pair.item for pair in used}
    unlabelled = [item.score for item in items if item.item not in labelled]
    human, judge = [pair.human for pair in used], [pair.judge for pair in used]
    found = prediction_powered_mean(human, judge, unlabelled)
    return _row("prediction-powered", found, used, bool(of_items), len(unlabelled))


def _rogan_gladen(items: Sequence[JudgedItem], calibration: Calibration) -> Row:
    """Correct the mean with labels of verdicts if scores are shares of yes, else with scores."""
    if calibration.verdicts and are_shares(items):
        # A score without verdicts cannot contain a wrong verdict.
        scores = [item.score for item in items if item.verdicts]
        pairs = calibration.verdicts
    else:
        scores, pairs = [item.score for item in items], calibration.items
        if not (scores and pairs and calibration.is_binary and {*scores} <= {0.0, 1.0}):
            why = "scores are neither yes or no nor a share of labeled verdicts"
            return _row("Rogan-Gladen", Undefined(why))
    sensitivity, specificity = sensitivity_and_specificity(pairs)
    if sensitivity is None or specificity is None:
        missing = "yes" if sensitivity is None else "no"
        return _row("Rogan-Gladen", Undefined(f"no label is {missing}"))
    found = rogan_gladen(Share.of_scores(scores), sensitivity, specificity)
    of_run = {item.item for item in items}
    is_own = any(pair.item in of_run for pair in pairs)
    return _row("Rogan-Gladen", found, pairs, is_own, len(scores))


def _row(
    method: str,
    found: Estimate | Undefined,
    pairs: Sequence[Pair] = (),
    is_own: bool = False,
    scores: int = 0,
) -> Row:
    row: Row = {"method": method}
    if isinstance(found, Undefined):
        return row | {"mean": None, "interval": None, "why": found.reason}
    return row | {
        "mean": found.value,
        "interval": found.interval,
        "labels": len(pairs),
        "labels_of": "these items" if is_own else "other items",
        "scores": scores,
    }
