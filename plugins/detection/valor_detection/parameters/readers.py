"""Parameters of the readers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import Within, parameter, parameters
from valor_core.schemas import DEFAULT_KEY
from valor_detection.parameters.fields import Policy


def label_key_field() -> str:
    """The key of all labels."""
    key: str = parameter(default=DEFAULT_KEY, help="Key of all labels.")
    return key


def invalid_geometry_field(shapes: str) -> Policy:
    """What becomes of shapes that cannot be right."""
    policy: Policy = parameter(
        default="error",
        help=f"What becomes of {shapes} that cannot be right, such as empty ones or, where the "
        "image's size is known, those outside it: error, repair mends what can be mended, skip "
        "leaves them out, accept computes with them unless they are inverted or not finite.",
    )
    return policy


def partition_images_field() -> int:
    """How many images a worker reads at a time."""
    count: int = parameter(
        default=2000, help="Number of images in the parts that workers read.", check=Within(1)
    )
    return count


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
        default="bbox", help="What is compared: bbox is boxes, segm is masks."
    )
    label_key: str = label_key_field()
    invalid_geometry: Policy = parameter(
        default="accept",
        help="What becomes of boxes and masks that cannot be right: accept computes with them as "
        "pycocotools does, but refuses negative widths and heights; error refuses all of them, "
        "repair mends what can be mended, skip leaves them out.",
    )
    unknown: Unknown = parameter(
        default="error",
        help="What becomes of annotations of an image or category that the data set does not "
        "have: error, or skip, which counts them in the report.",
    )
    partition_images: int | None = parameter(
        default=None,
        help="Number of images in the parts that workers read, for files too large for one "
        "machine; null reads both files as a whole, which is faster where they fit.",
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
    label_key: str = label_key_field()
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
        help="Whether coordinates are numbers of pixels, the first of which is 1 and the last of "
        "which belongs to the box, as VOC has it; false is edges.",
    )
    difficult: Difficult = parameter(
        default="keep", help="What becomes of objects marked as difficult: keep, or skip."
    )
    label_key: str = label_key_field()
    invalid_geometry: Policy = invalid_geometry_field("boxes")
    partition_images: int = partition_images_field()


@parameters
class YoloParameters:
    """Parameters of the reader of YOLO's folders."""

    groundtruths: Path = parameter(
        help="Folder with a text file for each image: lines of class, x, y, width, height."
    )
    predictions: Path = parameter(
        help="Folder with a text file for each image: such lines with the confidence at their end."
    )
    names: Path = parameter(help="data.yaml, or a text file with the name of one class a line.")
    images: Path | None = parameter(
        default=None, help="Folder of the images, whose sizes are read from their first bytes."
    )
    sizes: Path | None = parameter(
        default=None, help="Table of uid, width and height, in place of the images."
    )
    label_key: str = label_key_field()
    invalid_geometry: Policy = invalid_geometry_field("boxes and polygons")
    partition_images: int = partition_images_field()
