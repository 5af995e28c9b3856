"""Parameters of the reader of GeoTIFFs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from valor_files import LabelList

from valor_core.parameters import Within, parameter, parameters
from valor_segmentation.parameters.readers import fields

Nodata = Literal["ignore", "background"]


Georeference = Literal["check", "ignore"]


@parameters
class GeotiffParameters:
    """Parameters of the reader of GeoTIFFs."""

    groundtruths: Path = parameter(help="Folder of true rasters in .tif or .tiff, or one file.")
    predictions: Path = parameter(
        help="Folder of predicted rasters with the same names, or one file."
    )
    labels: LabelList = fields.labels()
    values: Mapping[str, str | None] = fields.values()
    ignore: tuple[int, ...] = fields.ignore()
    nodata: Nodata = parameter(
        default="ignore",
        help="What pixels of the ground truth's nodata value are: ignore, which leaves them out, "
        "or background. Those of a prediction are background.",
    )
    groundtruth_band: int | None = parameter(
        default=None,
        help="Band of the ground truths; the first is 1. Null is the only one, beside alpha.",
        check=Within(1),
    )
    prediction_band: int | None = parameter(
        default=None,
        help="Band of the predictions; the first is 1. Null is the only one, beside alpha.",
        check=Within(1),
    )
    georeference: Georeference = parameter(
        default="check",
        help="Whether two rasters must have the same coordinate system and lie in the same "
        "place: check, or ignore.",
    )
    label_key: str = fields.label_key()
    missing: fields.Missing = fields.missing()
    metadata: Path | None = fields.metadata()
    uid: str = fields.uid()
    partition_images: int = fields.partition_images(4)
