"""Reader of COCO's files: a data set, and results of a model on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more, shown
from valor_core.schemas import Codes, Datums, Floats
from valor_core.schemas.detection import (
    DetectionBatch,
    PredictedObjects,
    TrueObjects,
    scores_outside,
)
from valor_core.schemas.geometry import Shapes
from valor_detection.coco_json.categories import Categories
from valor_detection.coco_json.findings import Findings, federated
from valor_detection.coco_json.images import image_facts
from valor_detection.coco_json.records import (
    AREA,
    BOX,
    CATEGORY,
    ID,
    IMAGE,
    SCORE,
    SEGMENTATION,
    Annotations,
    AscendingIds,
    Document,
    Images,
)
from valor_detection.coco_json.reference_scanner import DECODER
from valor_detection.coco_json.scanner import scan
from valor_detection.coco_json.text import Text
from valor_detection.kernels import grouping
from valor_detection.kernels.segmentations import COMPRESSED, RUNS
from valor_detection.parameters.readers import CocoParameters
from valor_detection.readers.coco_parts import CocoFiles, CocoPart, parts
from valor_detection.readers.text_files import as_read_errors

if TYPE_CHECKING:
    from valor_detection.coco_json.images import ImageNames
    from valor_detection.readers.coco_masks import Masks

_LONGEST = 1e150  # a box with shorter sides has an area that is a number

_BY_FILE_NAME = "predictions with the name of a file as image_id, matched by file_name"

_EXCLUDE = "exclude them: data.invalid_geometry: skip"
_GIVE_TO_ALL = f"The first result has one; give one to all, or none. Or {_EXCLUDE}"

Side = TypeVar("Side", TrueObjects, PredictedObjects)

_NAMES = {
    IMAGE: "image_id",
    CATEGORY: "category_id",
    BOX: "bbox",
    SCORE: "score",
    SEGMENTATION: "segmentation",
}


@frozen(repr=False)
class CocoReader:
    """Reads a data set in COCO's JSON and results on it, as pycocotools understands them.

    Images are in the order of their ids, annotations of an image in the order of the file.

    Parameters
    ----------
    parameters : CocoParameters
        Files, and what is compared.
    task : str
        Always ``"detection"``.
    """

    parameters: CocoParameters
    task: str

    def partitions(self) -> Sequence[CocoFiles | CocoPart]:
        """Both files as a whole, or some images each."""
        chosen = self.parameters
        files = CocoFiles(chosen.groundtruths, chosen.predictions)
        return parts(files, chosen.partition_images)

    def read(self, partition: CocoFiles | CocoPart) -> Iterator[DetectionBatch]:
        """The one batch.

        Raises
        ------
        ReadError
            If a file is no COCO, lacks a field, or has annotations of an image or category that
            the data set does not have, or a geometry is refused; names file and annotation.
        """
        try:
            batch = self._batch(partition)
        except ReadError:
            if isinstance(partition, CocoPart):
                self._batch(partition.files)  # which knows what it is called in the file
            raise
        yield batch

    def _batch(self, partition: CocoFiles | CocoPart) -> DetectionBatch:
        chosen = self.parameters
        with_masks = chosen.iou_type == "segm"
        left_out = Findings()
        truths = scan(partition.truths_text(), masks=with_masks)
        if isinstance(partition, CocoPart) and truths.images is not None:
            truths = evolve(truths, images=evolve(truths.images, fields=partition.fields))
        data = _DataSet.of(truths, chosen)
        left_out.update(federated(truths))
        rows: tuple[Codes | None, Codes | None] = (None, None)
        if isinstance(partition, CocoPart):
            rows = partition.truths.rows, partition.results.rows
        true = data.truths(truths, left_out.of_rows(rows[0]))
        del truths  # before the results take as much memory
        results = data.results(partition.results_text(), left_out, masks=with_masks)
        if not with_masks and results.has_only_masks:
            results = data.results(partition.results_text(), left_out, masks=True)
        check_results(results, self.parameters.predictions)
        predicted = data.predictions(results, left_out.of_rows(rows[1]))
        return data.batch(true, predicted, left_out)


@frozen(eq=False, repr=False)
class _DataSet:
    """Images and categories, and what becomes of annotations in them."""

    chosen: CocoParameters
    datums: Datums
    facts: Mapping[str, Any]
    sizes: Codes
    categories: Categories
    numberings: _Numberings

    @classmethod
    def of(cls, truths: Document, chosen: CocoParameters) -> _DataSet:
        images = _images(truths)
        categories = Categories.of(truths.category_text, truths.source, chosen.label_key)
        order = np.argsort(images.ids, kind="stable")
        ids = images.ids[order]
        known = AscendingIds.of(ids), AscendingIds.of(categories.ids)
        facts = image_facts(truths, order)
        return cls(
            chosen,
            Datums(ids, facts),
            facts,
            images.sizes[order],
            categories,
            _Numberings(*known, truths.source),
        )

    def truths(self, document: Document, left_out: Findings) -> TrueObjects:
        side = self._side(document, "groundtruths").sorted(self.chosen, left_out)
        return _under_policy(_true_objects(side, self.chosen), side, self.chosen, left_out)

    def results(self, text: Text, left_out: Findings, *, masks: bool) -> Document:
        """The results, whose images may be called by the names of their files."""
        try:
            found = scan(text, masks=masks)
        except ReadError:
            from valor_detection.coco_json.images import named_results

            names = self._image_names()
            found, count = named_results(text, names, self.chosen.unknown == "skip", masks=masks)
        else:
            ids = found.annotations.images
            if not len(ids) or (self.numberings.images.positions(ids) >= 0).any():
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
        return ImageNames.of(self.numberings.source, ids, names)

    def predictions(self, document: Document, left_out: Findings) -> PredictedObjects:
        side = self._side(document, "predictions").sorted(self.chosen, left_out)
        if self.chosen.iou_type == "segm":
            left_out.update(side.boxes_alone)
        return _under_policy(_predicted_objects(side, self.chosen), side, self.chosen, left_out)

    def _side(self, document: Document, side: str) -> _Side:
        return _Side(document, side, self.numberings, self.sizes)

    def batch(
        self, true: TrueObjects, predicted: PredictedObjects, left_out: Findings
    ) -> DetectionBatch:
        return DetectionBatch(
            self.datums,
            self.categories.labels,
            true,
            predicted,
            self.sizes if self.sizes.any() else None,
            self.categories.ids,
            left_out | scores_outside(predicted.scores),
            left_out.first,
        )


def check_results(results: Document, path: Path) -> None:
    """Raise a `ReadError` if results are a table without annotations, which is some other file.

    An empty list of annotations is a result: nothing was found.

    Parameters
    ----------
    results : Document
        What a file holds.
    path : Path
        The file.
    """
    if not (results.is_list or results.has_annotations):
        raise ReadError(
            f"{results.source}: expected a list of results, or a table that has them under "
            f"'annotations', found a table with the keys {shown(_keys(path))}",
            "Write the list of results alone into the file, or under the key annotations.",
        )


def _keys(path: Path) -> list[str]:
    """Keys of the table that a file holds."""
    import msgspec

    text = Text.read(path)
    content = text.cut(text.start, text.size)
    try:
        return list(msgspec.json.decode(content, type=dict[str, msgspec.Raw]))
    except msgspec.DecodeError:  # NaN, which the standard library reads
        return list(DECODER.decode(content.decode()))


def _images(truths: Document) -> Images:
    if truths.images is None:
        found = "a list of results" if truths.is_list else "no list of images"
        raise ReadError(
            f"{truths.source}: expected a COCO data set with images, annotations and categories, "
            f"found {found}",
            "Name the data set under data.groundtruths, and the results under data.predictions.",
        )
    images = truths.images
    nameless = np.flatnonzero(images.found & ID == 0)
    if len(nameless):
        raise ReadError(
            f"{truths.source}, images[{nameless[0]}]: expected an id, found none"
            f"{and_more(len(nameless) - 1)}"
        )
    _check_once(images.ids, f"{truths.source}, images", "id")
    negative = np.flatnonzero((images.sizes < 0).any(axis=1))
    if len(negative):
        height, width = images.sizes[negative[0]].tolist()
        raise ReadError(
            f"{truths.source}, images[{negative[0]}]: expected a height and width of 0 or more, "
            f"found {height} and {width}{and_more(len(negative) - 1)}"
        )
    return images


def _check_once(ids: Codes, place: str, what: str) -> None:
    ordered = ids if bool((ids[1:] > ids[:-1]).all()) else np.sort(ids)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        first, second = np.flatnonzero(ids == twice[0])[:2].tolist()
        more = len(np.unique(twice)) - 1
        raise ReadError(
            f"{place}[{second}]: expected every {what} once, found {what} {twice[0]} as in "
            f"[{first}]{and_more(more)}"
        )


@frozen(repr=False)
class _Numberings:
    """Positions of the data set's images and categories."""

    images: AscendingIds
    categories: AscendingIds
    source: str


