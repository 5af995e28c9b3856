"""Columns of classification: true labels, and predicted labels or scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from datasets import Features, Value
from datasets import Sequence as ListOf
from valor_classification.readers.arrays import from_arrays, from_predicted
from valor_classification.readers.classes import plain_array

from valor_core.errors import SchemaError, short_repr
from valor_core.parameters import parameter, parameters
from valor_core.schemas import DEFAULT_KEY
from valor_core.schemas.classification import Classification, ClassificationBatch

_PAIR = '{"label": …, "score": …}'
_LABELS = 'Name the labels in order: data={"labels": […]}.'


@parameters
class ClassificationColumns:
    """Settings of columns of classification."""

    labels: tuple[str, ...] = parameter(
        default=(),
        help="The label of each score of an item, in their order; a label that is a number is a "
        "position in it.",
        distinct=True,
    )
    key: str = parameter(default=DEFAULT_KEY, help="Key of all labels.")

    @property
    def names(self) -> tuple[str, ...]:
        """Accepted columns."""
        return (*self.required, "uid")

    @property
    def required(self) -> tuple[str, ...]:
        """Required columns."""
        return "predictions", "references"

    @property
    def features(self) -> list[Features]:
        """Labels as strings or integers, scores of all labels, and labels with scores."""
        label, labels = Value("string"), ListOf(Value("string"))
        number, numbers = Value("int64"), ListOf(Value("int64"))
        scores = ListOf(Value("float64"))
        scored = [{"label": Value("string"), "score": Value("float64")}]
        pairs = (
            (label, label),
            (number, number),
            (scores, label),
            (scores, number),
            (Value("float64"), number),
            (scores, numbers),
            (scored, label),
            (scored, labels),
        )
        return [
            Features({"predictions": predicted, "references": true}) for predicted, true in pairs
        ]

    def batch(self, columns: Mapping[str, Any], start: int) -> ClassificationBatch:
        """Make a batch of columns."""
        predictions, references = columns["predictions"], columns["references"]
        uids = columns.get("uid")
        if _are_scored_labels(predictions):
            return self._listed(predictions, references, uids, start)
        predicted, true = (
            plain_array(predictions, "predictions"),
            self._labels(references, "references"),
        )
        batch: ClassificationBatch
        if predicted.ndim == 1 and predicted.dtype.kind != "f":
            batch = from_predicted(
                true, self._labels(predictions, "predictions"), key=self.key, uids=uids
            )
        else:
            self._check_scores(predicted, true)
            batch = from_arrays(
                references, predicted, labels=self.labels or None, key=self.key, uids=uids
            )
        return batch.renumber(start) if uids is None else batch

    def _labels(self, column: Any, name: str) -> Any:
        """Return a column of labels, with indices replaced by `labels` if given."""
        array = plain_array(column, name) if self.labels else None
        if array is None or array.ndim != 1 or array.dtype.kind not in "iu":
            return column
        invalid = np.flatnonzero((array < 0) | (array >= len(self.labels)))
        if len(invalid):
            raise SchemaError(
                f"{name}[{invalid[0]}]: expected a position among {len(self.labels)} labels, "
                f"got {array[invalid[0]]}",
                _LABELS,
            )
        return np.array(self.labels)[array]

    def _check_scores(self, predicted: Any, true: Any) -> None:
        """Reject columns without labels or scores, and scores of unspecified labels."""
        if predicted.ndim not in (1, 2) or predicted.dtype.kind not in "fiub":
            raise SchemaError(
                "predictions: expected a label, the scores of all labels, or a list of "
                f"{_PAIR} for each item, got {short_repr(predicted)}"
            )
        is_text = plain_array(true, "references").dtype.kind in "UO"
        if is_text and not self.labels and len(predicted):
            raise SchemaError(
                "predictions: expected labels for the columns of scores, got "
                f"{1 if predicted.ndim == 1 else predicted.shape[1]} scores for an item",
                _LABELS,
            )

    def _listed(
        self, predictions: Any, references: Any, uids: Any, start: int
    ) -> ClassificationBatch:
        named = range(start, start + len(predictions)) if uids is None else uids
        batch = ClassificationBatch.of(
            Classification(uid, self._keyed(true), self._pairs(predicted, uid))
            for uid, predicted, true in zip(named, predictions, references, strict=True)
        )
        return batch.renumber(start) if uids is None else batch

    def _keyed(self, labels: Any) -> Any:
        """Add the key to labels."""
        if labels is None or self.key == DEFAULT_KEY:
            return labels
        several = labels if isinstance(labels, (list, tuple)) else [labels]
        return [(self.key, str(one)) for one in several]

    def _pairs(self, cell: Any, uid: Any) -> list[tuple[Any, Any]]:
        """Return labels and scores of an item: a table of lists, a list of tables, or None."""
        where = f"item {uid!r}, predictions"
        listed = [cell] if isinstance(cell, Mapping) else [] if cell is None else cell
        if not isinstance(listed, (list, tuple)):
            raise SchemaError(f"{where}: expected {_PAIR}, got {short_repr(cell)}")
        labels: list[Any] = []
        given: list[Any] = []
        for one in listed:
            if not isinstance(one, Mapping) or not {"label", "score"} <= set(one):
                raise SchemaError(f"{where}: expected {_PAIR}, got {short_repr(one)}")
            several = (
                isinstance(one["label"], (list, tuple)),
                isinstance(one["score"], (list, tuple)),
            )
            labels += one["label"] if several[0] else [one["label"]]
            given += one["score"] if several[1] else [one["score"]]
        if len(labels) != len(given):
            raise SchemaError(
                f"{where}: expected a score for each of {len(labels)} labels, got {len(given)}"
            )
        return list(zip(self._keyed(labels), given, strict=True))


def _are_scored_labels(predictions: Any) -> bool:
    """Return True if items of a column are labels with scores; lists may be empty."""
    if isinstance(predictions, np.ndarray) and predictions.dtype != object:
        return False
    cells = [cell for cell in predictions if isinstance(cell, (Mapping, list, tuple))]
    first = next((cell for cell in cells if len(cell)), None)
    if first is None:
        return len(cells) > 0
    return isinstance(first, Mapping) or isinstance(first[0], Mapping)
