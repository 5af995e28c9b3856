"""Parameters of the readers of segmentation data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from valor_files import LabelList

from valor_core.parameters import Within, parameter, parameters
from valor_core.schemas import DEFAULT_KEY

Missing = Literal["error", "background"]


_LABELS: Any = parameter(
    default=(),
    help="Labels of the values 1, 2 and so on; 0 is background. A .txt file has a label a line. "
    "Without labels, they are called like the values.",
    distinct=True,
)


_VALUES: Any = parameter(
    default={},
    help="Label of each pixel value, instead of labels; null is background. 0 is "
    "background unless it has a label.",
)


_IGNORE: Any = parameter(default=(), help="Values of pixels of the ground truth that do not count.")


_LABEL_KEY: Any = parameter(default=DEFAULT_KEY, help="Key of all labels.")


_METADATA: Any = parameter(
    default=None,
    help="Table with one row for each image, such as a CSV file: its uid; other columns are "
    "metadata, to slice and filter by.",
)


_UID: Any = parameter(default="uid", help="Column of the uid in the table of metadata.")


_MISSING: Any = parameter(
    default="error",
    help="What becomes of an image that only one side has: error, or background, which takes "
    "the other side for one without labels.",
)


def _partition_images(default: int = 100) -> int:
    """Declare the number of images of a partition."""
    count: int = parameter(
        default=default, help="Number of images in the parts that workers read.", check=Within(1)
    )
    return count


def _ending(side: str, default: str) -> str:
    """Declare the ending of file names."""
    ending: str = parameter(
        default=default,
        help=f"Ending of file names of the {side}; the rest of the name is the uid.",
        non_empty=True,
    )
    return ending


@parameters
class PngParameters:
    """Parameters of the reader of PNG images."""

    groundtruths: Path = parameter(help="Folder of true label images in PNG, or one such file.")
    predictions: Path = parameter(
        help="Folder of predicted label images with the same names, or one such file."
    )
    labels: LabelList = _LABELS
    values: Mapping[str, str | None] = _VALUES
    palette: Mapping[str, str | None] = parameter(
        default={},
        help="Label of each color, instead of labels; null is background. A color is written "
        "'#ff0000' or '[255, 0, 0]'. Black is background unless it has a label.",
    )
    ignore: tuple[int | str, ...] = parameter(
        default=(),
        help="Values of pixels of the ground truth that do not count; colors where there is a "
        "palette.",
    )
    label_key: str = _LABEL_KEY
    groundtruth_ending: str = _ending("ground truths", ".png")
    prediction_ending: str = _ending("predictions", ".png")
    missing: Missing = _MISSING
    metadata: Path | None = _METADATA
    uid: str = _UID
    partition_images: int = _partition_images()


@parameters
class NpyParameters:
    """Parameters of the reader of NumPy's files."""

    groundtruths: Path = parameter(
        help="Folder of true label images in .npy or .npz, or one such file."
    )
    predictions: Path | None = parameter(
        default=None,
        help="Folder of predicted label images with the same names, or one such file. Without it "
        "each .npz of groundtruths holds both.",
    )
    labels: LabelList = _LABELS
    values: Mapping[str, str | None] = _VALUES
    ignore: tuple[int, ...] = _IGNORE
    label_key: str = _LABEL_KEY
    groundtruth_array: str = parameter(
        default="groundtruth", help="Name of the true array in an .npz that holds several."
    )
    prediction_array: str = parameter(
        default="prediction", help="Name of the predicted array in an .npz that holds several."
    )
    missing: Missing = _MISSING
    metadata: Path | None = _METADATA
    uid: str = _UID
    partition_images: int = _partition_images()


Nodata = Literal["ignore", "background"]


Georeference = Literal["check", "ignore"]


@parameters
class GeotiffParameters:
    """Parameters of the reader of GeoTIFFs."""

    groundtruths: Path = parameter(help="Folder of true rasters in .tif or .tiff, or one file.")
    predictions: Path = parameter(
        help="Folder of predicted rasters with the same names, or one file."
    )
    labels: LabelList = _LABELS
    values: Mapping[str, str | None] = _VALUES
    ignore: tuple[int, ...] = _IGNORE
    nodata: Nodata = parameter(
        default="ignore",
        help="What pixels of the ground truth's nodata value are: ignore, which leaves them out, "
        "or background. Those of a prediction are background.",
    )
    groundtruth_band: int | None = parameter(
        default=None,
        help="Band of the ground truths; the first is 1. Null is the only band besides alpha.",
        check=Within(1),
    )
    prediction_band: int | None = parameter(
        default=None,
        help="Band of the predictions; the first is 1. Null is the only band besides alpha.",
        check=Within(1),
    )
    georeference: Georeference = parameter(
        default="check",
        help="Whether two rasters must have the same coordinate system and lie in the same "
        "place: check, or ignore.",
    )
    label_key: str = _LABEL_KEY
    missing: Missing = _MISSING
    metadata: Path | None = _METADATA
    uid: str = _UID
    partition_images: int = _partition_images(4)


Overlap = Literal["error", "first", "last"]


@parameters
class CocoParameters:
    """Parameters of the reader of COCO's panoptic and stuff files."""

    groundtruths: Path = parameter(help="Data set in COCO's JSON: images, annotations, categories.")
    predictions: Path = parameter(
        help="Results in COCO's JSON: annotations with segments_info, or a list of segmentations."
    )
    groundtruth_images: Path | None = parameter(
        default=None,
        help="Folder of the PNG images of panoptic ground truths; the default is the folder "
        "called like the JSON without .json.",
    )
    prediction_images: Path | None = parameter(
        default=None, help="Folder of the PNG images of panoptic predictions, with such a default."
    )
    overlap: Overlap = parameter(
        default="error",
        help="Which of several labels has a pixel that segmentations share, in the order of the "
        "file: error, first, or last.",
    )
    label_key: str = _LABEL_KEY
    missing: Missing = parameter(
        default="error",
        help="What becomes of an image without a panoptic annotation on one side: error, or "
        "background. Without segmentations it is background, and the report warns of it unless "
        "that is what this says.",
    )
    partition_images: int = _partition_images()
