"""Confusion matrix of labels, with unmatched objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import ConfusionTable, ItemRows, MetricDetails, Result
from valor_core.schemas import Codes, Uid
from valor_core.states import StateRequest
from valor_detection.matching import candidate_pairs, names_and_shapes
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.class_agnostic import Outcomes, outcomes
from valor_detection.matching.image_rows import confusion_rows
from valor_detection.matching.names_and_shapes import Outlines
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.table import KEY, Table
from valor_detection.matching.threshold_counts import threshold_details
from valor_detection.parameters.counts import ConfusionMatrixParameters
from valor_detection.parameters.gallery import ExamplesParameters

_MOST_CELLS = 1 << 16  # counted in a dense table


@frozen
class ConfusionMatrix:
    """Numbers of objects by true and predicted label, and of unmatched objects by label.

    Objects of any two labels of a key can match: predictions at or above the score threshold match
    in descending order of scores. The value has ``confusion_matrix``, counts by true and by
    predicted label; ``unmatched_predictions`` and ``unmatched_ground_truths``, counts by label.

    Parameters
    ----------
    parameters : ConfusionMatrixParameters
        Thresholds, protocol and number of examples.

    Notes
    -----
    All labels of a predicted annotation have the match of its best-scoring label, and each is
    counted in a cell. Crowds are not counted, nor are predictions of their label that match them.

    Labels are ignored in the matching, so a prediction of the wrong label can match a ground truth
    before a lower-scoring one of the right label. The diagonal can be less than the true positives
    of `Counts`.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 9, 9))
    >>> predicted = PredictedObject({"cat": 0.75}, Box(0, 0, 9, 8))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["ConfusionMatrix"])
    >>> report["ConfusionMatrix"].value["confusion_matrix"]
    {'cat': {'cat': 0, 'dog': 0}, 'dog': {'cat': 1, 'dog': 0}}
    """

    parameters: ConfusionMatrixParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label key, and their uids for examples."""
        counted = label_key_request(self.parameters)
        return (counted, names_and_shapes.request()) if self.parameters.max_examples else (counted,)

    def details(self, state: Overlaps, *others: object) -> MetricDetails:
        """Return warnings for score thresholds that change nothing."""
        return threshold_details(state.table, self.parameters.score_thresholds)

    def item_rows(self, state: Overlaps, named: Outlines | None = None) -> ItemRows:
        """Return the objects of each image by outcome, at the first thresholds."""
        chosen, table = self.parameters, state.table
        thresholds = chosen.iou_thresholds[0], chosen.score_thresholds[0]
        return confusion_rows(table, outcomes(table, protocol_of(chosen), *thresholds))

    def compute(self, state: Overlaps, named: Outlines | None = None) -> Iterator[Result]:
        """Yield a result for each label key, IoU threshold and score threshold."""
        most = self.parameters.max_examples
        for parameters, codes, found in outcomes_by_key(state.table, self.parameters):
            cells = _Cells.of(state.table, codes, found)
            value = cells.value() if named is None else cells.with_examples(most, named)
            yield Result(parameters=parameters, value=value)


def label_key_request(chosen: ConfusionMatrixParameters | ExamplesParameters) -> StateRequest:
    """Request overlaps of objects with one label key."""
    return candidate_pairs.request(chosen.iou_thresholds, protocol_of(chosen), scope=KEY)


def outcomes_by_key(
    table: Table, chosen: ConfusionMatrixParameters | ExamplesParameters
) -> Iterator[tuple[dict[str, Any], list[int], Outcomes]]:
    """Yield the outcomes of each label key, IoU threshold and score threshold.

    Each is preceded by the parameters of its result and the codes of the key's labels.
    """
    changed = changed_parameters(chosen, "iou_thresholds", "score_thresholds")
    for key, codes in table.seen.items():
        for iou_threshold in chosen.iou_thresholds:
            for score_threshold in chosen.score_thresholds:
                coordinates = {
                    "label_key": key,
                    "iou_threshold": iou_threshold,
                    "score_threshold": score_threshold,
                }
                found = outcomes(table, protocol_of(chosen), iou_threshold, score_threshold)
                yield coordinates | changed, codes, found


