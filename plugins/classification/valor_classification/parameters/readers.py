"""Parameters of the readers of classification data."""

from __future__ import annotations

from typing import Any

from valor_files import MixedLabelList, TableSource

from valor_core.parameters import Within, parameter, parameters

_PATH: Any = parameter(
    help="Table with one row for each item; also a list of them, or a pattern of their names "
    "such as 'part-*.csv'.",
    non_empty=True,
    distinct=True,
)


_UID: Any = parameter(
    default=None,
    help="Column of the item's uid; null is 'uid', or the row's number without such a column.",
)


_KEY: Any = parameter(default="class", help="Key of all labels.")


_PREDICTIONS: Any = parameter(
    default=None, help="Table of predictions, if path has no predictions; joined by uid."
)


_PREFIX: Any = parameter(
    default=None,
    help="Prefix of columns of 0 and 1, one a label, instead of a column of labels.",
)


_PARTITION_BYTES: Any = parameter(
    default=4 << 20, help="Minimum size of partitions, in bytes.", check=Within(1)
)


@parameters
class LongParameters:
    """Parameters of the reader of long tables."""

    groundtruths: TableSource = parameter(
        help="Table with one row for each ground truth: uid and label."
    )
    predictions: TableSource = parameter(
        help="Table with one row for each score: uid, label and score."
    )
    metadata: TableSource | None = parameter(
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
class WideParameters:
    """Parameters of the reader of wide tables."""

    path: tuple[TableSource, ...] = _PATH
    uid: str | None = _UID
    predictions: TableSource | None = _PREDICTIONS
    label: str = parameter(default="label", help="Column of the true label.")
    label_prefix: str | None = _PREFIX
    scores: tuple[str, ...] | None = parameter(
        default=None,
        help="Columns of the scores, called like their labels; null is all columns that start "
        "with the prefix.",
    )
    prefix: str = parameter(
        default="score_", help="Prefix of score columns, removed from their labels."
    )
    labels: MixedLabelList | None = parameter(
        default=None,
        help="Labels of the score columns, in their order; null is the columns' names. Of two "
        "labels and one column, it has probabilities of the second. A .txt file has a label a "
        "line.",
        non_empty=True,
        distinct=True,
    )
    unscored_labels: bool = parameter(
        default=False,
        help="Whether a true label may have no score column: one that is never predicted, or one "
        "that a label_map renames.",
    )
    key: str = _KEY
    partition_bytes: int = _PARTITION_BYTES


@parameters
class PredictedParameters:
    """Parameters of the reader of predicted labels."""

    path: tuple[TableSource, ...] = _PATH
    predictions: TableSource | None = _PREDICTIONS
    uid: str | None = _UID
    label: str = parameter(default="label", help="Column of the true label, or of a list of them.")
    prediction: str = parameter(
        default="prediction", help="Column of the predicted label, or of a list of them."
    )
    score: str | None = parameter(
        default=None, help="Column of the predicted label's score; null is none."
    )
    label_prefix: str | None = _PREFIX
    prediction_prefix: str | None = _PREFIX
    key: str = _KEY
    partition_bytes: int = _PARTITION_BYTES


@parameters
class ListsParameters:
    """Parameters of the reader of lists of predictions."""

    path: tuple[TableSource, ...] = _PATH
    uid: str | None = _UID
    groundtruths: str = parameter(
        default="groundtruths", help="Column of the true label, or of a list of them."
    )
    predictions: str = parameter(
        default="predictions",
        help="Column of the predicted labels as a list, or of a table of label and score.",
    )
    scores: str = parameter(
        default="scores", help="Column of the list of scores, in the order of the predicted labels."
    )
    metadata: str = parameter(default="metadata", help="Column of a table of metadata fields.")
    partition_bytes: int = _PARTITION_BYTES