@frozen(eq=False, repr=False)
class _Side:
    """Annotations of one file, with what is known of images and categories."""

    document: Document
    side: str
    numberings: _Numberings
    sizes: Codes

    def sorted(self, chosen: CocoParameters, left_out: Findings) -> _SortedSide:
        """The annotations by image, those of unknown images and categories left out."""
        self.require(IMAGE)
        self.require(CATEGORY)
        own = self.document.annotations
        datums = self.numberings.images.positions(own.images)
        labels = self.numberings.categories.positions(own.categories)
        unknown = (datums < 0) | (labels < 0)
        if unknown.any():
            if chosen.unknown == "error":
                raise self._stranger(datums, labels)
            self._count_unknown(datums, labels, left_out)
        if chosen.invalid_geometry in ("repair", "skip"):
            unknown |= self._count_shapeless(chosen, left_out, ~unknown)
        rows = self._rows(datums, unknown)
        taken = _taken if rows is None else partial(np.take, indices=rows, axis=0)
        return _SortedSide(self, rows, taken, taken(datums), taken(labels))

    def _count_unknown(self, datums: Codes, labels: Codes, left_out: Findings) -> None:
        ids = self.numberings.categories.ids
        range_ = f"{ids.min()} to {ids.max()}" if len(ids) else "none"
        place = self.document.list_name
        side = f"{self.side} left out"
        left_out.count(f"{side}: unknown image", datums < 0, place)
        is_stranger = (datums >= 0) & (labels < 0)
        left_out.count(f"{side}: category_id not in the data set, {range_}", is_stranger, place)

    def _count_shapeless(
        self, chosen: CocoParameters, left_out: Findings, candidates: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Count the candidates that lack the geometry that is compared."""
        is_true = self.side == TrueObjects.side
        with_masks = chosen.iou_type == "segm" if is_true else self.document.has_only_masks
        bit = SEGMENTATION if with_masks else BOX
        lacking: NDArray[np.bool_] = candidates & (self.document.annotations.found & bit == 0)
        what = f"{self.side} left out: no {_NAMES[bit]}"
        left_out.count(what, lacking, self.document.list_name)
        return lacking

    def _rows(self, datums: Codes, unknown: NDArray[np.bool_]) -> Codes | None:
        """Rows by image; None where that is how they stand."""
        count = len(self.sizes)
        if unknown.any():
            order = grouping.grouped_order(np.where(unknown, count, datums), count + 1)
            return order[: len(order) - int(unknown.sum())]
        if bool((datums[1:] >= datums[:-1]).all()):
            return None
        return grouping.grouped_order(datums, count)

    def require(self, bit: int, remedy: str | None = None, rows: Codes | None = None) -> None:
        """Raise a `ReadError` that names the first annotation, of all or some, without a field."""
        lacking = self.document.annotations.lacking(bit)
        if rows is not None and len(lacking):
            lacking = np.intersect1d(lacking, rows)
        if len(lacking):
            empty = " or an empty one" if bit & (BOX | SEGMENTATION) else ""
            raise ReadError(
                f"{self.name(int(lacking[0]))}: expected a field {_NAMES[bit]!r}, found none"
                f"{empty}{and_more(len(lacking) - 1)}",
                remedy,
            )

    def name(self, row: int) -> str:
        """How a message calls an annotation, with its id if it has one."""
        own = self.document.annotations
        has_id = own.found[row] & ID and not self.document.is_list
        return f"{self.document.where(row)}{f' (id {own.ids[row]})' if has_id else ''}"

    def _stranger(self, datums: Codes, labels: Codes) -> ReadError:
        own = self.document.annotations
        what, ids, rows = "image", own.images, np.flatnonzero(datums < 0)
        if not len(rows):
            what, ids, rows = "category", own.categories, np.flatnonzero(labels < 0)
        known = self.numberings.images if what == "image" else self.numberings.categories
        strange = np.unique(ids[rows])
        kinds = len(strange)
        plural = "images" if what == "image" else "categories"
        ranges = ""
        is_truth = self.side == TrueObjects.side
        if known.count and not is_truth:
            everything = np.unique(ids)
            ranges = (
                f"; ids are {_range(everything)} in {self.document.source}, "
                f"{_range(known.ids)} in {self.numberings.source}"
            )
        return ReadError(
            f"{self.name(int(rows[0]))}: expected the {what} id of one of the "
            f"{known.count:,} {plural} of {self.numberings.source}, found {ids[rows[0]]} "
            f"({len(rows):,} of {len(ids):,} annotations, {kinds:,} unknown "
            f"{what if kinds == 1 else plural}{ranges})",
            "Correct the data set, or set data.unknown: skip."
            if is_truth
            else _remedy(what, np.unique(ids), known.ids),
        )


def _range(ids: Codes) -> str:
    """The least and the greatest of some ids."""
    least, most = int(ids.min()), int(ids.max())
    return f"{least}" if least == most else f"{least} to {most}"


def _remedy(what: str, found: Codes, known: Codes) -> str:
    """The remedy for unknown ids; ids that may be counted from another number are named."""
    general = "Check that both files are of the same data set, or set data.unknown: skip."
    if what == "image" or not len(known):
        return general
    first = int(known.min())
    is_from_0 = int(found.min()) == 0 and first == 1 and int(found.max()) < int(known.max())
    if is_from_0 and np.array_equal(known, np.arange(1, len(known) + 1)):
        return "Add 1 to each category_id of the results, which count from 0. " + general
    return "Write the data set's category ids into the results. " + general


def _taken(column: NDArray[Any]) -> NDArray[Any]:
    return column


@frozen(eq=False, repr=False)
class _SortedSide:
    """Annotations of one file by image."""

    given: _Side
    rows: Codes | None
    take: Callable[[NDArray[Any]], NDArray[Any]]
    datums: Codes
    labels: Codes

    @property
    def annotations(self) -> Annotations:
        """The annotations as the file has them."""
        return self.given.document.annotations

    @property
    def boxes_alone(self) -> dict[str, int]:
        """How many annotations have no mask, so that their box is taken for one."""
        count = int(np.count_nonzero(self.take(self.annotations.found) & SEGMENTATION == 0))
        what = f"{self.given.side} without a segmentation; their boxes are compared as masks"
        return {what: count} if count else {}

    @property
    def positions(self) -> Codes:
        """Position of each annotation among those of its image."""
        counts = np.bincount(self.datums, minlength=len(self.given.sizes))
        starts = np.cumsum(counts) - counts
        return np.arange(len(self.datums)) - np.repeat(starts, counts)

    def place(self, row: int) -> str:
        """How a message calls a row."""
        return self.given.name(row if self.rows is None else int(self.rows[row]))

    def boxes(self, chosen: CocoParameters) -> Floats:
        """Edge and size of each row; an inverted box is an error unless a policy sees to it."""
        boxes = self.annotations.boxes
        self._check_extent(boxes)
        if chosen.invalid_geometry == "accept" and _sides(boxes)[0] < 0:
            bad = np.flatnonzero((boxes[:, 2:] < 0).any(axis=1))
            raise ReadError(
                f"{self.given.name(int(bad[0]))}, bbox: expected a width and a height of 0 or "
                f"more, found {boxes[bad[0]].tolist()}{and_more(len(bad) - 1)}",
                "COCO's boxes are [x, y, width, height], not [xmin, ymin, xmax, ymax]. To go on "
                "without these, set data.invalid_geometry: skip.",
            )
        return self.take(boxes)

    def _check_extent(self, boxes: Floats) -> None:
        """Raise a `ReadError` that names the first box whose area is too large for a number."""
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

    def masks(self, boxes: Floats | None = None) -> Masks:
        """Masks of each row, drawn as pycocotools does; boxes where there is no segmentation."""
        from valor_detection.readers.coco_masks import Masks

        own = self.annotations
        assert own.masks is not None
        datums = self.given.numberings.images.positions(own.images)
        own_sizes = np.maximum(own.masks.sizes, 1)  # of images that are unknown and left out
        sizes = np.where(datums[:, None] < 0, own_sizes, self.given.sizes[np.maximum(datums, 0)])
        return Masks.of(own.masks, sizes, self.rows, self.given.name, boxes)


def _sides(boxes: Floats) -> tuple[float, float]:
    """The least width or height and the greatest; column by column, as NumPy likes it."""
    columns = boxes[:, 2], boxes[:, 3]
    return (
        min(float(column.min(initial=0.0)) for column in columns),
        max(float(column.max(initial=0.0)) for column in columns),
    )


def _under_policy(
    objects: Side, side: _SortedSide, chosen: CocoParameters, left_out: Findings
) -> Side:
    """The objects whose geometry the policy lets through, repaired where that is asked for."""
    if chosen.invalid_geometry == "accept":
        _count_outside(objects, side, chosen, left_out)
        return objects
    from valor_detection.geometry.validity import checked_shapes

    sizes = side.given.sizes[objects.datums]
    with as_read_errors():
        found = checked_shapes(
            objects.shapes, sizes, chosen.invalid_geometry, objects.side, side.place
        )
    left_out.update(found.counts)
    kept = objects.take(found.kept, objects.datums[found.kept])
    areas = np.where(found.is_repaired, found.shapes.areas, kept.areas)
    return evolve(kept, shapes=found.shapes, areas=areas)


def _count_outside(
    objects: TrueObjects | PredictedObjects,
    side: _SortedSide,
    chosen: CocoParameters,
    left_out: Findings,
) -> None:
    """Count the objects whose box or polygon is wholly outside of its image."""
    if chosen.iou_type == "segm":
        from valor_detection.readers.coco_masks import outline_boxes

        empty = np.flatnonzero(objects.shapes.areas == 0)
        if not len(empty) or side.annotations.masks is None:
            return
        rows = empty if side.rows is None else side.rows[empty]
        if objects.side == TrueObjects.side:
            kinds = side.annotations.masks.kinds[rows]
            what = f"{objects.side} with an empty mask (data.invalid_geometry: skip excludes them)"
            place = side.given.document.list_name
            left_out.add(what, rows[np.isin(kinds, (RUNS, COMPRESSED))], place)
        drawn = outline_boxes(side.annotations.masks, rows)
        own = side.annotations.boxes[rows]  # compared where there is no segmentation
        is_alone = side.annotations.found[rows] & SEGMENTATION == 0
        outside = _are_outside(
            np.where(is_alone[:, None], own, drawn), objects.datums[empty], side.given.sizes
        )
        strays = rows[outside]
    else:
        outside = _are_outside(objects.shapes.boxes, objects.datums, side.given.sizes)
        strays = np.flatnonzero(outside) if side.rows is None else side.rows[outside]
    if len(strays):
        what = f"{objects.side} outside of the image (data.invalid_geometry: skip excludes them)"
        left_out.add(what, strays, side.given.document.list_name)


def _are_outside(boxes: Floats, images: Codes, sizes: Codes) -> NDArray[np.bool_]:
    """Which boxes are wholly outside of their image; none of an image without a size."""
    has_size = (sizes[:, 0] > 0) & (sizes[:, 1] > 0)
    outside = np.zeros(len(boxes), np.bool_)
    for axis, most in enumerate((sizes[:, 1], sizes[:, 0])):
        starts = boxes[:, axis]
        outside |= starts >= np.where(has_size, most, np.inf)[images]
        if (starts < 0).any():
            is_low = (starts < 0) & (starts + boxes[:, axis + 2] <= 0)
            outside |= is_low & has_size[images]
    return outside


def _true_objects(side: _SortedSide, chosen: CocoParameters) -> TrueObjects:
    own = side.annotations
    shapes = _true_shapes(side, chosen)
    areas = side.take(own.areas)
    unsized = side.take(own.found) & AREA == 0
    if unsized.any():
        areas = np.where(unsized, shapes.areas, areas)
    return TrueObjects(
        datums=side.datums,
        labels=side.labels,
        shapes=shapes,
        annotations=side.positions,
        uids=_uids(side),
        crowd=side.take(own.crowd).view(np.bool_),
        areas=areas,
    )


def _true_shapes(side: _SortedSide, chosen: CocoParameters) -> Shapes:
    if chosen.iou_type == "segm":
        side.given.require(
            SEGMENTATION,
            f"Compare boxes with data.iou_type: bbox, or {_EXCLUDE}",
            side.rows,
        )
        return side.masks().shapes
    side.given.require(BOX, f"To continue without them, {_EXCLUDE}", side.rows)
    return Shapes(side.boxes(chosen))


def _uids(side: _SortedSide) -> Codes | None:
    own, document = side.annotations, side.given.document
    nameless = own.lacking(ID)
    if len(nameless) == len(own):
        return None
    if len(nameless):
        raise ReadError(
            f"{document.where(int(nameless[0]))}: expected an id as other annotations have it, "
            f"found none{and_more(len(nameless) - 1)}"
        )
    _check_once(own.ids, f"{document.source}, annotations", "id")
    return side.take(own.ids)


def _predicted_objects(side: _SortedSide, chosen: CocoParameters) -> PredictedObjects:
    """Predictions with the areas that pycocotools' `loadRes` gives them."""
    side.given.require(SCORE)
    shapes, areas = _predicted_shapes(side, chosen)
    return PredictedObjects(
        datums=side.datums,
        labels=side.labels,
        shapes=shapes,
        annotations=side.positions,
        scores=side.take(side.annotations.scores),
        areas=areas,
    )


def _predicted_shapes(side: _SortedSide, chosen: CocoParameters) -> tuple[Shapes, Floats]:
    """Shapes and areas; the first result says whether these are those of boxes or of masks."""
    own = side.annotations
    if side.given.document.has_only_masks:
        side.given.require(SEGMENTATION, _GIVE_TO_ALL, side.rows)
        masks = side.masks()
        if chosen.iou_type == "segm":
            return masks.shapes, masks.areas
        has_box = side.take(own.found)[:, None] & BOX > 0
        return Shapes(np.where(has_box, side.boxes(chosen), masks.boxes)), masks.areas
    first_has_box = bool((own.found[:1] & BOX).any())
    side.given.require(
        BOX,
        _GIVE_TO_ALL if first_has_box else "Give a bbox to all, or a segmentation.",
        side.rows,
    )
    boxes = side.boxes(chosen)
    areas = boxes[:, 2] * boxes[:, 3]
    return (
        (Shapes(boxes), areas)
        if chosen.iou_type == "bbox"
        else (side.masks(own.boxes).shapes, areas)
    )
