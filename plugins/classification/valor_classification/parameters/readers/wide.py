"""Parameters of the reader of wide tables."""

from __future__ import annotations

from valor_files import MixedLabelList, TableSource

from valor_classification.parameters.readers import fields
from valor_core.parameters import parameter, parameters


@parameters
class WideParameters:
    """Parameters of the reader of wide tables."""

    path: tuple[TableSource, ...] = fields.path()
    uid: str | None = fields.uid()
    label: str = parameter(default="label", help="Column of the true label.")
    scores: tuple[str, ...] | None = parameter(
        default=None,
        help="Columns of the scores, called like their labels; null is all columns that start "
        "with the prefix.",
    )
    prefix: str = parameter(
        default="score_", help="Start of a score column, left out of its label."
    )
    labels: MixedLabelList | None = parameter(
        default=None,
        help="Labels of the score columns, in their order; null is the columns' names. Of two "
        "labels and one column, its scores are probabilities of the second. A name that ends in "
        ".txt is a file with a label a line.",
        non_empty=True,
        distinct=True,
    )
    unscored_labels: bool = parameter(
        default=False,
        help="Whether a true label may have no score column: one that the classifier does not "
        "know, so that it is always missed, or one that a label_map renames.",
    )
    key: str = fields.key()
    partition_bytes: int = fields.partition_bytes()
