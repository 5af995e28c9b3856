"""Lists of true positives, false positives and false negatives by image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.results import Result
from valor_core.schemas import Codes, Uid
from valor_core.states import StateRequest
from valor_detection.matching import names_and_shapes
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.class_agnostic import Outcomes
from valor_detection.matching.names_and_shapes import NamedShapes, Outlines
from valor_detection.matching.table import Table
from valor_detection.metrics.confusion_matrix import label_key_request, outcomes_by_key
from valor_detection.parameters.gallery import ExamplesParameters


@frozen
class Examples:
    """True positives, false positives and false negatives of each image, by uid.

    Objects match as in `ConfusionMatrix`. A true positive is a pair of a ground truth and a
    prediction of its label. Other predictions at or above the score threshold are false positives,
    other ground truths are false negatives. Annotations are listed by their uids, or by their
    positions in the image if they have none. Images without objects to list are omitted.

    Parameters
    ----------
    parameters : ExamplesParameters
        Thresholds, protocol, and selection of images.

    Notes
    -----
    An annotation with several labels is listed once, as a true positive if one label is correct.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> box = Box(0, 0, 9, 9)
    >>> true, predicted = TrueObject("dog", box), PredictedObject({"dog": 0.75}, box)
    >>> items = [Detection("a", [true], [predicted]), Detection("b", [], [predicted])]
    >>> [item["datum_id"] for item in evaluate(items, ["Examples"])["Examples"].value]
    ['b', 'a']
    """

    parameters: ExamplesParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label key, and uids."""
        return label_key_request(self.parameters), names_and_shapes.request()

    def compute(self, state: Overlaps, named: Outlines) -> Iterator[Result]:
        """Yield a list of images for each label key, IoU threshold and score threshold."""
        table, chosen = state.table, self.parameters
        truths, predictions = named.of_table(table)
        last = None if chosen.limit is None else chosen.offset + chosen.limit
        for parameters, codes, found in outcomes_by_key(table, chosen):
            marks = _Marks.of(table, codes, found)
            images = marks.images(chosen.order)[chosen.offset : last]
            yield Result(parameters=parameters, value=marks.listed(images, truths, predictions))


@frozen(eq=False)
class _Marks:
    """True positives, false positives and false negatives of a label key, sorted by image.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    hits, hit_truths : ndarray of int64
        Predictions matched to a ground truth of their label, and these ground truths.
    false : ndarray of int64
        Other predictions.
    missed : ndarray of int64
        Ground truths not matched to a prediction of their label.
    """

    table: Table
    hits: Codes
    hit_truths: Codes
    false: Codes
    missed: Codes

    @classmethod
    def of(cls, table: Table, labels: list[int], found: Outcomes) -> _Marks:
        """Create the marks of labels."""
        chunk = table.objects
        has_key = np.zeros(len(table.labels) + 1, dtype=bool)
        has_key[labels] = True
        of_key = has_key[chunk.labels[found.rows]]
        rows, truths = found.rows[of_key], found.truths[of_key]
        is_hit = truths >= 0
        is_hit[is_hit] = chunk.true_labels[truths[is_hit]] == chunk.labels[rows[is_hit]]
        is_missed = ~found.uncounted & has_key[chunk.true_labels]
        is_missed[truths[is_hit]] = False
        return cls(table, rows[is_hit], truths[is_hit], rows[~is_hit], np.flatnonzero(is_missed))

    def images(self, order: str) -> Codes:
        """Return the images with objects to list, in order."""
        chunk, count = self.table.objects, len(self.table.objects.uids)
        errors = np.bincount(chunk.datums[self.false], minlength=count)
        errors += np.bincount(chunk.true_datums[self.missed], minlength=count)
        images = np.flatnonzero(errors + np.bincount(chunk.datums[self.hits], minlength=count))
        if order == "uid":
            return images
        return images[np.argsort(-errors[images], kind="stable")]

    def listed(
        self, images: Codes, truths: NamedShapes, predictions: NamedShapes
    ) -> list[dict[str, Any]]:
        """Return the lists of images."""
        chunk, uids = self.table.objects, self.table.objects.uids[images].tolist()
        hits = _spans(chunk.datums[self.hits], images)
        false = _spans(chunk.datums[self.false], images)
        missed = _spans(chunk.true_datums[self.missed], images)
        items = []
        for uid, matched, wrong, left in zip(uids, hits, false, missed, strict=True):
            pairs = [
                [truths.name(truth), predictions.name(row)]
                for truth, row in zip(
                    self.hit_truths[matched].tolist(), self.hits[matched].tolist(), strict=True
                )
            ]
            right = {chunk.annotations[row] for row in self.hits[matched].tolist()}
            items.append(
                {
                    "datum_id": uid,
                    "true_positives": pairs,
                    "false_positives": self._once(self.false[wrong].tolist(), right, predictions),
                    "false_negatives": [truths.name(row) for row in self.missed[left].tolist()],
                }
            )
        return items

    def _once(self, rows: list[int], right: set[int], names: NamedShapes) -> list[Uid]:
        """Return the uids of annotations without a correct label, each once."""
        first: dict[int, int] = {}
        for row in rows:
            first.setdefault(int(self.table.objects.annotations[row]), row)
        return [names.name(row) for position, row in first.items() if position not in right]


def _spans(datums: Codes, images: Codes) -> list[slice]:
    """Return the range of each image in a sorted column of images."""
    first = np.searchsorted(datums, images, side="left").tolist()
    last = np.searchsorted(datums, images, side="right").tolist()
    return [slice(start, stop) for start, stop in zip(first, last, strict=True)]
