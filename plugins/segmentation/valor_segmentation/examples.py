"""Examples: the worst images, with their pixels right and wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen

from valor_core.result import Result
from valor_core.state import StateRequest
from valor_segmentation import pixel_counts
from valor_segmentation.parameters import ExamplesParameters
from valor_segmentation.pixel_counts import ImageRows, KeyCounts, PixelCounts

_BACKGROUND = 0

LabelRow = tuple[int, int, int, int]
"""Label's position, and its tp, fp and fn."""


@frozen
class Examples:
    """Images with the pixels of their labels, the worst first; equal ones by uid.

    The value is a list. Each image has its ``datum_id``, the number of its ``wrong`` pixels, its
    ``iou`` (of several labels, their plain mean; null where neither side has one), and the tp, fp
    and fn of its ``labels``. With `label`, all of it is about that label.

    Parameters
    ----------
    parameters : ExamplesParameters
        Order, label, and how many images to list.

    Notes
    -----
    A pixel of one label that is taken for another is one wrong pixel, though it counts in the fn
    of the one and in the fp of the other. Images without annotations on either side are not
    listed.

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
        """The pixel counts of each image."""
        return (pixel_counts.request(images=True),)

    def compute(self, state: PixelCounts) -> Iterator[Result]:
        """One result for each label key: a list of images."""
        chosen = self.parameters
        for key, counts in state.sorted():
            if chosen.label is not None and chosen.label not in counts.confusion.names:
                continue
            parameters = {"label_key": key, "order": chosen.order}
            if chosen.label is not None:
                parameters["label"] = chosen.label
            yield Result(parameters=parameters, value=self._images(counts))

    def _images(self, counts: KeyCounts) -> list[dict[str, Any]]:
        chosen, names = self.parameters, counts.confusion.names
        images = []
        for uid, rows in _by_image(counts.rows):
            if chosen.label is not None:
                rows = [row for row in rows if row[0] and names[row[0] - 1] == chosen.label]
            if rows:
                images.append(_example(uid, rows, names, chosen.label is None))
        if chosen.errors_only:
            images = [image for image in images if image["wrong"]]
        if chosen.order == "errors":
            images.sort(key=lambda image: -image["wrong"])
        elif chosen.order == "iou":
            images.sort(key=lambda image: math.inf if image["iou"] is None else image["iou"])
        last = None if chosen.limit is None else chosen.offset + chosen.limit
        return images[chosen.offset : last]


def _by_image(rows: ImageRows) -> Iterator[tuple[str | int, list[LabelRow]]]:
    columns = (rows.datums, rows.labels, rows.tp, rows.fp, rows.fn)
    table = zip(*(column.tolist() for column in columns), strict=True)
    for datum, some in groupby(table, key=itemgetter(0)):
        yield rows.uids[datum], [row[1:] for row in some]


def _example(
    uid: str | int, rows: list[LabelRow], names: list[str], with_background: bool
) -> dict[str, Any]:
    labels = [row for row in rows if row[0] != _BACKGROUND]
    ious = [tp / (tp + fp + fn) for _, tp, fp, fn in labels]
    # Over all labels and background, every wrong pixel is the fn of exactly one.
    wrong = sum(fn if with_background else fp + fn for _, _, fp, fn in rows)
    return {
        "datum_id": uid,
        "wrong": wrong,
        "iou": math.fsum(ious) / len(ious) if ious else None,
        "labels": {
            names[label - 1]: {"tp": tp, "fp": fp, "fn": fn} for label, tp, fp, fn in labels
        },
    }