@frozen(eq=False)
class _Cells:
    """Objects of a label key in the cells of a matrix, with an extra row and column for no match.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    names : list of str
        Values of the key's labels.
    rows, truths : ndarray of int64
        Prediction and ground truth of each entry, -1 for none.
    codes : ndarray of int64
        Cell of each entry.
    """

    table: Table
    names: list[str]
    rows: Codes
    truths: Codes
    codes: Codes

    @classmethod
    def of(cls, table: Table, labels: list[int], found: Outcomes) -> _Cells:
        """Create the entries of labels: predictions by row, then missed ground truths."""
        size = len(labels)
        indices = np.full(len(table.labels) + 1, -1, np.int64)
        indices[labels] = np.arange(size)
        columns = indices[table.objects.labels[found.rows]]
        missed = indices[table.objects.true_labels[found.missed]]
        rows, truths = found.rows, found.truths
        if size < len(table.labels):
            of_key, missed_of_key = columns >= 0, missed >= 0
            rows, truths, columns = rows[of_key], truths[of_key], columns[of_key]
            missed, missed_rows = missed[missed_of_key], found.missed[missed_of_key]
        else:
            missed_rows = found.missed
        lines = np.full(len(rows), size, np.int64)
        has = truths >= 0
        lines[has] = indices[table.objects.true_labels[truths[has]]]
        return cls(
            table,
            [table.labels[label].value for label in labels],
            np.concatenate([rows, np.full(len(missed), -1)]),
            np.concatenate([truths, missed_rows]),
            np.concatenate([lines * (size + 1) + columns, missed * (size + 1) + size]),
        )

    def with_examples(self, most: int, named: Outlines) -> ConfusionTable:
        """Return the value with a count and examples in every cell."""
        examples: dict[tuple[int, int], list[Any]] = defaultdict(list)
        scores = np.append(self.table.objects.scores, -np.inf)[self.rows]
        order = np.lexsort((np.arange(len(scores)), -scores))
        (truths, predictions), chunk = named.of_table(self.table), self.table.objects
        for entry in order[first_of_each(self.codes[order], most)].tolist():
            row, truth = int(self.rows[entry]), int(self.truths[entry])
            datum = int(chunk.datums[row] if row >= 0 else chunk.true_datums[truth])
            example: dict[str, Uid] = {"datum_id": chunk.uids[datum : datum + 1].tolist()[0]}
            if truth >= 0:
                example["ground_truth_id"] = truths.name(truth)
            if row >= 0:
                example["prediction_id"] = predictions.name(row)
            examples[divmod(int(self.codes[entry]), len(self.names) + 1)].append(example)
        return self.value(examples)

    def value(self, examples: Mapping[tuple[int, int], list[Any]] | None = None) -> ConfusionTable:
        """Return the value, without examples by default."""
        width = len(self.names) + 1
        if width**2 < _MOST_CELLS:
            in_all = np.bincount(self.codes)
            codes = np.flatnonzero(in_all)
            counts = in_all[codes]
        else:
            codes, counts = np.unique(self.codes, return_counts=True)
        return ConfusionTable(
            labels=self.names,
            rows=codes // width,
            columns=codes % width,
            numbers=counts,
            examples=examples,
        )


def first_of_each(codes: Codes, most: int) -> Codes:
    """Return the positions of the first entries of each code, at most `most` of each, ascending.

    Examples
    --------
    >>> first_of_each(np.array([7, 3, 7, 7, 3]), 2)
    array([0, 1, 2, 4])
    """
    order = np.argsort(codes, kind="stable")
    ascending = codes[order]
    before = np.arange(len(codes)) - np.searchsorted(ascending, ascending)
    return np.sort(order[before < most])
