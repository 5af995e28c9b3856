"""Detailed precision-recall curve: counts by kind of error, with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.parameters import changed_parameters
from valor_core.results import LazyValue, Result
from valor_core.schemas import Codes
from valor_core.schemas.geometry import Box, Geometry
from valor_core.states import StateRequest
from valor_detection.geometry.geojson import to_geojson
from valor_detection.matching import candidate_pairs, names_and_shapes
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.names_and_shapes import NamedShapes, Outlines
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.ranked import ranking
from valor_detection.matching.table import KEY, Flags, Table
from valor_detection.metrics.confusion_matrix import first_of_each
from valor_detection.parameters.counts import DetailedCurveParameters

Show = Callable[[int], list[Any]]
"""Function from a row to the image and the geometry of its object."""


@frozen
class DetailedPrecisionRecallCurve:
    """Counts of every label at every score threshold, by kind of match or error, with examples.

    All true positives are of the kind ``all``. A false positive is one of the
    ``misclassifications`` if its IoU with a ground truth of another value of its label key reaches
    the IoU threshold, otherwise one of the ``hallucinations``. A false negative is one of the
    ``misclassifications`` if its IoU with a prediction of another value at or above the score
    threshold reaches the IoU threshold, otherwise one of the ``no_predictions`` (also called missed
    detections).

    For each label and score threshold, ``tp``, ``fp`` and ``fn`` have a ``total`` and
    ``observations`` by kind, each with a ``count`` and ``examples``: pairs of an image's uid and
    the GeoJSON geometry of the prediction (``tp`` and ``fp``) or the ground truth (``fn``).

    Parameters
    ----------
    parameters : DetailedCurveParameters
        Thresholds, protocol and number of examples.

    Notes
    -----
    Totals equal those of `PrecisionRecallCurve`. Crowds are not counted. Examples
    of masks show their bounding boxes.

    References
    ----------
    .. [1] Striveworks Valor, metrics documentation of 2024, appendix,
       DetailedPrecisionRecallCurve, object detection tasks.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 9, 9))
    >>> predicted = PredictedObject({"cat": 0.75}, Box(0, 0, 9, 8))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["DetailedPrecisionRecallCurve"])
    >>> point = report["DetailedPrecisionRecallCurve"].value["dog"]["0.5"]
    >>> point["fn"]["observations"]["misclassifications"]["count"]
    1
    """

    parameters: DetailedCurveParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label key, and shapes for examples."""
        chosen = self.parameters
        counts = candidate_pairs.request((chosen.iou_threshold,), protocol_of(chosen), scope=KEY)
        return (counts, names_and_shapes.request()) if chosen.max_examples else (counts,)

    def compute(self, state: Overlaps, shown: Outlines | None = None) -> Iterator[Result]:
        """Yield a result for each label key: counts by label, threshold and kind."""
        table, chosen = state.table, self.parameters
        thresholds = tuple(sorted(chosen.score_thresholds))
        size = (len(table.labels), len(thresholds))
        predictions: Show = _nothing
        truths: Show = _nothing
        if shown is not None:
            chunk, (true_shapes, shapes) = table.objects, shown.of_table(table)
            predictions = _show(chunk.uids, chunk.datums, shapes)
            truths = _show(chunk.uids, chunk.true_datums, true_shapes)
        observed = {
            (side, name): kind.observed(
                size, chosen.max_examples, truths if side == "fn" else predictions
            )
            for (side, name), kind in _kinds(table, chosen, thresholds).items()
        }
        for key, codes in table.seen.items():
            labels = {code: table.labels[code].value for code in codes}
            coordinates = {
                "label_key": key,
                "iou_threshold": chosen.iou_threshold,
                "max_examples": chosen.max_examples,
            }
            yield Result(
                parameters=coordinates | changed_parameters(chosen),
                value=LazyValue(partial(_value, observed, labels, thresholds)),
            )


Place = tuple[int, int]
"""A label's code and the position of a threshold."""


@frozen(eq=False)
class _Observed:
    """Objects of one kind.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_labels, n_thresholds)
        Numbers of objects.
    examples : dict of (int, int) to list
        Examples by label and threshold.
    """

    counts: Codes
    examples: dict[Place, list[Any]]


@frozen(eq=False)
class _Kind:
    """Matches or errors of one kind, each in a range of thresholds.

    Parameters
    ----------
    rows : ndarray of int64
        Rows of the objects, by label.
    labels : ndarray of int64
        Labels of the objects.
    first, last : ndarray of int64
        Range of positions of thresholds at which each is of the kind: first <= position < last.
    ranked : bool
        True if all ranges start at 0 and the ranges of a label are in descending order.
    """

    rows: Codes
    labels: Codes
    first: Codes
    last: Codes
    ranked: bool

    def observed(self, size: Place, most: int, show: Show) -> _Observed:
        """Return counts and examples of each label at each threshold."""
        examples: dict[Place, list[Any]] = {}
        if most:
            part = self._shortened(most) if self.ranked else self
            for index in range(size[1]):
                rows = np.flatnonzero((part.first <= index) & (index < part.last))
                rows = rows[first_of_each(part.labels[rows], most)]
                for label, row in zip(
                    part.labels[rows].tolist(), part.rows[rows].tolist(), strict=True
                ):
                    examples.setdefault((label, index), []).append(show(row))
        return _Observed(self._counts(size), examples)

    def _counts(self, size: Place) -> Codes:
        labels, width = size[0], size[1] + 1
        begun = np.bincount(self.labels * width + self.first, minlength=labels * width)
        begun -= np.bincount(self.labels * width + self.last, minlength=labels * width)
        return begun.reshape(labels, width).cumsum(axis=1)[:, :-1]

    def _shortened(self, most: int) -> _Kind:
        """Keep the first objects of each label, which are the first at every threshold."""
        kept = first_of_each(self.labels, most)
        return evolve(
            self,
            rows=self.rows[kept],
            labels=self.labels[kept],
            first=self.first[kept],
            last=self.last[kept],
        )


