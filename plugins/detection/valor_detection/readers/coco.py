"""Reader of a COCO data set and results of a model on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Datums, Floats
from valor_core.schemas.detection import DetectionBatch, PredictedObjects, TrueObjects
from valor_core.schemas.detection.objects import scores_outside
from valor_core.schemas.geometry import Keypoints, Shapes
from valor_detection.coco_json import scan
from valor_detection.coco_json.categories import Categories
from valor_detection.coco_json.federated import are_federated, frequencies, searched_labels
from valor_detection.coco_json.findings import Findings
from valor_detection.coco_json.images import image_facts
from valor_detection.coco_json.numbers import DECODER
from valor_detection.coco_json.records import (
    AREA,
    BOX,
    CATEGORY,
    FIELD_NAMES,
    ID,
    IGNORE,
    IMAGE,
    KEYPOINTS,
    SCORE,
    SEGMENTATION,
    Annotations,
    AscendingIds,
    Document,
    Images,
    check_once,
)
from valor_detection.coco_json.text import Text
from valor_detection.kernels import matching as kernels
from valor_detection.kernels.segmentations import COMPRESSED, RUNS
from valor_detection.parameters.coco import CocoParameters
from valor_detection.readers.coco_parts import CocoFiles, CocoPart, parts
from valor_detection.readers.text_files import as_read_errors

if TYPE_CHECKING:
    from valor_detection.coco_json.images import ImageNames
    from valor_detection.coco_json.masks import Masks

_LONGEST = 1e150  # the area of boxes with shorter sides is finite

_BY_FILE_NAME = "predictions with the name of a file as image_id, matched by file_name"

_EXCLUDE = "exclude them: data.invalid_geometry: skip"
_NO_KEYPOINTS = (
    "Write all points of each object, with visibility 0 for unlabelled ones. Or compare boxes with "
    "data.iou_type: bbox"
)
_NO_AREA = "Write the area of each object: distances of keypoints are relative to its square root."
_GIVE_TO_ALL = f"The first result has one; give one to all, or none. Or {_EXCLUDE}"

Side = TypeVar("Side", TrueObjects, PredictedObjects)


@frozen(repr=False)
class CocoReader:
    """Reader of a COCO data set and results, with the conventions of pycocotools.

    Images are sorted by id; annotations of an image keep the order of the file.

    Parameters
    ----------
    parameters : CocoParameters
        Files, and the kind of shape to compare.
    task : str
        Always ``"detection"``.
    """

    parameters: CocoParameters
    task: str

    def partitions(self) -> Sequence[CocoFiles | CocoPart]:
        """Return one partition with both files, or ranges of images."""
        chosen = self.parameters
        files = CocoFiles(chosen.groundtruths, chosen.predictions)
        return parts(files, chosen.partition_images)

    def read(self, partition: CocoFiles | CocoPart) -> Iterator[DetectionBatch]:
        """Read the batch of a partition.

        Raises
        ------
        ReadError
            If a file is not COCO JSON, lacks a field, or has annotations of an image or category
            that is not in the data set, or a geometry is rejected.
        """
        try:
            batch = self._batch(partition)
        except ReadError:
            if isinstance(partition, CocoPart):
                self._batch(partition.files)  # raises the error with positions in the file
            raise
        yield batch

    def _batch(self, partition: CocoFiles | CocoPart) -> DetectionBatch:
        chosen = self.parameters
        with_masks = chosen.iou_type == "segm"
        left_out = Findings()
        with_points = chosen.iou_type == "keypoints"
        truths = scan(partition.truths_text(), masks=with_masks, keypoints=with_points)
        if isinstance(partition, CocoPart) and truths.images is not None:
            truths = evolve(truths, images=evolve(truths.images, fields=partition.fields))
        data = _DataSet.of(truths, chosen)
        rows: tuple[Codes | None, Codes | None] = (None, None)
        if isinstance(partition, CocoPart):
            rows = partition.truths.rows, partition.results.rows
        true = data.truths(truths, left_out.of_rows(rows[0]))
        del truths  # free memory before reading the results
        results = data.results(partition.results_text(), left_out, masks=with_masks)
        if not with_masks and results.has_only_masks:
            results = data.results(partition.results_text(), left_out, masks=True)
        check_results(results, self.parameters.predictions)
        predicted = data.predictions(results, left_out.of_rows(rows[1]))
        return data.batch(true, predicted, left_out)


@frozen(eq=False, repr=False)
class _DataSet:
    """Images and categories of a data set; converts annotations to columns."""

    chosen: CocoParameters
    datums: Datums
    facts: Mapping[str, Any]
    sizes: Codes
    categories: Categories
    images_by_id: AscendingIds
    categories_by_id: AscendingIds
    source: str
    federated: Images | None
    label_groups: tuple[str, ...] | None

    @classmethod
    def of(cls, truths: Document, chosen: CocoParameters) -> _DataSet:
        images = _images(truths)
        listed = DECODER.decode(truths.category_text.decode()) if truths.category_text else None
        categories = Categories.of(listed, truths.source, chosen.label_key)
        order = np.argsort(images.ids, kind="stable")
        ids = images.ids[order]
        facts = image_facts(truths, order)
        is_federated = are_federated(images, truths.source)
        return cls(
            chosen,
            Datums(ids, facts),
            facts,
            images.sizes[order],
            categories,
            AscendingIds.of(ids),
            AscendingIds.of(categories.ids),
            truths.source,
            images if is_federated else None,
            frequencies(truths, listed, categories.ids) if is_federated else None,
        )

    def truths(self, document: Document, left_out: Findings) -> TrueObjects:
        side = _Side(document, "groundtruths", self).sorted(left_out)
        return _under_policy(_true_objects(side), side, left_out)

    def results(self, text: Text, left_out: Findings, *, masks: bool) -> Document:
        """Scan results, which may have file names as image ids."""
        points = self.chosen.iou_type == "keypoints"
        try:
            found = scan(text, masks=masks, keypoints=points)
        except ReadError:
            from valor_detection.coco_json.images import named_results

            names = self._image_names()
            found, count = named_results(
                text, names, self.chosen.unknown == "skip", masks=masks, keypoints=points
            )
        else:
            ids = found.annotations.images
            if not len(ids) or (self.images_by_id.positions(ids) >= 0).any():
                return found
            from valor_detection.coco_json.images import numbered_results

            found, count = numbered_results(found, self._image_names())
        if count:
            left_out[_BY_FILE_NAME] = count
        return found

    def _image_names(self) -> ImageNames:
        from valor_detection.coco_json.images import ImageNames

        ids = self.datums.uids.tolist()
        names = self.facts["file_name"] if "file_name" in self.facts else [None] * len(ids)
        return ImageNames.of(self.source, ids, names)

    def predictions(self, document: Document, left_out: Findings) -> PredictedObjects:
        side = _Side(document, "predictions", self).sorted(left_out)
        if self.chosen.iou_type == "segm":
            left_out.update(side.boxes_alone)
        return _under_policy(_predicted_objects(side), side, left_out)

    def batch(
        self, true: TrueObjects, predicted: PredictedObjects, left_out: Findings
    ) -> DetectionBatch:
        columns = (
            self.datums,
            self.categories.labels,
            true,
            predicted,
            self.sizes if self.sizes.any() else None,
            self.categories.ids,
            left_out | scores_outside(predicted.scores),
            left_out.first,
        )
        if self.federated is None:
            return DetectionBatch(*columns)
        searched = searched_labels(
            self.federated,
            self.images_by_id,
            self.categories_by_id,
            (true.datums, true.labels, true.areas),
        )
        if self.label_groups is None:
            return DetectionBatch(*columns, searched)
        from valor_detection.matching.label_groups import GroupedBatch

        return GroupedBatch(*columns, searched, self.label_groups)


def check_results(results: Document, path: Path) -> None:
    """Raise a `ReadError` if results are an object without annotations.

    An empty list of annotations is valid.

    Parameters
    ----------
    results : Document
        Parsed file.
    path : Path
        Path of the file.
    """
    if not (results.is_list or results.has_annotations):
        raise ReadError(
            f"{results.source}: expected a list of results, or a table that has them under "
            f"'annotations', found a table with the keys {short_repr(_keys(path))}",
            "Write only the list of results into the file, or store it under the key annotations.",
        )


def _keys(path: Path) -> list[str]:
    """Return the top-level keys of a file."""
    import msgspec

    text = Text.read(path)
    content = text.cut(text.start, text.size)
    try:
        return list(msgspec.json.decode(content, type=dict[str, msgspec.Raw]))
    except msgspec.DecodeError:  # NaN, which the standard library accepts
        return list(DECODER.decode(content.decode()))


def _images(truths: Document) -> Images:
    if truths.images is None:
        found = "a list of results" if truths.is_list else "no list of images"
        raise ReadError(
            f"{truths.source}: expected a COCO data set with images, annotations and categories, "
            f"found {found}",
            "Set data.groundtruths to the data set and data.predictions to the results.",
        )
    images = truths.images
    nameless = np.flatnonzero(images.found & ID == 0)
    if len(nameless):
        raise ReadError(
            f"{truths.source}, images[{nameless[0]}]: expected an id, found none"
            f"{and_more(len(nameless) - 1)}"
        )
    check_once(images.ids, f"{truths.source}, images")
    negative = np.flatnonzero((images.sizes < 0).any(axis=1))
    if len(negative):
        height, width = images.sizes[negative[0]].tolist()
        raise ReadError(
            f"{truths.source}, images[{negative[0]}]: expected a height and width of 0 or more, "
            f"found {height} and {width}{and_more(len(negative) - 1)}"
        )
    return images


@frozen(eq=False, repr=False)
class _Side:
    """Annotations of one file on a data set."""

    document: Document
    side: str
    data: _DataSet

    @property
    def chosen(self) -> CocoParameters:
        """Parameters of the reader."""
        return self.data.chosen

    def sorted(self, left_out: Findings) -> _SortedSide:
        """Sort annotations by image; excludes unknown images and categories."""
        self.require(IMAGE)
        self.require(CATEGORY)
        annotations = self.document.annotations
        datums = self.data.images_by_id.positions(annotations.images)
        labels = self.data.categories_by_id.positions(annotations.categories)
        unknown = (datums < 0) | (labels < 0)
        if unknown.any():
            if self.chosen.unknown == "error":
                raise self._stranger(datums, labels)
            self._count_unknown(datums, labels, left_out)
        if self.chosen.invalid_geometry in ("repair", "skip"):
            unknown |= self._count_shapeless(left_out, ~unknown)
        rows = self._rows(datums, unknown)
        return _SortedSide(self, rows, _taken(datums, rows), _taken(labels, rows))

    def _count_unknown(self, datums: Codes, labels: Codes, left_out: Findings) -> None:
        ids = self.data.categories_by_id.ids
        range_ = f"{ids.min()} to {ids.max()}" if len(ids) else "none"
        where = self.document.list_name
        side = f"{self.side} left out"
        left_out.count(f"{side}: unknown image", datums < 0, where)
        is_stranger = (datums >= 0) & (labels < 0)
        left_out.count(f"{side}: category_id not in the data set, {range_}", is_stranger, where)

    def _count_shapeless(
        self, left_out: Findings, candidates: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Count candidates without the compared geometry."""
        is_true = self.side == TrueObjects.side
        with_masks = self.chosen.iou_type == "segm" if is_true else self.document.has_only_masks
        bit = SEGMENTATION if with_masks else BOX
        lacking: NDArray[np.bool_] = candidates & (self.document.annotations.found & bit == 0)
        what = f"{self.side} left out: no {FIELD_NAMES[bit]}"
        left_out.count(what, lacking, self.document.list_name)
        return lacking

    def _rows(self, datums: Codes, unknown: NDArray[np.bool_]) -> Codes | None:
        """Return rows sorted by image; None if they already are."""
        count = len(self.data.sizes)
        if unknown.any():
            order = kernels.grouped_order(np.where(unknown, count, datums), count + 1)
            return order[: len(order) - int(unknown.sum())]
        if bool((datums[1:] >= datums[:-1]).all()):
            return None
        return kernels.grouped_order(datums, count)

    def require(self, bit: int, remedy: str | None = None, rows: Codes | None = None) -> None:
        """Raise a `ReadError` if an annotation, or one of `rows`, lacks a field."""
        lacking = self.document.annotations.lacking(bit)
        if rows is not None and len(lacking):
            lacking = np.intersect1d(lacking, rows)
        if len(lacking):
            empty = " or an empty one" if bit & (BOX | SEGMENTATION | KEYPOINTS) else ""
            raise ReadError(
                f"{self.name(int(lacking[0]))}: expected a field {FIELD_NAMES[bit]!r}, found none"
                f"{empty}{and_more(len(lacking) - 1)}",
                remedy,
            )

    def name(self, row: int) -> str:
        """Return the name of an annotation for messages, with its id if it has one."""
        annotations = self.document.annotations
        has_id = annotations.found[row] & ID and not self.document.is_list
        suffix = f" (id {annotations.ids[row]})" if has_id else ""
        return f"{self.document.where(row)}{suffix}"

    def _stranger(self, datums: Codes, labels: Codes) -> ReadError:
        annotations = self.document.annotations
        what, ids, rows = "image", annotations.images, np.flatnonzero(datums < 0)
        if not len(rows):
            what, ids, rows = "category", annotations.categories, np.flatnonzero(labels < 0)
        expected = self.data.images_by_id if what == "image" else self.data.categories_by_id
        kinds = len(np.unique(ids[rows]))
        plural = "images" if what == "image" else "categories"
        ranges = ""
        is_truth = self.side == TrueObjects.side
        if expected.count and not is_truth:
            everything = np.unique(ids)
            ranges = (
                f"; ids are {_range(everything)} in {self.document.source}, "
                f"{_range(expected.ids)} in {self.data.source}"
            )
        return ReadError(
            f"{self.name(int(rows[0]))}: expected the {what} id of one of the "
            f"{expected.count:,} {plural} of {self.data.source}, found {ids[rows[0]]} "
            f"({len(rows):,} of {len(ids):,} annotations, {kinds:,} unknown "
            f"{what if kinds == 1 else plural}{ranges})",
            "Correct the data set, or set data.unknown: skip."
            if is_truth
            else _remedy(what, np.unique(ids), expected.ids),
        )


