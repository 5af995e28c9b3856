"""Parameters of the reader of predicted labels."""

from __future__ import annotations

from valor_files import TableSource

from valor_classification.parameters.readers import fields
from valor_core.parameters import parameter, parameters


@parameters
class PredictedParameters:
    """Parameters of the reader of predicted labels."""

    path: tuple[TableSource, ...] = fields.path()
    predictions: TableSource | None = parameter(
        default=None,
        help="Table of the predicted labels, if path has only the true ones; joined by uid.",
    )
    uid: str | None = fields.uid()
    label: str = parameter(default="label", help="Column of the true label, or of a list of them.")
    prediction: str = parameter(
        default="prediction", help="Column of the predicted label, or of a list of them."
    )
    key: str = fields.key()
    partition_bytes: int = fields.partition_bytes()
