"""Parameters of the classification metrics and readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters

CURVE_THRESHOLDS = tuple(i / 20 for i in range(1, 20))
"""0.05 … 0.95, the thresholds of the documented curves."""

Average = Literal["none", "micro", "macro", "weighted"]


Thresholds = tuple[float | None, ...]


def _score_thresholds() -> Thresholds:
    thresholds: Thresholds = parameter(
        default=(None,),
        help="A prediction counts if its score is at least this; one result for each. With null "
        "the best-scoring label is always predicted, whatever its score.",
        non_empty=True,
        distinct=True,
    )
    return thresholds


def _curve_thresholds() -> tuple[float, ...]:
    thresholds: tuple[float, ...] = parameter(
        default=CURVE_THRESHOLDS,
        help="A prediction counts if its score is at least this; one point for each.",
        non_empty=True,
        distinct=True,
    )
    return thresholds


def _hardmax() -> bool:
    hardmax: bool = parameter(
        default=True,
        help="Whether only the best-scoring label of an item is a prediction (ties go to the "
        "first listed), or every label that passes the threshold, which has to be given then.",
    )
    return hardmax


class _Predictions:
    """Parameters that say which labels are predictions."""

    score_thresholds: Thresholds
    hardmax: bool

    def __attrs_post_init__(self) -> None:
        if not self.hardmax and None in self.score_thresholds:
            raise ParameterError(
                "score_thresholds must be numbers where hardmax is false, got null",
                "Say from which score on a label is a prediction: score_thresholds: [0.5].",
            )


def _zero_division() -> float | None:
    zero_division: float | None = parameter(
        default=0.0,
        help="Value of 0/0; null makes it undefined, left out of means and counted.",
        check=Within(0, 1),
    )
    return zero_division


def _average(default: tuple[Average, ...]) -> tuple[Average, ...]:
    average: tuple[Average, ...] = parameter(
        default=default,
        help="none is one result for each label; micro pools all labels, macro is the plain mean "
        "over labels, weighted the mean by number of ground truths.",
        non_empty=True,
        distinct=True,
    )
    return average


def _prediction_only() -> bool:
    include: bool = parameter(
        default=False,
        help="Whether labels without ground truth take part in the macro mean.",
    )
    return include


def _bins_of_scores() -> int | None:
    bins: int | None = parameter(
        default=None,
        help="Number of equal bins in [0, 1] that scores are counted in, instead of keeping "
        "every score; null is exact.",
        check=Within(2, 1_000_000),
    )
    return bins


def _path() -> tuple[Path, ...]:
    path: tuple[Path, ...] = parameter(
        help="Table with one row for each item; also a list of them, or a pattern of their names "
        "such as 'part-*.csv'.",
        non_empty=True,
        distinct=True,
    )
    return path


def _uid() -> str | None:
    uid: str | None = parameter(
        default=None,
        help="Column of the item's uid; null is 'uid', and the row's number in its file where "
        "there is no such column.",
    )
    return uid


def _key() -> str:
    key: str = parameter(default="class", help="Key of all labels.")
    return key


def _partition_bytes() -> int:
    partition_bytes: int = parameter(
        default=4 << 20, help="Size of the parts that workers read, in bytes.", check=Within(1)
    )
    return partition_bytes


def _written(value: Any) -> str:
    """A value as configs write it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@parameters
class AccuracyParameters(_Predictions):
    """Parameters of Accuracy."""

    score_thresholds: Thresholds = _score_thresholds()
    hardmax: bool = _hardmax()
    top_k: int = parameter(
        default=1,
        help="A prediction is right if the ground truth is among this many best-scoring labels.",
        check=Within(1),
    )
    balanced: bool = parameter(
        default=False,
        help="Whether every label weighs the same: the mean recall of labels with truth.",
    )
    multilabel: Literal["exact", "hamming", "jaccard"] | None = parameter(
        default=None,
        help="What an item scores by its whole set of labels: whether the true ones are the "
        "predicted ones, the share of labels on which both agree, or intersection over union. "
        "Null is exact if an item of the data has several ground truths, and otherwise whether "
        "the one is predicted.",
    )

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.top_k > 1:
            self._refuse("top_k", str(self.top_k), balanced=False, hardmax=True, multilabel=None)
        if self.balanced:
            self._refuse("balanced", "true", multilabel=None)

    def _refuse(self, name: str, value: str, **wanted: Any) -> None:
        """Refuse what a parameter leaves without a meaning."""
        for other, only in wanted.items():
            found = getattr(self, other)
            if found != only:
                raise ParameterError(
                    f"{other} must be {_written(only)} where {name} is {value}, "
                    f"got {_written(found)}",
                    f"Leave out {name} or {other}, or compute both in two metrics.",
                )


