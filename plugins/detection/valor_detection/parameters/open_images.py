"""Parameters of the reader of Open Images."""

from __future__ import annotations

from pathlib import Path

from valor_files import TableSource

from valor_core.parameters import parameter, parameters
from valor_detection.parameters.fields import LABEL_KEY, Policy, invalid_geometry_field


@parameters
class OpenImagesParameters:
    """Parameters of the reader of Open Images."""

    groundtruths: TableSource = parameter(
        help="Table of true boxes: ImageID, LabelName, XMin, XMax, YMin, YMax, and IsGroupOf, "
        "which may be missing. Edges are fractions of the image."
    )
    predictions: TableSource = parameter(
        help="Table of predicted boxes: ImageID, LabelName, Score, XMin, XMax, YMin, YMax."
    )
    image_labels: TableSource | None = parameter(
        default=None,
        help="Table of labels that people verified in images: ImageID, LabelName, Confidence, "
        "which is 1 for present and 0 for absent. Null is all labels in all images.",
    )
    hierarchy: Path | None = parameter(
        default=None,
        help="JSON of nested labels. True boxes and present labels get the labels above, absent "
        "labels exclude those below. Null for tables that are expanded already.",
    )
    names: Path | None = parameter(
        default=None,
        help="CSV of labels and their display names, such as class-descriptions-boxable.csv, "
        "without header.",
    )
    images: TableSource | None = parameter(
        default=None,
        help="Table of ImageID, width and height, for areas in pixels. By default areas are "
        "fractions of the image.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes")
