"""Data set with the interface of pycocotools."""
# ruff: noqa: N802, N803 - the names are those of pycocotools

from __future__ import annotations

import copy
import json
import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from valor_files import checked_size

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Shapes
from valor_core.schemas.geometry.run_lengths import compressed, decoded
from valor_detection.coco.index import Index
from valor_detection.coco_json import scan
from valor_detection.coco_json.in_memory import document_of, images_of
from valor_detection.coco_json.keypoints import boxes_of_points, keypoints_of
from valor_detection.coco_json.masks import Masks
from valor_detection.coco_json.numbers import DECODER
from valor_detection.coco_json.records import (
    AREA,
    BOX,
    CATEGORY,
    FIELD_NAMES,
    IMAGE,
    KEYPOINTS,
    SCORE,
    SEGMENTATION,
    Annotations,
    AscendingIds,
    Document,
    Images,
)
from valor_detection.coco_json.text import Text
from valor_detection.readers.coco import check_results


def geometry(
    document: Document,
    rows: Codes,
    sizes: Callable[[], Codes],
    iou_type: str,
    *,
    is_results: bool,
) -> tuple[Shapes, Floats]:
    """Return shapes and areas of annotations.

    Parameters
    ----------
    document : Document
        Annotations, with segmentations if masks are compared.
    rows : ndarray of int64
        Selected rows in order.
    sizes : callable
        Returns height and width of the image of each annotation of the document.
    iou_type : {"bbox", "segm", "keypoints"}
        Kind of objects to compare: boxes, masks or keypoints, whose shapes are boxes.
    is_results : bool
        If True, compute areas as ``loadRes`` does: from the boxes if the first result has one.
        A data set has an area for each annotation.

    Raises
    ------
    ReadError
        If an annotation has no geometry to compare, or a geometry that cannot be rasterized.
    """
    annotations = document.annotations
    take = partial(np.take, indices=rows, axis=0)
    boxes = take(annotations.boxes)
    if iou_type == "keypoints":
        _require(document, KEYPOINTS)
        iou_type = "bbox"
    if is_results and document.has_only_keypoints:
        boxes = boxes_of_points(keypoints_of(document, rows, document.where))
        return Shapes(boxes), boxes[:, 2] * boxes[:, 3]
    only_masks = is_results and document.has_only_masks
    if iou_type == "segm" or only_masks:
        may_be_box = is_results and not only_masks
        _require(document, BOX if may_be_box else SEGMENTATION)
        assert annotations.masks is not None
        given = annotations.boxes if may_be_box else None
        masks = Masks.of(annotations.masks, sizes(), rows, document.where, given)
        areas, shapes = masks.areas, masks.shapes
    if iou_type == "bbox" and only_masks:
        has_box = take(annotations.found)[:, None] & BOX > 0
        shapes = Shapes(np.where(has_box, boxes, masks.boxes))
    elif iou_type == "bbox":
        _require(document, BOX)
        shapes = Shapes(boxes)
    if is_results:
        return shapes, areas if only_masks else boxes[:, 2] * boxes[:, 3]
    has_area = take(annotations.found) & AREA > 0
    if has_area.all():
        return shapes, take(annotations.areas)
    return shapes, np.where(has_area, take(annotations.areas), shapes.areas)


def _require(document: Document, bit: int) -> None:
    lacking = document.annotations.lacking(bit)
    if len(lacking):
        raise ReadError(
            f"{document.where(int(lacking[0]))}: expected a field {FIELD_NAMES[bit]!r}, found none"
            f"{and_more(len(lacking) - 1)}"
        )


Record = dict[str, Any]

T = TypeVar("T")

_MOST_ID = 2.0**63


