"""Parameters of metrics that read predicted labels."""

from __future__ import annotations

from typing import Any, Literal

from valor_classification.parameters import fields
from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters

_OF_ONE_LABEL = (
    "Leave it out: the report has a number for each label, such as report['F1', '1'] for the "
    "label 1, which a requirement calls F1/1."
)


def _average(default: tuple[fields.Average, ...]) -> tuple[fields.Average, ...]:
    average: tuple[fields.Average, ...] = parameter(
        default=default,
        help="none is one result for each label; micro pools all labels, macro is the plain mean "
        "over labels, weighted the mean by number of ground truths; samples is the mean over items "
        "of the value of each item's labels.",
        non_empty=True,
        distinct=True,
        instead=dict.fromkeys(("binary", "pos_label"), _OF_ONE_LABEL),
    )
    return average


_PREDICTION_ONLY: Any = parameter(
    default=False,
    help="Whether labels without ground truth take part in the macro mean.",
)


def _written(value: Any) -> str:
    """A value as configs write it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@parameters
class AccuracyParameters(fields.Predictions):
    """Parameters of Accuracy."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
    hardmax: bool = fields.HARDMAX
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
        """Reject parameters that have no effect with others."""
        for other, only in wanted.items():
            found = getattr(self, other)
            if found != only:
                raise ParameterError(
                    f"{other} must be {_written(only)} where {name} is {value}, "
                    f"got {_written(found)}",
                    f"Leave out {name} or {other}, or compute both in two metrics.",
                )


@parameters
class LabelParameters(fields.Predictions):
    """Parameters of Precision, Recall, Specificity and F1."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
    hardmax: bool = fields.HARDMAX
    average: tuple[fields.Average, ...] = _average(("none", "micro", "macro", "weighted"))
    zero_division: float | None = fields.ZERO_DIVISION
    include_prediction_only_labels: bool = _PREDICTION_ONLY


@parameters
class FBetaParameters(fields.Predictions):
    """Parameters of FBeta."""

    beta: float = parameter(
        default=2.0,
        help="How many times recall weighs as much as precision.",
        check=Within(0, 1_000_000, open_low=True),
    )
    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
    hardmax: bool = fields.HARDMAX
    average: tuple[fields.Average, ...] = _average(("none", "micro", "macro", "weighted"))
    zero_division: float | None = fields.ZERO_DIVISION
    include_prediction_only_labels: bool = _PREDICTION_ONLY


@parameters
class CountsParameters(fields.Predictions):
    """Parameters of Counts."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
    hardmax: bool = fields.HARDMAX


@parameters
class MatthewsParameters:
    """Parameters of MatthewsCorrelation."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS


@parameters
class KappaParameters:
    """Parameters of CohenKappa."""

    score_thresholds: fields.Thresholds = fields.SCORE_THRESHOLDS
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
