"""Reader of YOLO's folders: a text file of labels for each image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from attrs import frozen

from valor_core.plugin import ReadError, shown
from valor_core.schemas.columns import Codes, Floats
from valor_core.schemas.datum import Datums
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.detection.objects import PredictedObjects, TrueObjects
from valor_core.schemas.geometry import Polygon
from valor_core.schemas.geometry.policy import CheckedShapes, Policy, checked_shapes
from valor_core.schemas.geometry.shapes import BOX, POLYGON, Rings, Shapes
from valor_core.schemas.label import Label
from valor_detection.parameters.readers.yolo import YoloParameters
from valor_detection.readers.class_names import class_names
from valor_detection.readers.folders import ImageFiles, check_some, image_files
from valor_detection.readers.images import ImageTable, files_of, image_size, images_of
from valor_detection.readers.refusals import as_read_errors
from valor_detection.readers.text import number_of, text_of

_MOST = 1.01  # shares of the image: what is above is not due to rounding


@frozen
class YoloReader:
    """Reads lines of class, x, y, width and height in shares of the image, or of a polygon.

    Lines of predictions end in the confidence.

    Parameters
    ----------
    parameters : YoloParameters
        Folders, names of classes, and where sizes of images are found.
    task : str
        Always ``"detection"``.
    """

    parameters: YoloParameters
    task: str

    def __attrs_post_init__(self) -> None:
        if (self.parameters.images is None) == (self.parameters.sizes is None):
            raise ReadError(
                "data: expected either the folder of the images or a table of their sizes, since "
                "YOLO's boxes are shares of them",
                "Set data.images or data.sizes.",
            )

    def partitions(self) -> Sequence[ImageFiles]:
        """Some images each."""
        chosen = self.parameters
        parts = image_files(
            self._labels(chosen.groundtruths),
            self._labels(chosen.predictions),
            images_of(chosen.images) if chosen.images is not None else {},
            chosen.partition_images,
        )
        check_some(parts, chosen.groundtruths, ".txt")
        return parts

    def read(self, partition: ImageFiles) -> Iterator[DetectionBatch]:
        """The batch of one part.

        Raises
        ------
        ReadError
            If a file cannot be read, a line is no box or polygon in shares of the image, its class
            has no name, an image has no size, or a geometry is refused; names file and line.
        MissingExtraError
            If polygons are to be checked and shapely is not installed.
        """
        names = class_names(self.parameters.names)
        numbers = {number: code for code, number in enumerate(names)}
        sizes = self._sizes(partition)
        reading = partial(_Lines.read, sizes=sizes, numbers=numbers)
        turned = self.parameters.invalid_geometry in ("repair", "skip")
        true = reading(partition.groundtruths, with_score=False, may_be_inverted=turned)
        seen = reading(partition.predictions, with_score=True, may_be_inverted=turned)
        policy = self.parameters.invalid_geometry
        true_found = true.checked(sizes, policy, "groundtruths")
        found = seen.checked(sizes, policy, "predictions")
        kept = true_found.kept, found.kept
        yield DetectionBatch(
            Datums(list(partition.uids)),
            tuple(Label(self.parameters.label_key, name) for name in names.values()),
            TrueObjects(
                datums=true.images[kept[0]],
                labels=true.labels[kept[0]],
                shapes=true_found.shapes,
                annotations=true.positions[kept[0]],
                crowd=np.zeros(len(kept[0]), bool),
                areas=true_found.shapes.areas,
            ),
            PredictedObjects(
                datums=seen.images[kept[1]],
                labels=seen.labels[kept[1]],
                shapes=found.shapes,
                annotations=seen.positions[kept[1]],
                scores=seen.scores[kept[1]],
                areas=found.shapes.areas,
            ),
            sizes,
            np.array(list(names), np.int64),
            {**true_found.counts, **found.counts},
        )

    def _labels(self, folder: Path) -> dict[str, Path]:
        """Files of labels; the names of classes often stand beside them."""
        files = files_of(folder, [".txt"])
        return {uid: path for uid, path in files.items() if path != self.parameters.names}

    def _sizes(self, partition: ImageFiles) -> Codes:
        chosen = self.parameters
        if chosen.sizes is not None:
            return ImageTable.read(chosen.sizes, "uid").sizes_of(partition.uids, chosen.sizes)
        files = zip(partition.uids, partition.images, strict=True)
        missing = [uid for uid, image in files if image is None]
        if missing:
            raise ReadError(
                f"{chosen.images}: expected an image for every file of labels, found none of "
                f"{missing[0]!r}"
            )
        return np.array([image_size(image) for image in partition.images if image], np.int64)


@frozen(eq=False)
class _Lines:
    """Lines of several files."""

    images: Codes
    labels: Codes
    scores: Floats
    boxes: Floats
    polygons: list[Polygon | None]
    places: list[str]

    @classmethod
    def read(
        cls,
        paths: Sequence[Path | None],
        sizes: Codes,
        numbers: dict[int, int],
        *,
        with_score: bool,
        may_be_inverted: bool,
    ) -> _Lines:
        images, labels, scores, boxes, places = [], [], [], [], []
        polygons: list[Polygon | None] = []
        for position, path in enumerate(paths):
            if path is None:
                continue
            height, width = sizes[position].tolist()
            for place, values in _numbers(path):
                number, coordinates, score = _parted(place, values, with_score)
                if number not in numbers:
                    raise ReadError(
                        f"{place}: expected one of the {len(numbers)} classes that have a name, "
                        f"found {number}",
                        "Add its name under data.names.",
                    )
                images.append(position)
                labels.append(numbers[number])
                scores.append(score)
                _check_shares(place, coordinates, may_be_inverted)
                places.append(place)
                box, polygon = _geometry(coordinates, width, height)
                boxes.append(box)
                polygons.append(polygon)
        return cls(
            np.array(images, np.int64),
            np.array(labels, np.int64),
            np.array(scores, np.float64),
            np.array(boxes, np.float64).reshape(-1, 4),
            polygons,
            places,
        )

    @property
    def positions(self) -> Codes:
        """Position of each line among those of its image."""
        return np.arange(len(self.images)) - np.searchsorted(self.images, self.images)

    def checked(self, sizes: Codes, policy: Policy, side: str) -> CheckedShapes:
        """The shapes that the policy lets through."""
        own = sizes[self.images]
        with as_read_errors():
            return checked_shapes(self.shapes(), own, policy, side, self.places.__getitem__)

    def shapes(self) -> Shapes:
        if not any(self.polygons):
            return Shapes(self.boxes)
        kinds = [BOX if polygon is None else POLYGON for polygon in self.polygons]
        rings = Rings.of([() if polygon is None else (polygon,) for polygon in self.polygons])
        return Shapes(self.boxes, np.array(kinds), rings)


def _numbers(path: Path) -> Iterator[tuple[str, list[float]]]:
    """Numbers of each line, and how a message calls the line."""
    for count, line in enumerate(text_of(path).splitlines(), start=1):
        place = f"{path}, line {count}"
        try:
            values = [number_of(word) for word in line.split()]
        except ValueError as error:
            raise ReadError(f"{place}: expected numbers, found {shown(line)}") from error
        if not all(map(np.isfinite, values)):
            raise ReadError(f"{place}: expected finite numbers, found {shown(line)}")
        if values:
            yield place, values


def _parted(place: str, values: list[float], with_score: bool) -> tuple[int, list[float], float]:
    """Class, coordinates and confidence of a line."""
    if not values[0].is_integer():
        raise ReadError(
            f"{place}: expected the number of a class first, a whole number, found {values[0]:g}"
        )
    count = len(values) - 1 - with_score
    if count < 4 or count % 2:
        what = " and confidence" if with_score else ""
        remedy = None
        if with_score and len(values) == 5:
            remedy = "Write the predictions with their confidences (save_conf=True)."
        raise ReadError(
            f"{place}: expected class, x, y, width, height{what}, or the points of a polygon in "
            f"place of the box, found {len(values)} numbers",
            remedy,
        )
    return int(values[0]), values[1 : 1 + count], values[-1]


def _check_shares(place: str, values: list[float], may_be_inverted: bool) -> None:
    """Raise a `ReadError` if coordinates are no shares of the image, or a box is inverted."""
    largest = max(values, key=abs)
    if abs(largest) > _MOST:
        raise ReadError(
            f"{place}: expected coordinates in shares of the image, from 0 to 1, found {largest:g}",
            "Divide pixels by the image's width and height: YOLO's coordinates are normalized.",
        )
    if len(values) == 4 and min(values[2:]) < 0 and not may_be_inverted:
        raise ReadError(
            f"{place}: expected a width and height of 0 or more, found {values[2]}, {values[3]}"
        )


def _geometry(
    values: list[float], width: int, height: int
) -> tuple[tuple[float, float, float, float], Polygon | None]:
    """The box in pixels, and the polygon that it is around, if it is one."""
    if len(values) == 4:
        x, y, w, h = values
        return ((x - w / 2) * width, (y - h / 2) * height, w * width, h * height), None
    points = np.array(values).reshape(-1, 2) * (width, height)
    (x_min, y_min), (x_max, y_max) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return (x_min, y_min, x_max - x_min, y_max - y_min), Polygon(points)