@parameters
class LabelParameters(_Predictions):
    """Parameters of Precision, Recall, Specificity and F1."""

    score_thresholds: Thresholds = _score_thresholds()
    hardmax: bool = _hardmax()
    average: tuple[Average, ...] = _average(("none", "micro", "macro", "weighted"))
    zero_division: float | None = _zero_division()
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class FBetaParameters(_Predictions):
    """Parameters of FBeta."""

    beta: float = parameter(
        default=2.0,
        help="How many times recall weighs as much as precision.",
        check=Within(0, 1_000_000, open_low=True),
    )
    score_thresholds: Thresholds = _score_thresholds()
    hardmax: bool = _hardmax()
    average: tuple[Average, ...] = _average(("none", "micro", "macro", "weighted"))
    zero_division: float | None = _zero_division()
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class CountsParameters(_Predictions):
    """Parameters of Counts."""

    score_thresholds: Thresholds = _score_thresholds()
    hardmax: bool = _hardmax()


@parameters
class RankParameters:
    """Parameters of ROCAUC."""

    bins: int | None = _bins_of_scores()


@parameters
class MeanRankParameters:
    """Parameters of mROCAUC."""

    average: Literal["macro", "weighted"] = parameter(
        default="macro", help="Plain mean over labels, or the mean by number of ground truths."
    )
    bins: int | None = _bins_of_scores()


@parameters
class AveragePrecisionParameters:
    """Parameters of AveragePrecision."""

    average: tuple[Literal["none", "macro", "weighted"], ...] = parameter(
        default=("none", "macro"),
        help="none is one result for each label; macro is the plain mean over labels with ground "
        "truth, weighted the mean by number of ground truths.",
        non_empty=True,
        distinct=True,
    )
    bins: int | None = _bins_of_scores()


@parameters
class ROCCurveParameters:
    """Parameters of ROCCurve."""

    drop_intermediate: bool = parameter(
        default=True,
        help="Whether points on a straight line between their neighbours are left out.",
    )


@parameters
class PrecisionRecallCurveParameters:
    """Parameters of PrecisionRecallCurve."""

    score_thresholds: tuple[float, ...] = _curve_thresholds()
    zero_division: float | None = _zero_division()


@parameters
class DetailedCurveParameters:
    """Parameters of DetailedPrecisionRecallCurve."""

    score_thresholds: tuple[float, ...] = _curve_thresholds()
    max_examples: int = parameter(
        default=1,
        help="Most items named for each count, in the order of their uids.",
        check=Within(0),
        aliases=("pr_curve_max_examples",),
    )


@parameters
class ConfusionMatrixParameters(_Predictions):
    """Parameters of ConfusionMatrix."""

    score_thresholds: Thresholds = _score_thresholds()
    hardmax: bool = _hardmax()
    normalize: Literal["none", "truth", "prediction", "all"] = parameter(
        default="none",
        help="Counts, or shares of each ground truth's row, each prediction's column, or of all.",
    )
    max_examples: int = parameter(
        default=0,
        help="Most items named for each cell, in the order of their uids.",
        check=Within(0),
    )


@parameters
class ExamplesParameters(_Predictions):
    """Parameters of Examples."""

    score_thresholds: Thresholds = _score_thresholds()
    hardmax: bool = _hardmax()
    errors_only: bool = parameter(
        default=False,
        help="Whether items without a false positive or a false negative are left out.",
    )
    limit: int | None = parameter(
        default=None, help="Most items listed; null is all.", check=Within(0)
    )
    offset: int = parameter(
        default=0, help="Items skipped first, in the order of uids.", check=Within(0)
    )


