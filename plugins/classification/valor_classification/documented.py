"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_core.errors import SchemaError, shown
from valor_core.evaluate import evaluate
from valor_core.plan import MetricChoice
from valor_core.report import Report
from valor_core.schemas.annotation import GroundTruth, Prediction, ScoredLabel
from valor_core.schemas.classification import Classification
from valor_core.schemas.datum import Uid
from valor_core.schemas.label import Label

DEFAULT_METRICS = (
    "Accuracy",
    "Precision",
    "Recall",
    "F1",
    "ROCAUC",
    "mROCAUC",
    "ConfusionMatrix",
)
"""What is computed where nothing is chosen."""


def evaluate_classification(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
    *,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    metrics_to_return: Sequence[MetricChoice] | None = None,
    pr_curve_max_examples: int = 1,
    pr_curve_iou_threshold: float | None = None,
) -> Report:
    """Report of classification metrics over ground truths and predictions, matched by datum.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once on a side; one that is on one side only takes part. Dictionaries
        of the same shape will do.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides first.
    metrics_to_return : sequence, optional
        Names, or tables of a name and parameters; `DEFAULT_METRICS` unless given.
    pr_curve_max_examples : int
        Most items named for each count of a DetailedPrecisionRecallCurve.
    pr_curve_iou_threshold : float, optional
        Taken because the documentation passes it; classification has no overlaps.

    Raises
    ------
    SchemaError
        If a datum stands twice on a side, a ground truth has a score or a prediction none.

    Examples
    --------
    >>> from valor_core.schemas.annotation import Annotation
    >>> report = evaluate_classification(
    ...     [GroundTruth("img_1", [Annotation([Label("animal", "dog")])])],
    ...     [Prediction("img_1", [Annotation([ScoredLabel("animal", "dog", 0.75)])])],
    ...     metrics_to_return=["Accuracy"],
    ... )
    >>> report["Accuracy"].value
    1.0
    """
    chosen: list[MetricChoice] = []
    for choice in DEFAULT_METRICS if metrics_to_return is None else metrics_to_return:
        if choice == "DetailedPrecisionRecallCurve":
            choice = {"name": choice, "max_examples": pr_curve_max_examples}
        chosen.append(choice)
    items = _items(
        [_as(GroundTruth, value) for value in groundtruths],
        [_as(Prediction, value) for value in predictions],
    )
    return evaluate(items, chosen, task="classification", label_map=label_map)


def _as(cls: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        return cls(value.get("datum"), value.get("annotations") or ())
    if not isinstance(value, cls):
        raise SchemaError(
            f"{cls.__name__}: expected one or a dictionary like it, got {shown(value)}"
        )
    return value


def _items(
    groundtruths: Sequence[GroundTruth], predictions: Sequence[Prediction]
) -> list[Classification]:
    truths = {one.datum.uid: _truths(one) for one in groundtruths}
    scores = {one.datum.uid: _scores(one) for one in predictions}
    _check_once("groundtruths", [one.datum.uid for one in groundtruths])
    _check_once("predictions", [one.datum.uid for one in predictions])
    metadata: dict[Uid, dict[str, Any]] = {}
    for datum in [one.datum for one in predictions] + [one.datum for one in groundtruths]:
        metadata.setdefault(datum.uid, {}).update(datum.metadata)
    return [
        Classification(uid, truths.get(uid, ()), scores.get(uid, ()), metadata[uid])
        for uid in {**truths, **scores}
    ]


def _check_once(side: str, uids: Sequence[Uid]) -> None:
    uid, count = Counter(uids).most_common(1)[0] if uids else ("", 0)
    if count > 1:
        raise SchemaError(f"item {uid!r}, {side}: expected each datum once, found it {count} times")


def _truths(groundtruth: GroundTruth) -> list[Label]:
    labels = [label for one in groundtruth.annotations for label in one.labels]
    for label in labels:
        if not isinstance(label, Label):
            raise SchemaError(
                f"item {groundtruth.datum.uid!r}, groundtruths: expected labels without score, "
                f"got {shown(label)}"
            )
    return [label for label in labels if isinstance(label, Label)]


def _scores(prediction: Prediction) -> list[tuple[Label, float]]:
    labels = [label for one in prediction.annotations for label in one.labels]
    for label in labels:
        if not isinstance(label, ScoredLabel):
            raise SchemaError(
                f"item {prediction.datum.uid!r}, predictions: expected labels with a score, "
                f"got {shown(label)}"
            )
    return [(one.label, one.score) for one in labels if isinstance(one, ScoredLabel)]
