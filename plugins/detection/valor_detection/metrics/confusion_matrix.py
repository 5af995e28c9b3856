"""Confusion matrix: which label was taken for which, and what was missed or made up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import ConfusionTable, Result
from valor_core.schemas import Codes, Uid
from valor_core.states import StateRequest
from valor_detection.matching import candidate_pairs, names_and_shapes
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.class_agnostic import Outcomes, outcomes
from valor_detection.matching.names_and_shapes import Outlines
from valor_detection.matching.table import KEY, Table
from valor_detection.parameters.counts import ConfusionMatrixParameters

_MOST_CELLS = 1 << 16  # that are counted whether or not they have an entry


@frozen
class ConfusionMatrix:
    """Objects by ground truth and prediction, with those that have only one of the two.

    Objects of any two labels of a key can match: predictions that reach the score threshold
    choose by score among the ground truths that they overlap enough. The value holds
    ``confusion_matrix``, counts by true and by predicted label; ``unmatched_predictions`` and
    ``unmatched_ground_truths``, counts by label.

    Parameters
    ----------
    parameters : ConfusionMatrixParameters
        Thresholds, rule of the matching and number of examples.

    Notes
    -----
    Several labels of one predicted annotation match what the best-scoring of them matches, and
    each has a cell. A crowd is never counted and excuses predictions of its own label.

    As labels play no part in the matching, a prediction of the wrong label can take an object
    from a lower-scoring one of the right label: the diagonal can be less than the true positives
    of `Counts`.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 9, 9))
    >>> seen = PredictedObject({"cat": 0.75}, Box(0, 0, 9, 8))
    >>> report = evaluate([Detection("a", [true], [seen])], ["ConfusionMatrix"])
    >>> report["ConfusionMatrix"].value["confusion_matrix"]
    {'cat': {'cat': 0, 'dog': 0}, 'dog': {'cat': 1, 'dog': 0}}
    """

    parameters: ConfusionMatrixParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Overlaps of objects with one label key, and their names if some are to be shown."""
        chosen = self.parameters
        counted = candidate_pairs.request(
            chosen.iou_thresholds, chosen.matching, convert_to=chosen.convert_to, scope=KEY
        )
        return (counted, names_and_shapes.request()) if chosen.max_examples else (counted,)

    def compute(self, state: Overlaps, named: Outlines | None = None) -> Iterator[Result]:
        """One result for each label key, IoU threshold and score threshold."""
        table, chosen = state.table, self.parameters
        for key, codes in table.seen.items():
            for iou_threshold in chosen.iou_thresholds:
                for score_threshold in chosen.score_thresholds:
                    found = outcomes(table, chosen.matching, iou_threshold, score_threshold)
                    cells = _Cells.of(table, codes, found)
                    coordinates = {
                        "label_key": key,
                        "iou_threshold": iou_threshold,
                        "score_threshold": score_threshold,
                    }
                    yield Result(
                        parameters=coordinates
                        | changed_parameters(chosen, "iou_thresholds", "score_thresholds"),
                        value=cells.counts()
                        if named is None
                        else cells.with_examples(chosen.max_examples, named),
                    )


@frozen(eq=False)
class _Cells:
    """Objects of a label key in the cells of a matrix with one more row and column for nothing.

    Parameters
    ----------
    table : Table
        The objects.
    names : list of str
        Values of the key's labels.
    rows, truths : ndarray of int64
        Predicted and true object of each entry, -1 for none.
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
        """The entries of some labels: predictions by descending score, then what was missed."""
        size = len(labels)
        places = np.full(len(table.labels) + 1, -1, np.int64)
        places[labels] = np.arange(size)
        columns = places[table.objects.labels[found.rows]]
        missed = places[table.objects.true_labels[found.missed]]
        rows, truths = found.rows, found.truths
        if size < len(table.labels):
            own, own_missed = columns >= 0, missed >= 0
            rows, truths, columns = rows[own], truths[own], columns[own]
            missed, missed_rows = missed[own_missed], found.missed[own_missed]
        else:
            missed_rows = found.missed
        lines = np.full(len(rows), size, np.int64)
        has = truths >= 0
        lines[has] = places[table.objects.true_labels[truths[has]]]
        return cls(
            table,
            [table.labels[label].value for label in labels],
            np.concatenate([rows, np.full(len(missed), -1)]),
            np.concatenate([truths, missed_rows]),
            np.concatenate([lines * (size + 1) + columns, missed * (size + 1) + size]),
        )

    def counts(self) -> ConfusionTable:
        """The value without examples."""
        return self._table(None)

    def with_examples(self, most: int, named: Outlines) -> ConfusionTable:
        """The value with a count and some objects in every cell."""
        examples: dict[tuple[int, int], list[Any]] = defaultdict(list)
        scores = np.append(self.table.objects.scores, -np.inf)[self.rows]
        order = np.lexsort((np.arange(len(scores)), -scores))
        (truths, predictions), chunk = named.rolls(self.table), self.table.objects
        for entry in order[first_of_each(self.codes[order], most)].tolist():
            row, truth = int(self.rows[entry]), int(self.truths[entry])
            datum = int(chunk.datums[row] if row >= 0 else chunk.true_datums[truth])
            example: dict[str, Uid] = {"datum_id": chunk.uids[datum : datum + 1].tolist()[0]}
            if truth >= 0:
                example["ground_truth_id"] = truths.name(truth)
            if row >= 0:
                example["prediction_id"] = predictions.name(row)
            examples[divmod(int(self.codes[entry]), len(self.names) + 1)].append(example)
        return self._table(examples)

    def _table(self, examples: Mapping[tuple[int, int], list[Any]] | None) -> ConfusionTable:
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
    """Positions, ascending, of the first entries with each code, at most so many of one.

    Examples
    --------
    >>> first_of_each(np.array([7, 3, 7, 7, 3]), 2)
    array([0, 1, 2, 4])
    """
    order = np.argsort(codes, kind="stable")
    ascending = codes[order]
    before = np.arange(len(codes)) - np.searchsorted(ascending, ascending)
    return np.sort(order[before < most])
