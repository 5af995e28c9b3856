"""Parameters of the reader of lists of predictions."""

from __future__ import annotations

from valor_files import TableSource

from valor_classification.parameters.readers import fields
from valor_core.parameters import parameter, parameters


@parameters
class ListsParameters:
    """Parameters of the reader of lists of predictions."""

    path: tuple[TableSource, ...] = fields.path()
    uid: str | None = fields.uid()
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
    partition_bytes: int = fields.partition_bytes()