def _kinds(
    table: Table, chosen: DetailedCurveParameters, thresholds: tuple[float, ...]
) -> dict[tuple[str, str], _Kind]:
    """Return the kinds of matches and errors, by side and name."""
    chunk, ranked = table.objects, ranking(table, chosen)
    # Scores descend in runs, which a binary search handles fast.
    bins = np.searchsorted(np.array(thresholds), ranked.scores, side="right")
    passes = bins > 0
    rows, bins, is_true = ranked.rows[passes], bins[passes], ranked.is_true[passes]
    passed = np.zeros(len(chunk.scores), np.int64)
    passed[rows] = bins
    overlapping, mistaken = _of_other_values(table, chosen, passed)
    labels = chunk.labels[rows]

    def predicted(wanted: Flags) -> _Kind:
        last = bins[wanted]
        return _Kind(rows[wanted], labels[wanted], np.zeros_like(last), last, ranked=True)

    found = np.zeros(len(chunk.true_labels), np.int64)
    found[ranked.matched.truths(chosen.iou_threshold)[rows[is_true]]] = bins[is_true]
    true_rows = np.argsort(chunk.true_labels, kind="stable")
    true_rows = true_rows[~ranked.matched.ignored[true_rows]]

    def missed(first: Codes, last: Codes) -> _Kind:
        missed_rows = true_rows[(first < last)[true_rows]]
        return _Kind(
            missed_rows,
            chunk.true_labels[missed_rows],
            first[missed_rows],
            last[missed_rows],
            ranked=False,
        )

    return {
        ("tp", "all"): predicted(is_true),
        ("fp", "misclassifications"): predicted(~is_true & overlapping[rows]),
        ("fp", "hallucinations"): predicted(~is_true & ~overlapping[rows]),
        ("fn", "misclassifications"): missed(found, mistaken),
        ("fn", "no_predictions"): missed(
            np.maximum(found, mistaken), np.full_like(found, len(thresholds))
        ),
    }


def _of_other_values(
    table: Table, chosen: DetailedCurveParameters, passed: Codes
) -> tuple[Flags, Codes]:
    """Return predictions on a ground truth of another value, and thresholds of such truths."""
    chunk, pairs = table.objects, table.unranked_pairs
    owners = pairs.owners
    protocol = protocol_of(chosen)
    other = pairs.ious >= protocol.limits((chosen.iou_threshold,))[0]
    other &= chunk.labels[owners] != chunk.true_labels[pairs.truths]
    other &= ~protocol.uncounted(chunk)[pairs.truths]
    owners, truths = owners[other], pairs.truths[other]
    overlapping = np.zeros(len(chunk.labels), dtype=bool)
    overlapping[owners] = True
    most = np.zeros(len(chunk.true_labels), np.int64)
    np.maximum.at(most, truths, passed[owners])
    return overlapping, most


def _value(
    observed: Mapping[tuple[str, str], _Observed],
    labels: Mapping[int, str],
    thresholds: tuple[float, ...],
) -> dict[str, Any]:
    """Return counts and examples by label, threshold, side and kind."""
    counts = {kind: each.counts.tolist() for kind, each in observed.items()}
    examples = {kind: each.examples for kind, each in observed.items()}

    def point(code: int, index: int) -> dict[str, Any]:
        sides: dict[str, dict[str, Any]] = {}
        for side, name in observed:
            kind = side, name
            count = counts[kind][code][index]
            at = sides.setdefault(side, {"total": 0, "observations": {}})
            at["total"] += count
            shown = examples[kind].get((code, index), [])
            at["observations"][name] = {"count": count, "examples": shown}
        return sides

    return {
        label: {repr(at): point(code, index) for index, at in enumerate(thresholds)}
        for code, label in labels.items()
    }


def _nothing(row: int) -> list[Any]:
    return []


def _show(uids: NDArray[Any], datums: Codes, shapes: NamedShapes) -> Show:
    """Return the function that shows an object: the uid of its image and its geometry."""

    @cache
    def shown(row: int) -> list[Any]:
        datum = int(datums[row])
        return [uids[datum : datum + 1].tolist()[0], _outlined(shapes.geometry(row))]

    return shown


def _outlined(geometry: Geometry) -> dict[str, Any]:
    """Convert a shape to GeoJSON, a box without converting it to a polygon."""
    if not isinstance(geometry, Box):
        return to_geojson(geometry)
    left, top, right, bottom = geometry.xmin, geometry.ymin, geometry.xmax, geometry.ymax
    corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]]
    return {"type": "Polygon", "coordinates": [corners]}
