"""Parameters of the readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters
from valor_core.schemas import DEFAULT_KEY
from valor_detection.parameters.fields import Policy

LABEL_KEY: Any = parameter(default=DEFAULT_KEY, help="Key of all labels.")
"""Field of the key of all labels."""


def invalid_geometry_field(shapes: str) -> Policy:
    """Field of the policy for invalid shapes."""
    policy: Policy = parameter(
        default="error",
        help=f"Policy for invalid {shapes}, such as empty ones or those outside an image of known "
        "size: error raises an error, repair fixes what it can and excludes the rest, skip "
        "excludes them, accept computes with them unless they are inverted or not finite.",
    )
    return policy


PARTITION_IMAGES: Any = parameter(
    default=2000, help="Number of images per partition.", check=Within(1)
)
"""Field of the number of images per partition."""


IouType = Literal["bbox", "segm"]


Unknown = Literal["error", "skip"]


@parameters
class CocoParameters:
    """Parameters of the reader of COCO files."""

    groundtruths: Path = parameter(help="Data set in COCO's JSON: images, annotations, categories.")
    predictions: Path = parameter(
        help="Results in COCO's JSON: a list, or a data set whose annotations have scores."
    )
    iou_type: IouType = parameter(
        default="bbox", help="Kind of shape to compare: bbox is boxes, segm is masks."
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = parameter(
        default="accept",
        help="Policy for invalid boxes and masks: accept computes with them as pycocotools does, "
        "but rejects negative widths and heights; error rejects all of them, repair fixes what it "
        "can and excludes the rest, skip excludes them.",
    )
    unknown: Unknown = parameter(
        default="error",
        help="Policy for annotations of an image or category that is not in the data set: error, "
        "or skip, which counts them in the report.",
    )
    partition_images: int | None = parameter(
        default=None,
        help="Number of images per partition, for files too large for memory; null reads both "
        "files at once, which is faster.",
        check=Within(1),
    )


@parameters
class GeojsonParameters:
    """Parameters of the reader of GeoJSON."""

    groundtruths: Path = parameter(help="FeatureCollection of true objects.")
    predictions: Path = parameter(help="FeatureCollection of predicted objects with scores.")
    image: str = parameter(default="image", help="Property that names the image.")
    label: str = parameter(default="label", help="Property of the label.")
    score: str = parameter(default="score", help="Property of the score.")
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("polygons")


Difficult = Literal["keep", "skip"]


@parameters
class VocParameters:
    """Parameters of the reader of Pascal VOC's files."""

    groundtruths: Path = parameter(help="Folder with an XML file for each image.")
    predictions: Path = parameter(
        help="Folder of results: a text file for each class with lines of image, score, xmin, "
        "ymin, xmax, ymax, or an XML file for each image whose objects have a score."
    )
    inclusive: bool = parameter(
        default=True,
        help="True if coordinates are pixel numbers from 1, with the last pixel inside the box, as "
        "in VOC; false if they are edges.",
    )
    difficult: Difficult = parameter(
        default="keep", help="Policy for objects marked as difficult: keep, or skip."
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes")
    partition_images: int = PARTITION_IMAGES


@parameters
class YoloParameters:
    """Parameters of the reader of YOLO's folders."""

    groundtruths: Path = parameter(
        help="Folder with a text file for each image: lines of class, x, y, width, height."
    )
    predictions: Path = parameter(
        help="Folder with a text file for each image: the same lines followed by the confidence."
    )
    names: Path = parameter(help="data.yaml, or a text file with one class name per line.")
    images: Path | None = parameter(
        default=None, help="Folder of the images; their sizes are read from the file headers."
    )
    sizes: Path | None = parameter(
        default=None, help="Table of uid, width and height, instead of the images."
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes and polygons")
    partition_images: int = PARTITION_IMAGES
