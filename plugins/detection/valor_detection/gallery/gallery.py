"""Gallery of images with matched, missed, false and mislabelled objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from PIL import Image
from valor_files import file_below
from valor_report import Canvas, Picture, check_photo_folder, photo

from valor_core.schemas import Floats, natural_order
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.detection.objects import ObjectColumns
from valor_core.schemas.geometry import Box, Geometry, Polygon
from valor_detection.matching import candidate_pairs
from valor_detection.matching.class_agnostic import Outcomes, outcomes
from valor_detection.matching.overlap.oks import COCO_SIGMAS
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.table import KEY, Table
from valor_detection.parameters.gallery import GalleryParameters

_DOT = 3  # half of a side of the square around a keypoint, in pixels of the picture

FOUND, WRONG, FALSE, MISSED, CROWD = "found", "wrong label", "false", "missed", "crowd"

COLORS: Mapping[str, str] = {
    FOUND: "#2fb344",
    WRONG: "#f08c00",
    FALSE: "#e03131",
    MISSED: "#ffd43b",
    CROWD: "#adb5bd",
}
"""Color of each kind of object."""


@frozen
class Mark:
    """Object to draw.

    Parameters
    ----------
    kind : str
        `FOUND`, `WRONG`, `FALSE`, `MISSED` or `CROWD`.
    geometry : Geometry
        Shape.
    text : str
        Text next to the shape; may be empty.
    dashed : bool
        True for ground truths.
    keypoints : ndarray of float64, shape (k, 3), optional
        Points with their visibility. Those with a visibility of 0 are not drawn.
    """

    kind: str
    geometry: Geometry
    text: str = ""
    dashed: bool = False
    keypoints: Floats | None = None


_PERSON = (
    *((16, 14), (14, 12), (17, 15), (15, 13), (12, 13), (6, 12), (7, 13), (6, 7), (6, 8), (7, 9)),
    *((8, 10), (9, 11), (2, 3), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7)),
)
"""Lines between the points of a person in COCO, numbered from 1."""


class DetectionGallery:
    """Draw ground truths and predictions over their image, in colors by outcome.

    Objects are matched regardless of labels, as in `ConfusionMatrix`. Predictions have solid lines,
    ground truths dashed lines. Green: a prediction of the right label and its ground truth. Orange:
    a prediction of the wrong label. Red: an unmatched prediction. Yellow: an unmatched ground
    truth. The errors of an image are the false positives and false negatives of `Examples`, so a
    wrong label counts as two. Keypoints are dots, with the lines of their skeleton.

    Parameters
    ----------
    parameters : GalleryParameters
        Folder of the images, and thresholds.

    Examples
    --------
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 9, 9))
    >>> predicted = PredictedObject({"cat": 0.75}, Box(0, 0, 9, 8))
    >>> batch = DetectionBatch.of([Detection("a", [true], [predicted])])
    >>> gallery = DetectionGallery(GalleryParameters())
    >>> gallery.errors(batch), gallery.draw(batch).counts["wrong label"]
    (array([2]), 1)
    """

    def __init__(self, parameters: GalleryParameters) -> None:
        self.parameters = parameters
        check_photo_folder(parameters.images, "detection.Gallery")

    @property
    def legend(self) -> Mapping[str, str]:
        """Descriptions of the colors."""
        return {
            "prediction of the right label": COLORS[FOUND],
            "of the wrong label": COLORS[WRONG],
            "unmatched": COLORS[FALSE],
            "unmatched ground truth (dashed)": COLORS[MISSED],
            "crowd or ignored": COLORS[CROWD],
        }

    def errors(self, batch: DetectionBatch) -> Any:
        """Count the false positives and false negatives of each image."""
        table, found = self._outcomes(batch)
        chunk, count = table.objects, len(batch)
        is_wrong = ~_is_right(table, found)
        errors = np.bincount(chunk.datums[found.rows[is_wrong]], minlength=count)
        is_missed = ~found.uncounted
        is_missed[found.truths[~is_wrong]] = False
        errors += np.bincount(chunk.true_datums[is_missed], minlength=count)
        in_order = np.empty(count, np.int64)
        in_order[natural_order(batch.datums.uids)] = errors
        return in_order

    def draw(self, batch: DetectionBatch) -> Picture:
        """Draw the only image of a batch."""
        image, notes = self._image(batch)
        marks = list(self._marks(batch))
        canvas = Canvas(*_extent(batch, image), image)
        for mark in marks:
            if mark.text:
                canvas.fill(mark.geometry, COLORS[mark.kind])
        for mark in marks:
            thin = mark.dashed and mark.kind != MISSED
            canvas.outline(
                mark.geometry, COLORS[mark.kind], width=2 if thin else 3, dashed=mark.dashed
            )
        for mark in marks:
            self._draw_pose(canvas, mark)
        for mark in marks:
            if mark.text:
                canvas.write(mark.text, mark.geometry, COLORS[mark.kind])
        counts = {
            kind: sum(mark.kind == kind and bool(mark.text) for mark in marks)
            for kind in (FOUND, WRONG, FALSE, MISSED)
        }
        small = canvas.thumbnail()  # without the legend, which the page has as text
        canvas.foot(counts, COLORS)
        return Picture(canvas.png(), small, counts, notes)

    def _draw_pose(self, canvas: Canvas, mark: Mark) -> None:
        """Draw the visible keypoints of an object, and lines between them."""
        if mark.keypoints is None:
            return
        points, color = mark.keypoints, COLORS[mark.kind]
        lines = self.parameters.skeleton
        if lines is None:
            lines = _PERSON if len(points) == len(COCO_SIGMAS) else ()
        for first, last in lines:
            if max(first, last) <= len(points) and points[[first - 1, last - 1], 2].all():
                line = Polygon(points[[first - 1, last - 1], :2])
                canvas.outline(line, color, width=2, dashed=mark.dashed)
        radius = _DOT / canvas.scale
        for x, y, _ in points[points[:, 2] > 0].tolist():
            dot = Box(x - radius, y - radius, x + radius, y + radius)
            canvas.outline(dot, color, width=1 if mark.dashed else 3)

    def _outcomes(self, batch: DetectionBatch) -> tuple[Table, Outcomes]:
        chosen = self.parameters
        protocol = protocol_of(chosen)
        state = candidate_pairs.request((chosen.iou_threshold,), protocol, scope=KEY).open()
        state.update(batch)
        table: Table = state.table
        return table, outcomes(table, protocol, chosen.iou_threshold, chosen.score_threshold)

    def _marks(self, batch: DetectionBatch) -> Iterator[Mark]:
        """Yield the objects of an image, the most visible last."""
        table, found = self._outcomes(batch)
        chunk, labels = table.objects, table.labels
        true_shapes, shapes = batch.groundtruths.shapes, batch.predictions.shapes
        true_points, points = _points(batch.groundtruths), _points(batch.predictions)
        drawn: set[int] = set()
        for row in np.flatnonzero(found.uncounted).tolist():
            yield Mark(CROWD, true_shapes.at(row), dashed=True, keypoints=true_points(row))
        pairs = zip(found.rows.tolist(), found.truths.tolist(), strict=True)
        right = _is_right(table, found).tolist()
        for (row, truth), is_right in sorted(
            zip(pairs, right, strict=True), key=lambda p: not p[1]
        ):
            name, score = labels[chunk.labels[row]].value, float(chunk.scores[row])
            kind = FOUND if is_right else FALSE if truth < 0 else WRONG
            text = f"{name} {score:.2f}"
            if truth >= 0 and truth not in drawn:
                drawn.add(truth)
                shape = true_shapes.at(truth)
                yield Mark(kind, shape, dashed=True, keypoints=true_points(truth))
            if kind == WRONG:
                text += f", is {labels[chunk.true_labels[truth]].value}"
            yield Mark(kind, shapes.at(row), text, keypoints=points(row))
        for truth in found.missed.tolist():
            name = labels[chunk.true_labels[truth]].value
            shape, pose = true_shapes.at(truth), true_points(truth)
            yield Mark(MISSED, shape, name, dashed=True, keypoints=pose)

    def _image(self, batch: DetectionBatch) -> tuple[Image.Image | None, list[str]]:
        """Return the background image, or None and the reason."""
        folder, datum = self.parameters.images, batch.datums.at(0)
        if folder is None:
            return None, []
        name = datum.metadata.get(self.parameters.image_field)
        wanted = str(datum.uid if name is None else name)
        image, reason = photo(folder, wanted, file_below(folder, wanted))
        return image, [reason] if reason else [str(name)] if name else []


def _points(side: ObjectColumns) -> Callable[[int], Floats | None]:
    """Return a function that returns the keypoints of a row; None without any."""
    return (lambda row: None) if side.keypoints is None else side.keypoints.at


def _is_right(table: Table, found: Outcomes) -> Any:
    """Return True for predictions matched to a ground truth of the same label."""
    chunk = table.objects
    has = found.truths >= 0
    right = has.copy()
    right[has] = chunk.true_labels[found.truths[has]] == chunk.labels[found.rows[has]]
    return right


def _extent(batch: DetectionBatch, image: Image.Image | None) -> tuple[float, float]:
    """Return width and height of the picture, in pixels of the data."""
    if image is not None:
        return image.size
    if batch.sizes is not None and batch.sizes[0].all():
        height, width = batch.sizes[0].tolist()
        return width, height
    boxes: Floats = np.concatenate(
        [batch.groundtruths.shapes.boxes, batch.predictions.shapes.boxes]
    )
    corners = boxes[:, :2] + boxes[:, 2:]
    width, height = corners.max(axis=0, initial=1).tolist()
    return width * 1.05, height * 1.05