@parameters
class MatthewsParameters:
    """Parameters of MatthewsCorrelation."""

    score_thresholds: Thresholds = _score_thresholds()


@parameters
class KappaParameters:
    """Parameters of CohenKappa."""

    score_thresholds: Thresholds = _score_thresholds()
    weights: Literal["none", "linear", "quadratic"] = parameter(
        default="none",
        help="How much a disagreement weighs by the distance of the two labels in their order.",
    )
    order: tuple[str | int, ...] | None = parameter(
        default=None,
        help="All labels from the lowest to the highest, for weights; null is by their size where "
        "all labels are numbers.",
        non_empty=True,
        distinct=True,
    )

    def __attrs_post_init__(self) -> None:
        if self.order is not None and self.weights == "none":
            raise ParameterError(
                "order needs weights, got weights 'none', for which labels have no order",
                "Choose weights: linear or quadratic, or leave order out.",
            )


@parameters
class BrierParameters:
    """Parameters of BrierScore."""

    scale_by_half: bool | None = parameter(
        default=None,
        help="Whether the sum over labels is halved, so that two labels give the classical score "
        "of one; null halves it where the label key has two labels or one.",
    )


@parameters
class CalibrationParameters:
    """Parameters of CalibrationError."""

    bins: int = parameter(
        default=15, help="Number of equal bins in [0, 1].", check=Within(1, 10_000)
    )


@parameters
class LongParameters:
    """Parameters of the reader of long tables."""

    groundtruths: Path = parameter(help="Table with one row for each ground truth: uid and label.")
    predictions: Path = parameter(help="Table with one row for each score: uid, label and score.")
    metadata: Path | None = parameter(
        default=None,
        help="Table with one row for each item: uid, and the fields it can be sliced by.",
    )
    uid: str = parameter(default="uid", help="Column of the item's uid.")
    key: str = parameter(
        default="key", help="Column of the label's key; without it the key is 'class'."
    )
    label: str = parameter(default="label", help="Column of the label's value.")
    score: str = parameter(default="score", help="Column of the score.")


@parameters
class PredictedParameters:
    """Parameters of the reader of predicted labels."""

    path: tuple[Path, ...] = _path()
    uid: str | None = _uid()
    label: str = parameter(default="label", help="Column of the true label, or of a list of them.")
    prediction: str = parameter(
        default="prediction", help="Column of the predicted label, or of a list of them."
    )
    key: str = _key()
    partition_bytes: int = _partition_bytes()


@parameters
class WideParameters:
    """Parameters of the reader of wide tables."""

    path: tuple[Path, ...] = _path()
    uid: str | None = _uid()
    label: str = parameter(default="label", help="Column of the true label.")
    scores: tuple[str, ...] | None = parameter(
        default=None,
        help="Columns of the scores, called like their labels; null is all columns that start "
        "with the prefix.",
    )
    prefix: str = parameter(
        default="score_", help="Start of a score column, left out of its label."
    )
    labels: tuple[str | int, ...] | None = parameter(
        default=None,
        help="Labels of the score columns, in their order; null is the columns' names. Of two "
        "labels and one column, its scores are probabilities of the second.",
        non_empty=True,
        distinct=True,
    )
    unscored_labels: bool = parameter(
        default=False,
        help="Whether a true label may have no score column: one that the classifier does not "
        "know, so that it is always missed, or one that a label_map renames.",
    )
    key: str = _key()
    partition_bytes: int = _partition_bytes()


@parameters
class ListsParameters:
    """Parameters of the reader of lists of predictions."""

    path: tuple[Path, ...] = _path()
    uid: str | None = _uid()
    groundtruths: str = parameter(
        default="groundtruths", help="Column of the true label, or of a list of them."
    )
    predictions: str = parameter(
        default="predictions",
        help="Column of the predicted labels as a list, or of a table of label and score.",
    )
    scores: str = parameter(
        default="scores", help="Column of the list of scores beside the labels."
    )
    metadata: str = parameter(default="metadata", help="Column of a table of metadata fields.")
    partition_bytes: int = _partition_bytes()