class COCO:
    """Data set, or results of a model on one.

    Objects of images, categories and annotations are created lazily. Changes to them afterwards
    affect evaluations.

    Parameters
    ----------
    annotation_file : path, optional
        File of the data set. Without it, set `dataset` and call `createIndex`.

    Raises
    ------
    ReadError
        If there is no such file, or, once it is read, if it is not a COCO data set.

    Examples
    --------
    >>> coco = COCO()
    >>> coco.dataset = {
    ...     "images": [{"id": 1, "height": 4, "width": 4}],
    ...     "categories": [{"id": 2, "name": "dog"}],
    ...     "annotations": [
    ...         {"id": 3, "image_id": 1, "category_id": 2, "bbox": [0, 0, 2, 2], "area": 4}
    ...     ],
    ... }
    >>> coco.createIndex()
    >>> coco.getAnnIds(imgIds=[1]), coco.loadCats(2)[0]["name"]
    ([3], 'dog')
    """

    def __init__(self, annotation_file: str | os.PathLike[str] | None = None) -> None:
        self._path = None if annotation_file is None else _existing(annotation_file)
        self._given: Sequence[Record] | NDArray[Any] | None = None
        self._parent: COCO | None = None
        self._dataset: Record | None = {} if annotation_file is None else None
        self._document: Document | None = None
        self._has_masks = self._has_keypoints = False
        self._made: dict[str, Any] = {}

    @classmethod
    def of(cls, other: Any) -> COCO:
        """Wrap a data set of pycocotools; a `COCO` is returned unchanged.

        Parameters
        ----------
        other : object
            Object with an attribute `dataset`.
        """
        if isinstance(other, COCO):
            return other
        wrapped = cls()
        wrapped.dataset = other.dataset
        return wrapped

    def __getattr__(self, name: str) -> Any:
        """Raise an error that suggests a replacement for unsupported names of pycocotools."""
        remedies = {
            "showAnns": "Draw images with: valor run … --gallery DIR",
            "download": "Download images with another program; Valor opens no connection.",
        }
        if name in remedies:
            raise AttributeError(f"COCO.{name} is not supported\n{remedies[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def dataset(self) -> Record:
        """The data set as Python objects."""
        if self._dataset is None:
            self._dataset = self._objects()
            self._document = None
        return self._dataset

    @dataset.setter
    def dataset(self, value: Record) -> None:
        self._path = self._given = self._document = None
        self._dataset = value
        self._made.clear()

    def createIndex(self) -> None:
        """Clear cached indexes after a change of `dataset`."""
        if self._dataset is not None:
            self._made.clear()

    @property
    def anns(self) -> dict[Any, Record]:
        """Annotations by id."""
        return self._cached("anns", lambda: _by_id(self.dataset.get("annotations", [])))

    @property
    def imgs(self) -> dict[Any, Record]:
        """Images by id."""
        return self._cached("imgs", lambda: _by_id(self._listed("images")))

    @property
    def cats(self) -> dict[Any, Record]:
        """Categories by id."""
        return self._cached("cats", lambda: _by_id(self._listed("categories")))

    @property
    def imgToAnns(self) -> dict[Any, list[Record]]:
        """Annotations of each image."""
        return self._cached("imgToAnns", lambda: self._grouped("image_id", lambda ann: ann))

    @property
    def catToImgs(self) -> dict[Any, list[Any]]:
        """Image of each annotation of a category."""
        return self._cached(
            "catToImgs", lambda: self._grouped("category_id", lambda ann: ann["image_id"])
        )

    def info(self) -> None:
        """Print the ``info`` of the data set."""
        for key, value in self.dataset.get("info", {}).items():
            print(f"{key}: {value}")

    def getAnnIds(
        self,
        imgIds: Any = (),
        catIds: Any = (),
        areaRng: Sequence[float] = (),
        iscrowd: bool | None = None,
    ) -> list[int]:
        """Return ids of annotations; an empty filter selects all.

        Parameters
        ----------
        imgIds, catIds : int or sequence of int
            Images and categories.
        areaRng : (float, float)
            Exclusive bounds of the area, in square pixels.
        iscrowd : bool, optional
            Crowd flag.
        """
        index: Index = self._cached("index", self._indexed)
        return index.select(_listed(imgIds), _listed(catIds), areaRng, iscrowd)

    def getCatIds(self, catNms: Any = (), supNms: Any = (), catIds: Any = ()) -> list[Any]:
        """Return ids of categories; an empty filter selects all.

        Parameters
        ----------
        catNms, supNms : str or sequence of str
            Names, and names of supercategories.
        catIds : int or sequence of int
            Ids.

        Raises
        ------
        ReadError
            If the data set has no list of categories.
        """
        self._check_categories()
        filters = {"name": _names(catNms), "supercategory": _names(supNms), "id": _listed(catIds)}
        return [
            category["id"]
            for category in self._listed("categories")
            if all(not len(allowed) or category[key] in allowed for key, allowed in filters.items())
        ]

    def getImgIds(self, imgIds: Any = (), catIds: Any = ()) -> list[Any]:
        """Return ids of images with annotations of all given categories.

        Parameters
        ----------
        imgIds, catIds : int or sequence of int
            Images and categories.
        """
        images, categories = _listed(imgIds), _listed(catIds)
        if not len(images) and not len(categories):
            return self._image_ids()
        wanted = [set(images)] if len(images) else []
        annotations = self.columns().annotations
        wanted += [
            set(annotations.images[annotations.categories == number].tolist())
            for number in categories
        ]
        return list(set.intersection(*wanted))

    def loadAnns(self, ids: Any = ()) -> list[Record]:
        """Return annotations by id."""
        return [self.anns[number] for number in _listed(ids)]

    def loadCats(self, ids: Any = ()) -> list[Record]:
        """Return categories by id."""
        return [self.cats[number] for number in _listed(ids)]

    def loadImgs(self, ids: Any = ()) -> list[Record]:
        """Return images by id."""
        return [self.imgs[number] for number in _listed(ids)]

    def loadRes(self, resFile: Any) -> COCO:
        """Load results of a model on this data set.

        Parameters
        ----------
        resFile : path, sequence of mapping, or ndarray of shape (n, 7)
            File of results, list of results, or array with rows of image id, x, y, width, height,
            score and category id.

        Returns
        -------
        COCO
            Results with the areas and ids that pycocotools assigns.

        Raises
        ------
        ReadError
            If there is no such file, or results refer to images that the data set does not
            contain. Results from a file are checked when the file is read.
        """
        results = COCO()
        results._dataset, results._parent = None, self
        if isinstance(resFile, (str, os.PathLike)):
            results._path = _existing(resFile)
            return results
        if isinstance(resFile, np.ndarray):
            if resFile.ndim != 2 or resFile.shape[1] != 7:
                raise ReadError(f"results: expected rows of 7 numbers, got {short_repr(resFile)}")
            results._given = resFile
        elif isinstance(resFile, Sequence):
            results._given = resFile
        else:
            raise ReadError(
                f"results: expected a path, a list or an array, got {short_repr(resFile)}"
            )
        _check_results(results.columns(), self)
        return results

    def loadNumpyAnnotations(self, data: NDArray[Any]) -> list[Record]:
        """Convert rows of image id, x, y, width, height, score and category id to results."""
        return [
            {"image_id": int(row[0]), "bbox": row[1:5], "score": row[5], "category_id": int(row[6])}
            for row in data.tolist()
        ]

    def annToRLE(self, ann: Mapping[str, Any]) -> Record:
        """Return compressed run lengths of an annotation's segmentation."""
        segmentation = ann["segmentation"]
        if isinstance(segmentation, Mapping) and isinstance(segmentation["counts"], (str, bytes)):
            return dict(segmentation)
        mask = self._mask(ann)
        return {
            "size": mask.lengths.sizes[0].tolist(),
            "counts": compressed(mask.lengths.runs).encode(),
        }

    def annToMask(self, ann: Mapping[str, Any]) -> NDArray[np.uint8]:
        """Return the pixels of an annotation's segmentation, shape (height, width)."""
        mask = self._mask(ann)
        height, width = mask.lengths.sizes[0].tolist()
        return decoded(mask.lengths.runs, height, width).astype(np.uint8)

    # ---- columns for evaluations

    @property
    def is_results(self) -> bool:
        """True if areas are computed as by ``loadRes``."""
        return self._parent is not None and self._dataset is None

    def columns(self, *, masks: bool = False, keypoints: bool = False) -> Document:
        """Return the annotations as columns.

        Parameters
        ----------
        masks : bool
            If True, read segmentations.
        keypoints : bool
            If True, read keypoints.
        """
        if self._dataset is not None:
            records = self._dataset.get("annotations", [])
            return document_of(records, "dataset", is_list=False, masks=masks, keypoints=keypoints)
        lacks = (masks and not self._has_masks) or (keypoints and not self._has_keypoints)
        if self._document is None or lacks:
            self._document = self._read(masks=masks, keypoints=keypoints)
            self._has_masks, self._has_keypoints = masks, keypoints
        return self._document

    def images(self) -> Images:
        """Return ids and sizes of the images."""
        if self._parent is not None and self._dataset is None:
            return self._parent.images()
        if self._dataset is not None:
            return images_of(self._dataset.get("images", []), "dataset")
        return self.columns().images or images_of([], "")

    def ids(self, document: Document) -> Codes:
        """Return ids of the annotations; results are numbered from 1, as by ``loadRes``."""
        annotations = document.annotations
        return np.arange(1, len(annotations) + 1) if self.is_results else annotations.ids

    def sizes(self, document: Document) -> Codes:
        """Return height and width of each annotation's image; 0 if unknown."""
        images = self.images()
        order = np.argsort(images.ids, kind="stable")
        rows = AscendingIds.of(images.ids[order]).positions(document.annotations.images)
        return np.append(images.sizes[order], [[0, 0]], axis=0)[rows]

    def _read(self, *, masks: bool, keypoints: bool) -> Document:
        if isinstance(self._given, np.ndarray):
            return Document("results", _of_rows(self._given))
        document = self._scanned(masks, keypoints)
        if self._parent is None:
            return _data_set(document)
        needs_masks = masks or document.has_only_masks
        needs_points = keypoints or document.has_only_keypoints
        if (needs_masks, needs_points) != (masks, keypoints):
            document = self._scanned(needs_masks, needs_points)
        if self._path is not None:
            check_results(document, self._path)
            _check_results(document, self._parent)
        return document

    def _scanned(self, masks: bool, keypoints: bool) -> Document:
        if self._path is not None:
            return scan(Text.read(self._path), masks=masks, keypoints=keypoints)
        given: Any = [] if self._given is None else self._given
        return document_of(given, "results", is_list=True, masks=masks, keypoints=keypoints)

    def _measured(self, document: Document) -> tuple[Shapes, Floats]:
        """Compute boxes and areas of results as ``loadRes`` does."""
        rows = np.arange(len(document.annotations))
        return geometry(document, rows, lambda: self.sizes(document), "bbox", is_results=True)

    def _indexed(self) -> Index:
        document = self.columns()
        is_given = not self.is_results
        areas = document.annotations.areas if is_given else self._measured(document)[1]
        return Index.of(document, self.ids(document), areas)

    def _mask(self, ann: Mapping[str, Any]) -> Masks:
        image = self.imgs[ann["image_id"]]
        document = document_of([ann], "annotation", is_list=False, masks=True)
        size = np.array([[image["height"], image["width"]]], np.int64)
        masks = document.annotations.masks
        assert masks is not None
        return Masks.of(masks, size, None, document.where)

    # ---- objects, created lazily

    def _cached(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._made:
            self._made[name] = make()
        found: T = self._made[name]
        return found

    def _grouped(self, key: str, value: Any) -> dict[Any, list[Any]]:
        groups: dict[Any, list[Any]] = defaultdict(list)
        for annotation in self.dataset.get("annotations", []):
            groups[annotation[key]].append(value(annotation))
        return groups

    def _image_ids(self) -> list[Any]:
        if self._dataset is not None:
            return list(self.imgs)
        ids: list[int] = self.images().ids.tolist()
        return ids

    def _listed(self, name: str) -> list[Record]:
        """Return images or categories without creating objects of annotations."""
        if self._dataset is not None:
            records: list[Record] = self._dataset.get(name, [])
            return records
        if self._parent is not None:
            return self._parent._listed(name)
        return self._cached(f"list of {name}", lambda: self._decoded(name))

    def _check_categories(self) -> None:
        """Raise a `ReadError` unless the data set has a list of categories."""
        if self._dataset is None and self._parent is not None:
            self._parent._check_categories()
            return
        if self._dataset is None:
            is_listed = bool(self.columns().category_text)
        else:
            is_listed = "categories" in self._dataset
        if not is_listed:
            raise ReadError(
                f"{self._path or 'dataset'}, categories: expected a list, found none",
                "Add the categories; each has an id and a name.",
            )

    def _decoded(self, name: str) -> list[Record]:
        document = self.columns()
        text = document.image_text if name == "images" else document.category_text
        return _json(text, f"{document.source}, {name}") if text else []

    def _objects(self) -> Record:
        if self._parent is None:
            assert self._path is not None
            dataset: Record = _parsed(self._path)
            for name in ("images", "categories"):
                if f"list of {name}" in self._made:
                    dataset[name] = self._made[f"list of {name}"]
            return dataset
        parent = self._parent
        return {
            "info": copy.deepcopy(parent.dataset.get("info", {})),
            "images": list(parent._listed("images")),
            "categories": copy.deepcopy(parent._listed("categories")),
            "annotations": self._completed(),
        }

    def _completed(self) -> list[Record]:
        """Return the results with the fields that ``loadRes`` adds."""
        document = self.columns()
        shapes, areas = self._measured(document)
        with_boxes = not (document.has_only_masks or document.has_only_keypoints)
        records = []
        columns = zip(self._results(), areas.tolist(), shapes.boxes.tolist(), strict=True)
        for number, (result, area, box) in enumerate(columns, start=1):
            record = {**result, "area": area, "id": number, "iscrowd": 0}
            record.setdefault("bbox", box)
            if with_boxes and "segmentation" not in record:
                record["segmentation"] = [_corners(record["bbox"])]
            records.append(record)
        return records

    def _results(self) -> Iterable[Record]:
        if self._path is not None:
            found = _parsed(self._path)
            results: list[Record] = found["annotations"] if isinstance(found, dict) else found
            return results
        if isinstance(self._given, np.ndarray):
            return self.loadNumpyAnnotations(self._given)
        return self._given or []


def _existing(path: str | os.PathLike[str]) -> Path:
    checked_size(Path(path))  # raises if there is no such file
    return Path(path)


def _data_set(document: Document) -> Document:
    if document.is_list:
        raise ReadError(
            f"{document.source}: expected a COCO data set with images, annotations and "
            "categories, found a list of results",
            "Give the data set to COCO, and the results to its loadRes.",
        )
    return document


def _check_results(document: Document, parent: COCO) -> None:
    """Raise a `ReadError` if results refer to images outside the data set."""
    for bit in (IMAGE, CATEGORY, SCORE):
        _require(document, bit)
    annotations = document.annotations
    images = parent.images().ids
    unknown = np.flatnonzero(AscendingIds.of(np.sort(images)).positions(annotations.images) < 0)
    if len(unknown):
        raise ReadError(
            f"{document.where(int(unknown[0]))}: expected the image id of one of the "
            f"{len(images):,} images of the data set, found {annotations.images[unknown[0]]} "
            f"({len(unknown):,} of {len(annotations):,} results)",
            "Check that both are of the same data set.",
        )


def _of_rows(rows: NDArray[Any]) -> Annotations:
    found = np.full(len(rows), IMAGE | CATEGORY | BOX | SCORE, np.uint16)
    numbers = rows.astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
        raise ReadError(f"results[{row}]: expected finite numbers, found {numbers[row].tolist()}")
    large = np.flatnonzero((np.abs(numbers[:, [0, 6]]) >= _MOST_ID).any(axis=1))
    if len(large):
        raise ReadError(
            f"results[{large[0]}]: expected an image and a category id of 64 bits, "
            f"found {numbers[large[0]].tolist()}"
        )
    zeros = np.zeros(len(rows))
    return Annotations(
        found,
        np.arange(1, len(rows) + 1),
        rows[:, 0].astype(np.int64),
        rows[:, 6].astype(np.int64),
        np.ascontiguousarray(numbers[:, 1:5]),
        zeros,
        np.ascontiguousarray(numbers[:, 5]),
        np.zeros(len(rows), np.uint8),
    )


def _parsed(path: Path) -> Any:
    """Parse a JSON file."""
    text = Text.read(path)
    return _json(text.view[text.start :], str(path))


def _json(text: bytes | memoryview, source: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:  # NaN, which the standard library accepts
        try:
            return DECODER.decode(bytes(text).decode())
        except json.JSONDecodeError as error:
            raise ReadError(f"{source}: expected JSON, {error}") from error


def _by_id(records: Iterable[Record]) -> dict[Any, Record]:
    return {record["id"]: record for record in records}


def _listed(values: Any) -> Sequence[Hashable]:
    """Convert values to a list; a single value becomes a list of one."""
    is_many = hasattr(values, "__iter__") and hasattr(values, "__len__")
    return list(values) if is_many else [values]


def _names(values: Any) -> Sequence[Hashable]:
    return [values] if isinstance(values, str) else _listed(values)


def _corners(box: Sequence[float]) -> list[float]:
    left, top, right, bottom = box[0], box[1], box[0] + box[2], box[1] + box[3]
    return [left, top, left, bottom, right, bottom, right, top]
