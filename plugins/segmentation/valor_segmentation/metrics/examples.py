"""Examples: the worst images, with their right and wrong pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen

from valor_core.errors import did_you_mean
from valor_core.parameters import NoParameters, changed_parameters, parameters_from
from valor_core.results import Result, Undefined
from valor_core.states import StateRequest
from valor_segmentation.counting import image_scores, pixel_counts
from valor_segmentation.counting.image_scores import METRICS, ImageScores, Score
from valor_segmentation.counting.pixel_counts import ImageRows, PixelCounts
from valor_segmentation.parameters.gallery import ExamplesParameters

_BACKGROUND = 0
_PLAIN = ("errors", "uid")
_HIGHER_IS_WORSE = ("errors", "hausdorff")

Counts = tuple[int, int, int]
"""A label's tp, fp and fn."""

LabelRow = tuple[int, int, int, int]
"""Label's position, and its tp, fp and fn."""

_OF_COUNTS: Mapping[str, Callable[[int, int, int], tuple[int, int]]] = {
    "iou": lambda tp, fp, fn: (tp, tp + fp + fn),
    "precision": lambda tp, fp, fn: (tp, tp + fp),
    "recall": lambda tp, fp, fn: (tp, tp + fn),
    "f1": lambda tp, fp, fn: (2 * tp, 2 * tp + fp + fn),
}
"""Numerators and denominators; 0/0 is no value."""


