"""Parameters of the reader of tables of boxes."""

from __future__ import annotations

from typing import Any, Literal

from valor_files import TableSource

from valor_core.parameters import parameter, parameters
from valor_detection.parameters.fields import LABEL_KEY, Policy, invalid_geometry_field

BoxFormat = Literal["xyxy", "xywh", "cxcywh"]


_BOX_FORMAT: Any = parameter(
    default="xyxy",
    help="Format of boxes: xyxy is corners, xywh the upper left corner and size, "
    "cxcywh center and size.",
)


@parameters
class TableParameters:
    """Parameters of the reader of tables of boxes."""

    groundtruths: TableSource = parameter(help="Table with one row for each true box.")
    predictions: TableSource = parameter(
        help="Table with one row for each predicted box and its score."
    )
    images: TableSource | None = parameter(
        default=None,
        help="Table with one row for each image: uid, and optionally width and height; other "
        "columns are metadata. By default the images with a box.",
    )
    uid: str = parameter(default="uid", help="Column of the image's uid.")
    label: str = parameter(default="label", help="Column of the label.")
    box: tuple[str, ...] = parameter(
        default=("xmin", "ymin", "xmax", "ymax"),
        help="Columns of the four numbers of a box, in the order of the box format.",
    )
    score: str = parameter(default="score", help="Column of the score.")
    crowd: str = parameter(
        default="is_crowd", help="Column of the crowd flag of true boxes; may be missing."
    )
    box_format: BoxFormat = _BOX_FORMAT
    normalized: bool = parameter(
        default=False,
        help="True if boxes are normalized by the image's width and height, which requires both in "
        "the table of images.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes")
