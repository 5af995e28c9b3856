"""Reader of COCO's panoptic and stuff files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from valor_detection.coco_json import coco_masks

from valor_core.errors import ReadError, and_more
from valor_core.readers import Partition
from valor_core.schemas import FileRow, Label, Uid
from valor_core.schemas.segmentation import LabelImage, Legend, SegmentationBatch
from valor_segmentation.parameters.readers import CocoParameters
from valor_segmentation.readers.documents import Annotation, Document, Record
from valor_segmentation.readers.file_pairs import (
    Item,
    batch_of,
    batched,
    check_partners,
    check_shapes,
)
from valor_segmentation.readers.panoptic import code_of, image_path, panoptic_map

Size = tuple[int, int]

_ABSENT = (
    "segments of {file} without pixels in the PNG images, counted as missed like in panopticapi: "
    "delete them from segments_info, or draw them"
)


@frozen
class CocoImage:
    """Annotations of one image on both sides.

    Parameters
    ----------
    uid : int
        Its id.
    record : mapping
        Its fields.
    groundtruth, prediction : tuple of Annotation
        Annotations of each side.
    """

    uid: int
    record: Record
    groundtruth: tuple[Annotation, ...]
    prediction: tuple[Annotation, ...]

    @property
    def size(self) -> Size | None:
        """Height and width, if the data set has them."""
        height, width = (int(self.record.get(side) or 0) for side in ("height", "width"))
        return (height, width) if min(height, width) > 0 else None

    @property
    def facts(self) -> dict[str, Any]:
        """Its fields that have plain values, as metadata."""
        plain = (str, int, float, bool)
        return {n: v for n, v in self.record.items() if n != "id" and isinstance(v, plain)}


@frozen
class CocoPart(Partition):
    """Partition of images with their annotations.

    Parameters
    ----------
    images : tuple of CocoImage
        The images.
    labels : tuple of Label
        The vocabulary.
    codes : dict of int to int
        Label codes of the categories.
    stuff : frozenset of Label
        Labels of categories that are not things.
    folders : (Path or None, Path or None)
        Folder of the PNG images of each side, if it is panoptic.
    files : (Path, Path)
        The two JSON files.
    """

    images: tuple[CocoImage, ...]
    labels: tuple[Label, ...]
    codes: dict[int, int]
    stuff: frozenset[Label]
    folders: tuple[Path | None, Path | None]
    files: tuple[Path, Path]

    @property
    def name(self) -> str:
        """First and last image."""
        return f"images {self.images[0].uid} to {self.images[-1].uid}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of the partition: the JSON, and PNG images if there are any."""
        sides = zip(self.folders, ("groundtruth", "prediction"), strict=True)
        images = [
            image_path(one, folder)
            for folder, side in sides
            if folder is not None
            for image in self.images
            for one in getattr(image, side)
        ]
        return (*self.files, *images)


@frozen
class Painter:
    """Paints the annotations of one image over each other.

    Parameters
    ----------
    labels : tuple of Label
        The vocabulary.
    codes : mapping of int to int
        Label codes of the categories.
    overlap : {"error", "first", "last"}
        Which of several labels has a pixel.
    """

    labels: tuple[Label, ...]
    codes: Mapping[int, int]
    overlap: str

    def painted(self, annotations: Sequence[Annotation], size: Size | None) -> LabelImage:
        """The label image of some annotations.

        Parameters
        ----------
        annotations : sequence of Annotation
            At least one.
        size : (int, int), optional
            Height and width of the image, where they are known.

        Raises
        ------
        ReadError
            If a segmentation is none, has another size, or shares pixels with one of another
            label; names the annotation.
        """
        dtype = np.min_scalar_type(len(self.labels))
        # An empty list of polygons has no pixels.
        drawn = [one for one in annotations if one.record.get("segmentation") != []]
        if not drawn and size is not None:
            return LabelImage(np.zeros(size, dtype), Legend.of_labels(len(self.labels)))
        drawn = drawn or list(annotations)
        records = [one.record for one in drawn]
        masks = coco_masks(records, size, lambda row: drawn[row].where)
        image = np.zeros(masks.sizes[0], dtype)
        for row, one in enumerate(drawn):
            value = 1 + code_of(one.integer("category_id"), self.codes, one.where)
            self._paint(image, value, masks.at(row).array, one.where)
        return LabelImage(image, Legend.of_labels(len(self.labels)))

    def _paint(self, image: NDArray[Any], value: int, mask: NDArray[np.bool_], where: str) -> None:
        shared = mask & (image != 0) & (image != value)
        if self.overlap == "error" and shared.any():
            other = self.labels[int(image[shared][0]) - 1]
            raise ReadError(
                f"{where}, segmentation: expected one label per pixel, {int(shared.sum()):,} "
                f"are in '{other}' and in '{self.labels[value - 1]}'",
                "Set data.overlap to first or last to give them to one of the two.",
            )
        image[mask & ~shared if self.overlap == "first" else mask] = value