@frozen
class Examples:
    """Images with the pixel counts of their labels, the worst first; ties by uid.

    The value is a list. Each image has its ``datum_id``, the number of its ``wrong`` pixels, its
    ``iou`` (of several labels, the plain mean over those with true pixels, as in `MeanIOU`), and
    the tp, fp and fn of its ``labels``, which count the pixels of this image alone. If a metric
    orders the images, its value on the image alone is also listed under the metric's name, and
    with the counts of each label. With `label`, all numbers are of that label.

    Parameters
    ----------
    parameters : ExamplesParameters
        Order, label, and how many images to list.

    Notes
    -----
    A pixel of one label that is predicted as another is one wrong pixel, but counts in the fn of
    the true and in the fp of the predicted label. Images without annotations are not listed. An
    image without true pixels of any label has no value, nor has, with ``hausdorff``, an image with
    a label on one side only. Images without a value come first if pixels are wrong, ordered by
    wrong pixels, else last. A `label` that no item has makes the result undefined.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 0, 0]], [[1, 1, 0]], labels=["cat"])
    >>> evaluate([item], ["Examples"])["Examples"].value[0]["wrong"]
    1
    """

    parameters: ExamplesParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the pixel counts of each image, and its scores if a metric needs them."""
        chosen = self.parameters
        counts = pixel_counts.request(images=True)
        if chosen.order in METRICS:
            return (counts, image_scores.request(chosen.order, chosen.settings))
        parameters_from(NoParameters, chosen.settings, "segmentation.Examples: settings.")
        return (counts,)

    def compute(self, state: PixelCounts, scores: ImageScores | None = None) -> Iterator[Result]:
        """Yield one result for each label key: a list of images."""
        chosen = self.parameters
        names = sorted({name for _, counts in state.sorted() for name in counts.confusion.names})
        if chosen.label is not None and chosen.label not in names:
            guess = (did_you_mean(chosen.label, names) or "").replace("D", "; d", 1)
            reason = f"no item has the label {chosen.label!r}{guess}"
            yield Result(
                parameters={"order": chosen.order} | changed_parameters(chosen),
                value=Undefined(reason),
            )
        for key, counts in state.sorted():
            if chosen.label is not None and chosen.label not in counts.confusion.names:
                continue
            parameters = {"label_key": key, "order": chosen.order} | changed_parameters(chosen)
            measured = None if scores is None else scores.of(key)
            listed = self._images(counts.rows, counts.confusion.names, measured)
            yield Result(parameters=parameters, value=listed)

    def _images(
        self, found: ImageRows, names: list[str], measured: Mapping[str | int, Score] | None
    ) -> list[dict[str, Any]]:
        chosen = self.parameters
        images = []
        for uid, rows in _by_image(found):
            if chosen.label is not None:
                rows = [row for row in rows if row[0] and names[row[0] - 1] == chosen.label]
            if rows:
                image = _Image(uid, rows, names, is_whole=chosen.label is None)
                images.append(image.described(chosen.order, measured))
        if chosen.errors_only:
            images = [image for image in images if image["wrong"]]
        if chosen.order != "uid":
            images.sort(key=lambda image: _rank(image, chosen.order))
        last = None if chosen.limit is None else chosen.offset + chosen.limit
        return images[chosen.offset : last]


def badness(image: Mapping[str, Any], order: str) -> float:
    """Return the badness of a listed image; 0 without errors.

    Examples
    --------
    >>> badness({"wrong": 3, "iou": 0.25}, "errors"), badness({"wrong": 3, "iou": 0.25}, "iou")
    (3.0, 0.75)
    >>> badness({"wrong": 3, "hausdorff": None}, "hausdorff")
    inf
    """
    value = _value(image, order)
    if value is None and order in _HIGHER_IS_WORSE:
        return math.inf if image["wrong"] else 0.0
    if value is None:
        return 1.0 if image["wrong"] else 0.0
    return value if order in _HIGHER_IS_WORSE else 1.0 - value


def _rank(image: Mapping[str, Any], order: str) -> tuple[float, float]:
    """Sort key: the worst first; wrong pixels without a value are worse than any."""
    value = _value(image, order)
    if value is None:
        return (-math.inf, -image["wrong"]) if image["wrong"] else (math.inf, 0.0)
    return -value if order in _HIGHER_IS_WORSE else value, 0.0


def _value(image: Mapping[str, Any], order: str) -> float | None:
    value = image["wrong" if order == "errors" else order]
    return None if value is None else float(value)


def _by_image(rows: ImageRows) -> Iterator[tuple[str | int, list[LabelRow]]]:
    columns = (rows.datums, rows.labels, rows.tp, rows.fp, rows.fn)
    table = zip(*(column.tolist() for column in columns), strict=True)
    uids = rows.uids.tolist()
    for datum, group in groupby(table, key=itemgetter(0)):
        yield uids[datum], [row[1:] for row in group]


@frozen
class _Image:
    """One image, or its pixels of one label.

    Parameters
    ----------
    uid : str or int
        Its name.
    rows : list of LabelRow
        Counts of its labels, including background if `is_whole`.
    names : list of str
        Names of all labels.
    is_whole : bool
        Whether the rows are of all pixels.
    """

    uid: str | int
    rows: list[LabelRow]
    names: list[str]
    is_whole: bool

    def described(self, order: str, measured: Mapping[str | int, Score] | None) -> dict[str, Any]:
        """Return the entry of the image in the list."""
        counts = {self.names[row[0] - 1]: row[1:] for row in self.rows if row[0] != _BACKGROUND}
        labels: dict[str, dict[str, float | None]] = {
            name: {"tp": tp, "fp": fp, "fn": fn} for name, (tp, fp, fn) in counts.items()
        }
        # Over all labels and background, every wrong pixel is the fn of exactly one.
        wrong = sum(fn if self.is_whole else fp + fn for _, _, fp, fn in self.rows)
        described: dict[str, Any] = {"datum_id": self.uid, "wrong": wrong}
        described["iou"] = self._mean("iou", counts, _score("iou", counts))
        if order == "accuracy":
            described[order] = self._accuracy
        elif order not in _PLAIN:
            score = _score(order, counts) if measured is None else measured.get(self.uid, Score({}))
            described[order] = self._mean(order, counts, score)
            labels = {
                name: values | {order: score.labels.get(name)} for name, values in labels.items()
            }
        return described | {"labels": labels}

    def _mean(self, order: str, counts: Mapping[str, Counts], score: Score) -> float | None:
        """Plain mean over the labels with true pixels, or over the requested label."""
        if order == "hausdorff" and not counts.keys() <= score.labels.keys():
            return None
        is_taken = {name: not self.is_whole or tp + fn > 0 for name, (tp, _, fn) in counts.items()}
        selected = {n: value for n, value in score.labels.items() if is_taken.get(n)}
        return Score(selected).value

    @property
    def _accuracy(self) -> float | None:
        """Share of the true pixels that are right."""
        right, true = sum(row[1] for row in self.rows), sum(row[1] + row[3] for row in self.rows)
        return right / true if true else None


def _score(order: str, counts: Mapping[str, Counts]) -> Score:
    pairs = {name: _OF_COUNTS[order](*outcomes) for name, outcomes in counts.items()}
    return Score({name: share / whole for name, (share, whole) in pairs.items() if whole})
