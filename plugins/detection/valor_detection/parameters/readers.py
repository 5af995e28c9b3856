"""Parameters of the readers, except those of COCO and of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import parameter, parameters
from valor_detection.parameters.fields import (
    LABEL_KEY,
    PARTITION_IMAGES,
    Policy,
    invalid_geometry_field,
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


Difficult = Literal["keep", "ignore", "skip"]


@parameters
class VocParameters:
    """Parameters of the reader of Pascal VOC's files."""

    groundtruths: Path = parameter(help="Folder with an XML file for each image.")
    predictions: Path = parameter(
        help="Folder of results: a text file for each class with lines of image, score, xmin, "
        "ymin, xmax, ymax, or an XML file for each image whose objects have a score."
    )
    images: Path | None = parameter(
        default=None,
        help="Text file with the name of an image in each line, such as ImageSets/Main/test.txt; "
        "null is all images with an XML file.",
    )
    inclusive: bool = parameter(
        default=True,
        help="True if coordinates are pixel numbers from 1, with the last pixel inside the box, as "
        "in VOC; false if they are edges.",
    )
    difficult: Difficult = parameter(
        default="ignore",
        help="Policy for objects marked as difficult: ignore neither counts them nor the "
        "predictions that match them, as in VOC; keep counts them; skip excludes them, so that "
        "their predictions are false positives.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes")
    partition_images: int = PARTITION_IMAGES


@parameters
class DotaParameters:
    """Parameters of the reader of DOTA's text files."""

    groundtruths: Path = parameter(
        help="Folder with a text file for each image: lines of x1, y1, … x4, y4, category, "
        "difficult."
    )
    predictions: Path = parameter(
        help="Folder with a text file for each category, such as Task1_ship.txt: lines of image, "
        "score, x1, y1, … x4, y4."
    )
    difficult: Difficult = parameter(
        default="ignore",
        help="Policy for objects marked as difficult: ignore neither counts them nor the "
        "predictions that match them, as in DOTA; keep counts them; skip excludes them, so that "
        "their predictions are false positives.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("polygons")


@parameters
class KittiParameters:
    """Parameters of the reader of KITTI's text files."""

    groundtruths: Path = parameter(
        help="Folder with a text file for each image, such as label_2: lines of type, truncated, "
        "occluded, alpha, x1, y1, x2, y2, and seven numbers of the 3-D box."
    )
    predictions: Path = parameter(
        help="Folder with a text file for each image: the same lines followed by the score."
    )
    difficulty: Literal["easy", "moderate", "hard"] = parameter(
        default="moderate",
        help="Objects that count: easy are at least 40 pixels high, visible, and 15% truncated; "
        "moderate 25 pixels, partly occluded, and 30%; hard 25 pixels, largely occluded, and 50%. "
        "Others are ignored.",
    )
    images: Path | None = parameter(
        default=None,
        help="Text file with the name of an image in each line, such as val.txt; null is all "
        "images.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes")
    partition_images: int = PARTITION_IMAGES


@parameters
class YoloParameters:
    """Parameters of the reader of YOLO's folders."""

    groundtruths: tuple[Path, ...] = parameter(
        help="Folders with a text file for each image: lines of class, x, y, width, height; or "
        "lists of images.",
        non_empty=True,
        distinct=True,
    )
    predictions: Path = parameter(
        help="Folder of the same lines and the confidence; or predictions.json."
    )
    names: Path = parameter(help="data.yaml, or a text file with a class name per line.")
    images: tuple[Path, ...] = parameter(
        default=(),
        help="Folders of the images, or lists of them; sizes are read from headers.",
        distinct=True,
    )
    sizes: Path | None = parameter(
        default=None, help="Table of uid, width and height, instead of the images."
    )
    first_category: Literal[0, 1] | None = parameter(
        default=None,
        help="category_id of class 0; null infers it.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = invalid_geometry_field("boxes and polygons")
    partition_images: int = PARTITION_IMAGES
