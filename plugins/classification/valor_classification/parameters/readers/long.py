"""Parameters of the reader of long tables."""

from __future__ import annotations

from valor_files import TableSource

from valor_core.parameters import parameter, parameters


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