@frozen
class CocoReader:
    """Reader of COCO's panoptic files or segmentations; each side is of either kind.

    Images are in the order of their ids.

    Parameters
    ----------
    parameters : CocoParameters
        Files and folders.
    task : str
        Always ``"segmentation"``.
    """

    parameters: CocoParameters
    task: str

    def partitions(self) -> Sequence[CocoPart]:
        """Return partitions of images with their annotations, so that the JSON is read once."""
        chosen = self.parameters
        true, predicted = Document.read(chosen.groundtruths), Document.read(chosen.predictions)
        labels = true.labels(chosen.label_key)
        folders = (
            _folder(true, chosen.groundtruth_images),
            _folder(predicted, chosen.prediction_images),
        )
        codes = {category: code for code, category in enumerate(labels)}
        files = (chosen.groundtruths, chosen.predictions)
        stuff = frozenset(labels[category] for category in true.stuff())
        images = self._images(true, predicted)
        whole = CocoPart(images, tuple(labels.values()), codes, stuff, folders, files)
        starts = range(0, len(whole.images), chosen.partition_images)
        step = chosen.partition_images
        return [evolve(whole, images=whole.images[start : start + step]) for start in starts]

    def read(self, partition: CocoPart) -> Iterator[SegmentationBatch]:
        """Yield batches of a limited number of pixels."""
        painter = Painter(partition.labels, partition.codes, self.parameters.overlap)
        facts = {image.uid: image.facts for image in partition.images}
        absent: dict[Uid, tuple[int, FileRow]] = {}
        sides = (_item(image, partition, painter, absent) for image in partition.images)
        for items in batched(sides):
            batch = batch_of(items, partition.labels, [facts[int(item[0])] for item in items])
            left_out = (
                {}
                if self.parameters.missing == "background"
                else _without_annotation(items, partition)
            )
            first: dict[str, FileRow] = {}
            found = [absent[item[0]] for item in items if item[0] in absent]
            if found:
                what = _ABSENT.format(file=partition.files[0])
                left_out[what] = sum(count for count, _ in found)
                first[what] = min(row for _, row in found)
            yield evolve(batch, stuff=partition.stuff, left_out=left_out, first_left_out=first)

    def _images(self, true: Document, predicted: Document) -> tuple[CocoImage, ...]:
        records = true.images()
        if not records:
            raise ReadError(f"{true.path}, images: expected at least one image, found none")
        sides = true.by_image(), predicted.by_image()
        for document, side, what in zip(
            (true, predicted), sides, ("ground truth", "prediction"), strict=True
        ):
            _check_known(document, side, records, true.path)
            if document.is_panoptic and self.parameters.missing == "error":
                apart = None
                if side.keys().isdisjoint(records):
                    apart = "See that both files are of the same data set, and whole."
                check_partners(records, side, document.path, what, apart)
        return tuple(
            CocoImage(uid, record, sides[0].get(uid, ()), sides[1].get(uid, ()))
            for uid, record in records.items()
        )


def _folder(document: Document, given: Path | None) -> Path | None:
    """Return the folder of the images of a panoptic side."""
    if not document.is_panoptic:
        return None
    folder = given or document.path.with_suffix("")
    if not folder.is_dir():
        raise ReadError(
            f"{folder}: expected the folder of the PNG images of {document.path}, found no folder",
            "Set data.groundtruth_images and data.prediction_images.",
        )
    return folder


def _check_known(
    document: Document,
    side: dict[int, tuple[Annotation, ...]],
    images: dict[int, Record],
    source: Path,
) -> None:
    strange = [uid for uid in side if uid not in images]
    if strange:
        raise ReadError(
            f"{side[strange[0]][0].where}, image_id: expected the id of one of the "
            f"{len(images):,} images of {source}, found {strange[0]}{and_more(len(strange) - 1)}",
            "See that both files are of the same data set.",
        )
    several = [records for records in side.values() if len(records) > 1]
    if document.is_panoptic and several:
        raise ReadError(
            f"{several[0][1].where}: expected one annotation for each image, found a second one "
            f"of image {several[0][1].integer('image_id')}"
        )


def _without_annotation(items: Sequence[Item], part: CocoPart) -> dict[str, int]:
    """Return warnings of images without annotations, on sides where these may be empty."""
    counts = {
        f"images without an annotation in {file}, which are all background": sum(
            item[side] is None for item in items
        )
        for side, file in enumerate(part.files, 1)
        if part.folders[side - 1] is None
    }
    return {what: count for what, count in counts.items() if count}


def _item(
    image: CocoImage, part: CocoPart, painter: Painter, absent: dict[Uid, tuple[int, FileRow]]
) -> Item:
    """Make an image, and add its true segments without pixels to `absent`."""
    true, count = _map(image, image.groundtruth, part, painter, is_true=True)
    predicted, _ = _map(image, image.prediction, part, painter, is_true=False)
    if count:
        absent[image.uid] = count, image.groundtruth[0].row
    true_name, seen_name = (f"{file}, image {image.uid}" for file in part.files)
    check_shapes(true_name, seen_name, true, predicted)
    return image.uid, true, predicted


def _map(
    image: CocoImage,
    annotations: tuple[Annotation, ...],
    part: CocoPart,
    painter: Painter,
    *,
    is_true: bool,
) -> tuple[LabelImage | None, int]:
    """Label image of one side, and its number of segments without pixels."""
    folder = part.folders[0 if is_true else 1]
    if not annotations:
        return None, 0
    if folder is None:
        return painter.painted(annotations, image.size), 0
    found, absent = panoptic_map(annotations[0], folder, part.codes, is_true=is_true)
    if image.size is not None and found.pixels.shape != image.size:
        expected, size = (" by ".join(map(str, one)) for one in (image.size, found.pixels.shape))
        raise ReadError(
            f"{image_path(annotations[0], folder)}: expected {expected} pixels (rows by columns) "
            f"like image {image.uid} of {part.files[0]}, found {size}"
        )
    return found, absent
