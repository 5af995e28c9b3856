"""Reader of YOLO's folders with one text file of labels per image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from attrs import frozen

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Datums, Floats, Label
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Keypoints, Polygon, Rings, Shapes
from valor_core.schemas.geometry.shapes import BOX, POLYGON
from valor_detection.arrays.objects import Rows, batch_of_rows, checked_rows
from valor_detection.geometry.validity import Policy
from valor_detection.parameters.readers import YoloParameters
from valor_detection.readers.class_names import Classes, read_classes
from valor_detection.readers.folders import ImageFiles, check_some, image_files
from valor_detection.readers.images import (
    ImageTable,
    all_images,
    files_of,
    image_size,
    labels_of,
)
from valor_detection.readers.text_files import as_read_errors, number_of, text_of
from valor_detection.readers.yolo_results import ImagesAndResults, is_results, read_results

_NUMBERS = 4  # of a box
_OUTSIDE = 0.05  # share of the image by which a keypoint may be outside of its box
_POSE = (
    "For labels of a pose data set, set data.names to its data.yaml with kpt_shape: the boxes are "
    "then read."
)
_FAR = 2  # largest share of the image of a keypoint, which may be outside of the image
_MOST = 1.01  # largest share of the image that rounding explains


@frozen
class YoloReader:
    """Reader of lines with a class and a normalized box (x, y, width, height) or polygon.

    Lines of predictions end with the confidence.

    Parameters
    ----------
    parameters : YoloParameters
        Folders, class names and source of the image sizes.
    task : str
        Always ``"detection"``.
    """

    parameters: YoloParameters
    task: str

    def __attrs_post_init__(self) -> None:
        if bool(self.parameters.images) == (self.parameters.sizes is not None):
            raise ReadError(
                "data: expected either the folder of the images or a table of their sizes, because "
                "YOLO's boxes are normalized by them",
                "Set data.images or data.sizes.",
            )

    def partitions(self) -> Sequence[ImageFiles]:
        """Split into ranges of images."""
        chosen = self.parameters
        labels = {
            uid: path
            for uid, path in labels_of(chosen.groundtruths).items()
            if path != chosen.names
        }
        images = all_images(chosen.images)
        has_results = is_results(chosen.predictions)
        parts = image_files(
            labels,
            {} if has_results else self._labels(chosen.predictions),
            images,
            len(labels) + len(images) + 1 if has_results else chosen.partition_images,
        )
        check_some(parts, chosen.groundtruths[0], ".txt")
        if has_results:
            return [
                ImagesAndResults(
                    part.uids, part.groundtruths, part.predictions, part.images, chosen.predictions
                )
                for part in parts
            ]
        return parts

    def read(self, partition: ImageFiles) -> Iterator[DetectionBatch]:
        """Read the batch of a partition.

        Raises
        ------
        ReadError
            If a file cannot be read, a line is not a normalized box or polygon, a
            class has no name, an image has no size, or a geometry is rejected.
        MissingExtraError
            If a polygon needs shapely, which is not installed.
        """
        classes = read_classes(self.parameters.names)
        names = classes.names
        sizes = self._sizes(partition)
        policy = self.parameters.invalid_geometry
        reading = partial(
            _Lines.read,
            sizes=sizes,
            classes=classes,
            source=self.parameters.names,
            may_be_inverted=policy in ("repair", "skip"),
        )
        true = reading(partition.groundtruths, with_score=False)
        truths, true_counts = true.checked(sizes, policy, "groundtruths")
        if isinstance(partition, ImagesAndResults):
            first = self.parameters.first_category
            predictions, counts = read_results(partition, sizes, names, first, policy)
        else:
            predicted = reading(partition.predictions, with_score=True)
            predictions, counts = predicted.checked(sizes, policy, "predictions")
            counts |= predicted.keypoint_counts("predictions")
        yield batch_of_rows(
            Datums(list(partition.uids)),
            [Label(self.parameters.label_key, name) for name in names.values()],
            truths,
            predictions,
            sizes,
            np.array(list(names), np.int64),
            {
                **true_counts,
                **counts,
                **true.keypoint_counts("groundtruths"),
            },
        )

    def _labels(self, folder: Path) -> dict[str, Path]:
        """Return label files without the file of class names."""
        files = files_of(folder, [".txt"])
        return {uid: path for uid, path in files.items() if path != self.parameters.names}

    def _sizes(self, partition: ImageFiles) -> Codes:
        chosen = self.parameters
        if chosen.sizes is not None:
            return ImageTable.read(chosen.sizes, "uid").sizes_of(partition.uids, chosen.sizes)
        files = zip(partition.uids, partition.images, strict=True)
        missing = [uid for uid, image in files if image is None]
        if missing:
            folders = " and ".join(map(str, chosen.images))
            raise ReadError(
                f"{folders}: expected an image for every file of labels, found none of "
                f"{missing[0]!r}{and_more(len(missing) - 1)}",
                "Pass the ground truths and the images of the same split.",
            )
        return np.array([image_size(image) for image in partition.images if image], np.int64)


@frozen(eq=False)
class _Lines:
    """Objects of the lines of several files."""

    rows: Rows
    locations: list[str]

    @classmethod
    def read(
        cls,
        paths: Sequence[Path | None],
        sizes: Codes,
        classes: Classes,
        source: Path,
        *,
        with_score: bool,
        may_be_inverted: bool,
    ) -> _Lines:
        images, labels, scores, boxes, locations = [], [], [], [], []
        polygons: list[Polygon | None] = []
        points: list[Floats | None] = []
        numbers = {number: code for code, number in enumerate(classes.names)}
        for position, path in enumerate(paths):
            if path is None:
                continue
            height, width = sizes[position].tolist()
            for where, values in _numbers(path):
                points.append(None)
                if classes.keypoints is not None:
                    values, points[-1] = _without_keypoints(
                        where, values, classes.keypoints, with_score, source
                    )
                number, coordinates, score = _parted(where, values, with_score)
                if number not in numbers:
                    raise _nameless(where, number, classes, source)
                _check_no_keypoints(where, coordinates)
                images.append(position)
                labels.append(numbers[number])
                scores.append(score)
                _check_shares(where, coordinates, may_be_inverted)
                locations.append(where)
                box, polygon = _geometry(coordinates, width, height)
                boxes.append(box)
                polygons.append(polygon)
                if points[-1] is not None:
                    points[-1] = _in_pixels(where, points[-1], width, height)
        return cls(
            Rows(
                images=np.array(images, np.int64),
                labels=np.array(labels, np.int64),
                shapes=_shapes(boxes, polygons),
                scores=np.array(scores, np.float64),
                keypoints=Keypoints.of(points, [None] * len(points)),
            ),
            locations,
        )

    def keypoint_counts(self, side: str) -> dict[str, int]:
        """Count lines with keypoints, for the warnings of a report."""
        keypoints = self.rows.keypoints
        if keypoints is None:
            return {}
        what = f"{side} with keypoints, compared by their boxes except with matching: keypoints"
        return {what: int(np.count_nonzero(np.diff(keypoints.rows)))}

    def checked(self, sizes: Codes, policy: Policy, side: str) -> tuple[Rows, dict[str, int]]:
        """Return the rows accepted by the policy, and counts of excluded or repaired rows."""
        with as_read_errors():
            return checked_rows(self.rows, sizes, policy, side, self.locations.__getitem__)


def _shapes(boxes: Sequence[tuple[float, ...]], polygons: Sequence[Polygon | None]) -> Shapes:
    if not any(polygons):
        return Shapes(boxes)
    kinds = [BOX if polygon is None else POLYGON for polygon in polygons]
    rings = Rings.of([() if polygon is None else (polygon,) for polygon in polygons])
    return Shapes(boxes, np.array(kinds), rings)


def _numbers(path: Path) -> Iterator[tuple[str, list[float]]]:
    """Yield the location and the numbers of each line."""
    for count, line in enumerate(text_of(path).splitlines(), start=1):
        where = f"{path}, line {count}"
        try:
            values = [number_of(word) for word in line.split()]
        except ValueError as error:
            raise ReadError(
                f"{where}: expected numbers, found {short_repr(line)}",
                "Write the class number and normalized coordinates, separated by spaces: "
                "0 0.5 0.5 0.2 0.3. Class names belong in the file of data.names.",
            ) from error
        if not all(map(np.isfinite, values)):
            raise ReadError(f"{where}: expected finite numbers, found {short_repr(line)}")
        if values:
            yield where, values


def _parted(where: str, values: list[float], with_score: bool) -> tuple[int, list[float], float]:
    """Split a line into class, coordinates and confidence."""
    if not values[0].is_integer():
        raise ReadError(f"{where}: expected a class number first, found {values[0]:g}")
    count = len(values) - 1 - with_score
    if count < 4 or count % 2:
        what = " and confidence" if with_score else ""
        remedy = None
        if with_score and len(values) == 5:
            remedy = "Write the predictions with their confidences (save_conf=True)."
        elif count > _NUMBERS and count % 3 == 1:
            remedy = _POSE
        raise ReadError(
            f"{where}: expected class, x, y, width, height{what}, or the points of a polygon "
            f"instead of the box, found {len(values)} numbers",
            remedy,
        )
    return int(values[0]), values[1 : 1 + count], values[-1]


def _without_keypoints(
    where: str,
    values: list[float],
    keypoints: tuple[int, int],
    with_score: bool,
    source: Path,
) -> tuple[list[float], Floats | None]:
    """Remove the keypoints of a line; also return them, shape (k, 3), in shares of the image."""
    points, each = keypoints
    box = 5 + with_score
    if len(values) == box:
        return values, None
    if len(values) != box + points * each:
        raise ReadError(
            f"{where}: expected {box} or {box + points * each} numbers: class, box, {points} "
            f"keypoints of {each} values{' and confidence' * with_score}, as in kpt_shape of "
            f"{source}; found {len(values)}",
            f"Correct kpt_shape, or remove it from {source} if the labels are polygons.",
        )
    found = np.full((points, 3), 2.0)
    found[:, :each] = np.reshape(values[5 : 5 + points * each], (points, each))
    if each == 2:  # as Ultralytics writes and reads points without a label
        found[(found[:, :2] < 0).any(axis=1), 2] = 0
    return [*values[:5], *values[5 + points * each :]], found


def _in_pixels(where: str, points: Floats, width: int, height: int) -> Floats:
    """Convert keypoints from shares of the image to pixels."""
    largest = float(np.abs(points[:, :2]).max())
    if largest > _FAR:
        raise ReadError(
            f"{where}: expected keypoints normalized to the image, found a coordinate of "
            f"{largest:g}",
            "Divide pixels by the image's width and height.",
        )
    return points * (width, height, 1)


def _nameless(where: str, number: int, classes: Classes, source: Path) -> ReadError:
    """Return the error for a class without a name."""
    expected = f"{where}: expected one of the {len(classes.names)} classes that have a name"
    if number in classes.empty_lines:
        return ReadError(
            f"{expected}, found {number}, whose line {number + 1} in {source} is empty",
            "Write its name on that line, or remove the line: lines number the classes from 0.",
        )
    return ReadError(f"{expected}, found {number}", "Add its name under data.names.")


def _check_no_keypoints(where: str, values: list[float]) -> None:
    """Raise a `ReadError` if the points of a polygon are a box and keypoints with visibility.

    Every third number after the box is then 0, 1 or 2, and visible points are in the box.
    """
    if len(values) <= _NUMBERS or len(values) % 3 != 1:
        return
    x, y, width, height = values[:4]
    points = np.array(values[4:]).reshape(-1, 3)
    is_visible = points[:, 2] > 0
    if not np.isin(points[:, 2], (0, 1, 2)).all() or not is_visible.any():
        return
    off = np.abs(points[is_visible, :2] - (x, y)) - np.array([width, height]) / 2
    if (off <= _OUTSIDE).all():
        raise ReadError(
            f"{where}: expected a box or a polygon, found what looks like a box and "
            f"{len(points)} keypoints with their visibility",
            _POSE,
        )


def _check_shares(where: str, values: list[float], may_be_inverted: bool) -> None:
    """Raise a `ReadError` if coordinates are not normalized, or a box is inverted."""
    largest = max(values, key=abs)
    if abs(largest) > _MOST:
        raise ReadError(
            f"{where}: expected normalized coordinates from 0 to 1, found {largest:g}",
            "Divide pixels by the image's width and height.",
        )
    if len(values) == 4 and min(values[2:]) < 0 and not may_be_inverted:
        raise ReadError(
            f"{where}: expected a width and height of 0 or more, found {values[2]}, {values[3]}"
        )


def _geometry(
    values: list[float], width: int, height: int
) -> tuple[tuple[float, float, float, float], Polygon | None]:
    """Return the box in pixels, and the polygon for lines with one."""
    if len(values) == 4:
        x, y, w, h = values
        return ((x - w / 2) * width, (y - h / 2) * height, w * width, h * height), None
    points = np.array(values).reshape(-1, 2) * (width, height)
    (x_min, y_min), (x_max, y_max) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return (x_min, y_min, x_max - x_min, y_max - y_min), Polygon(points)