def _range(ids: Codes) -> str:
    """Format the lowest and highest id."""
    least, most = int(ids.min()), int(ids.max())
    return f"{least}" if least == most else f"{least} to {most}"


def _remedy(what: str, found: Codes, expected: Codes) -> str:
    """Return the remedy for unknown ids; detects ids counted from 0 instead of 1."""
    general = "Check that both files are of the same data set, or set data.unknown: skip."
    if what == "image" or not len(expected):
        return general
    first = int(expected.min())
    is_from_0 = int(found.min()) == 0 and first == 1 and int(found.max()) < int(expected.max())
    if is_from_0 and np.array_equal(expected, np.arange(1, len(expected) + 1)):
        return "Add 1 to each category_id of the results, which count from 0. " + general
    return "Write the data set's category ids into the results. " + general


def _taken(column: NDArray[Any], rows: Codes | None) -> NDArray[Any]:
    """Return rows of a column; without rows, the column itself."""
    return column if rows is None else column.take(rows, axis=0)


@frozen(eq=False, repr=False)
class _SortedSide:
    """Annotations of one file, sorted by image."""

    given: _Side
    rows: Codes | None
    datums: Codes
    labels: Codes

    def take(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the sorted rows of a column of the file."""
        return _taken(column, self.rows)

    @property
    def annotations(self) -> Annotations:
        """Annotations in the order of the file."""
        return self.given.document.annotations

    @property
    def boxes_alone(self) -> dict[str, int]:
        """Count annotations without a mask; their box is used instead."""
        count = int(np.count_nonzero(self.take(self.annotations.found) & SEGMENTATION == 0))
        what = f"{self.given.side} without a segmentation; their boxes are compared as masks"
        return {what: count} if count else {}

    @property
    def positions(self) -> Codes:
        """Position of each annotation within its image."""
        counts = np.bincount(self.datums, minlength=len(self.given.data.sizes))
        starts = np.cumsum(counts) - counts
        return np.arange(len(self.datums)) - np.repeat(starts, counts)

    def where(self, row: int) -> str:
        """Return the name of a row for messages."""
        return self.given.name(row if self.rows is None else int(self.rows[row]))

    def boxes(self) -> Floats:
        """Return the box of each row; rejects inverted boxes unless a policy handles them."""
        boxes = self.annotations.boxes
        self._check_extent(boxes)
        if self.given.chosen.invalid_geometry == "accept" and _sides(boxes)[0] < 0:
            bad = np.flatnonzero((boxes[:, 2:] < 0).any(axis=1))
            raise ReadError(
                f"{self.given.name(int(bad[0]))}, bbox: expected a width and a height of 0 or "
                f"more, found {boxes[bad[0]].tolist()}{and_more(len(bad) - 1)}",
                "COCO's boxes are [x, y, width, height], not [xmin, ymin, xmax, ymax]. To go on "
                "without these, set data.invalid_geometry: skip.",
            )
        return self.take(boxes)

    def _check_extent(self, boxes: Floats) -> None:
        """Raise a `ReadError` if the area of a box is not finite."""
        shortest, longest = _sides(boxes)
        if max(longest, -shortest) < _LONGEST:
            return
        with np.errstate(over="ignore"):
            bad = np.flatnonzero(~np.isfinite(boxes[:, 2] * boxes[:, 3]))
        if len(bad):
            raise ReadError(
                f"{self.given.name(int(bad[0]))}, bbox: expected a box with a finite area, found "
                f"{boxes[bad[0]].tolist()}{and_more(len(bad) - 1)}"
            )

    def keypoints(self) -> Keypoints | None:
        """Return the keypoints of each row, if requested."""
        if self.given.chosen.iou_type != "keypoints":
            return None
        from valor_detection.coco_json.keypoints import keypoints_of

        self.given.require(KEYPOINTS, _NO_KEYPOINTS, self.rows)
        return keypoints_of(self.given.document, self.rows, self.given.name)

    def masks(self, boxes: Floats | None = None) -> Masks:
        """Return the mask of each row, drawn as by pycocotools; boxes replace missing masks."""
        from valor_detection.coco_json.masks import Masks

        annotations = self.annotations
        assert annotations.masks is not None
        datums = self.given.data.images_by_id.positions(annotations.images)
        mask_sizes = np.maximum(annotations.masks.sizes, 1)  # for excluded rows of unknown images
        sizes = np.where(
            datums[:, None] < 0, mask_sizes, self.given.data.sizes[np.maximum(datums, 0)]
        )
        return Masks.of(annotations.masks, sizes, self.rows, self.given.name, boxes)


def _sides(boxes: Floats) -> tuple[float, float]:
    """Return the smallest and largest side; column by column, which is faster in NumPy."""
    columns = boxes[:, 2], boxes[:, 3]
    return (
        min(float(column.min(initial=0.0)) for column in columns),
        max(float(column.max(initial=0.0)) for column in columns),
    )


def _under_policy(objects: Side, side: _SortedSide, left_out: Findings) -> Side:
    """Return the objects accepted by the policy, with repaired shapes under ``repair``."""
    policy = side.given.chosen.invalid_geometry
    if policy == "accept":
        _count_outside(objects, side, left_out)
        return objects
    from valor_detection.geometry.validity import checked_shapes

    sizes = side.given.data.sizes[objects.datums]
    with as_read_errors():
        found = checked_shapes(objects.shapes, sizes, policy, objects.side, side.where)
    left_out.update(found.counts)
    kept = objects.take(found.kept, objects.datums[found.kept])
    areas = np.where(found.is_repaired, found.shapes.areas, kept.areas)
    return evolve(kept, shapes=found.shapes, areas=areas)


def _count_outside(
    objects: TrueObjects | PredictedObjects,
    side: _SortedSide,
    left_out: Findings,
) -> None:
    """Count objects with a box or polygon completely outside of the image."""
    if side.given.chosen.iou_type == "segm":
        from valor_detection.coco_json.masks import outline_boxes

        empty = np.flatnonzero(objects.shapes.areas == 0)
        if not len(empty) or side.annotations.masks is None:
            return
        rows = empty if side.rows is None else side.rows[empty]
        if objects.side == TrueObjects.side:
            kinds = side.annotations.masks.kinds[rows]
            what = f"{objects.side} with an empty mask (data.invalid_geometry: skip excludes them)"
            where = side.given.document.list_name
            left_out.add(what, rows[np.isin(kinds, (RUNS, COMPRESSED))], where)
        drawn = outline_boxes(side.annotations.masks, rows)
        boxes = side.annotations.boxes[rows]  # compared if there is no segmentation
        is_alone = side.annotations.found[rows] & SEGMENTATION == 0
        outside = _are_outside(
            np.where(is_alone[:, None], boxes, drawn), objects.datums[empty], side.given.data.sizes
        )
        strays = rows[outside]
    else:
        outside = _are_outside(objects.shapes.boxes, objects.datums, side.given.data.sizes)
        strays = np.flatnonzero(outside) if side.rows is None else side.rows[outside]
    if len(strays):
        what = f"{objects.side} outside of the image (data.invalid_geometry: skip excludes them)"
        left_out.add(what, strays, side.given.document.list_name)


def _are_outside(boxes: Floats, images: Codes, sizes: Codes) -> NDArray[np.bool_]:
    """Return which boxes are completely outside of their image; False without an image size."""
    has_size = (sizes[:, 0] > 0) & (sizes[:, 1] > 0)
    outside = np.zeros(len(boxes), np.bool_)
    for axis, most in enumerate((sizes[:, 1], sizes[:, 0])):
        starts = boxes[:, axis]
        outside |= starts >= np.where(has_size, most, np.inf)[images]
        if (starts < 0).any():
            is_low = (starts < 0) & (starts + boxes[:, axis + 2] <= 0)
            outside |= is_low & has_size[images]
    return outside


def _true_objects(side: _SortedSide) -> TrueObjects:
    annotations = side.annotations
    keypoints = side.keypoints()
    if keypoints is not None:
        side.given.require(
            AREA, "Write the area of each object: keypoints are compared by it.", side.rows
        )
    shapes = _true_shapes(side)
    areas = side.take(annotations.areas)
    unsized = side.take(annotations.found) & AREA == 0
    if unsized.any():
        areas = np.where(unsized, shapes.areas, areas)
    # pycocotools replaces the field `ignore` of COCO's files by `iscrowd`.
    flags = IGNORE if side.given.data.federated is not None else 0
    return TrueObjects(
        datums=side.datums,
        labels=side.labels,
        shapes=shapes,
        annotations=side.positions,
        uids=_uids(side),
        crowd=side.take(annotations.crowd).view(np.bool_),
        areas=areas,
        keypoints=keypoints,
        ignored=side.take(annotations.found) & flags > 0,
    )


def _true_shapes(side: _SortedSide) -> Shapes:
    if side.given.chosen.iou_type == "segm":
        side.given.require(
            SEGMENTATION,
            f"Compare boxes with data.iou_type: bbox, or {_EXCLUDE}",
            side.rows,
        )
        return side.masks().shapes
    side.given.require(BOX, f"To continue without them, {_EXCLUDE}", side.rows)
    return Shapes(side.boxes())


def _uids(side: _SortedSide) -> Codes | None:
    annotations, document = side.annotations, side.given.document
    nameless = annotations.lacking(ID)
    if len(nameless) == len(annotations):
        return None
    if len(nameless):
        raise ReadError(
            f"{document.where(int(nameless[0]))}: expected an id like other annotations, "
            f"found none{and_more(len(nameless) - 1)}"
        )
    check_once(annotations.ids, f"{document.source}, annotations")
    return side.take(annotations.ids)


def _predicted_objects(side: _SortedSide) -> PredictedObjects:
    """Build predictions with the areas of pycocotools' `loadRes`."""
    side.given.require(SCORE)
    keypoints = side.keypoints()
    shapes, areas = _predicted_shapes(side, keypoints)
    return PredictedObjects(
        datums=side.datums,
        labels=side.labels,
        shapes=shapes,
        annotations=side.positions,
        scores=side.take(side.annotations.scores),
        areas=areas,
        keypoints=keypoints,
    )


def _predicted_shapes(side: _SortedSide, keypoints: Keypoints | None) -> tuple[Shapes, Floats]:
    """Return shapes and areas; the first result decides if areas are of boxes or masks."""
    annotations = side.annotations
    if keypoints is not None and not (annotations.found[:1] & (BOX | SEGMENTATION)).any():
        from valor_detection.coco_json.keypoints import boxes_of_points

        boxes = boxes_of_points(keypoints)
        return Shapes(boxes), boxes[:, 2] * boxes[:, 3]
    if side.given.document.has_only_masks:
        side.given.require(SEGMENTATION, _GIVE_TO_ALL, side.rows)
        masks = side.masks()
        if side.given.chosen.iou_type == "segm":
            return masks.shapes, masks.areas
        has_box = side.take(annotations.found)[:, None] & BOX > 0
        return Shapes(np.where(has_box, side.boxes(), masks.boxes)), masks.areas
    first_has_box = bool((annotations.found[:1] & BOX).any())
    side.given.require(
        BOX,
        _GIVE_TO_ALL if first_has_box else "Give a bbox to all, or a segmentation.",
        side.rows,
    )
    boxes = side.boxes()
    areas = boxes[:, 2] * boxes[:, 3]
    return (
        (side.masks(annotations.boxes).shapes, areas)
        if side.given.chosen.iou_type == "segm"
        else (Shapes(boxes), areas)
    )
