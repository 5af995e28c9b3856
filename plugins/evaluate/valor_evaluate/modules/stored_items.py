"""Stored items: the fields of items that a module reads, in columns independent of their order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, StateError, short_repr
from valor_core.schemas import Datums, Label, Vocabulary, natural_order
from valor_core.schemas.classification import ClassificationBatch, ScoreList, ScoreMatrix
from valor_core.schemas.columns import recoded, shifted
from valor_core.schemas.text import TextBatch
from valor_core.states import State, StateContent
from valor_core.states.saved_columns import saved_column, saved_labels, saved_uids

METADATA = "metadata."
"""Prefix of fields of the metadata."""

TEXT_COLUMNS = {
    "query": "queries",
    "response": "responses",
    "references": "references",
    "contexts": "contexts",
    "reference_contexts": "reference_contexts",
}
"""Columns of a batch by field of an item."""

_SINGLE = ("query", "response")

Cells = list[Any]
"""One value per item."""


@frozen(eq=False)
class TextItems:
    """Fields of texts.

    Parameters
    ----------
    uids : ndarray, shape (n_items,)
        Uids.
    fields : dict of str to list
        One value per item for each field: a text or None, a tuple of texts, or a metadata value.
    """

    uids: NDArray[Any]
    fields: dict[str, Cells]

    @classmethod
    def of(cls, batch: TextBatch, fields: Sequence[str]) -> TextItems:
        """Copy the fields of a batch."""
        kept = {name: _cells(batch, TEXT_COLUMNS[name]) for name in fields if name in TEXT_COLUMNS}
        return cls(batch.datums.uids.copy(), kept | _facts(batch.datums, fields))

    @classmethod
    def joined(cls, parts: Sequence[TextItems]) -> TextItems:
        """Join parts, sorted by uid."""
        every = _all_uids([part.uids for part in parts])
        order = natural_order(every)
        fields = {}
        for name in parts[0].fields:
            cells = [cell for part in parts for cell in part.fields[name]]
            fields[name] = [cells[row] for row in order.tolist()]
        return cls(every[order], fields)

    def dump(self) -> StateContent:
        """Return the fields, for a file."""
        return {"task": "text", "uids": self.uids, "fields": self.fields}

    @classmethod
    def restored(cls, content: StateContent, fields: Sequence[str]) -> TextItems:
        """Restore the fields that `dump` returned.

        Raises
        ------
        StateError
            If they are invalid.
        """
        names = saved_uids(content, "uids")
        found = _saved_fields(content, fields, len(names))
        for name in set(fields) & set(TEXT_COLUMNS):
            is_single = name in _SINGLE
            for cell in found[name]:
                if not (_is_text(cell) if is_single else _are_texts(cell)):
                    expected = "a text" if is_single else "texts"
                    raise StateError(f"{name}: expected {expected}, found {short_repr(cell)}")
            if not is_single:
                found[name] = [tuple(cell) for cell in found[name]]
        return cls(names, found)


@frozen(eq=False)
class ClassifiedItems:
    """Ground truths and predictions of classified items, as lists sorted by item.

    Parameters
    ----------
    batch : ClassificationBatch
        Items without metadata, with a list of scores.
    fields : dict of str to list
        Metadata by name of the field.
    """

    batch: ClassificationBatch
    fields: dict[str, Cells]

    @property
    def uids(self) -> NDArray[Any]:
        """Uids."""
        return self.batch.datums.uids

    @property
    def scores(self) -> ScoreList:
        """Predictions."""
        assert isinstance(self.batch.scores, ScoreList)
        return self.batch.scores

    @classmethod
    def of(cls, batch: ClassificationBatch, fields: Sequence[str]) -> ClassifiedItems:
        """Copy the items of a batch."""
        scores = batch.scores
        if isinstance(scores, ScoreMatrix):
            count, width = scores.values.shape
            scores = ScoreList(
                np.repeat(np.arange(count), width),
                np.tile(scores.labels, count),
                scores.values.astype(np.float64).reshape(-1),
            )
        else:
            values = scores.values.astype(np.float64)
            scores = ScoreList(scores.datums.copy(), scores.labels.copy(), values)
        stored = ClassificationBatch(
            Datums(batch.datums.uids.copy()),
            batch.labels,
            batch.truth_datums.copy(),
            batch.truth_labels.copy(),
            scores,
        )
        return cls(stored, _facts(batch.datums, fields))

    @classmethod
    def joined(cls, parts: Sequence[ClassifiedItems]) -> ClassifiedItems:
        """Join parts, sorted by uid, with sorted labels."""
        vocabulary = Vocabulary(sorted({label for part in parts for label in part.batch.labels}))
        codes = [vocabulary.join(part.batch.labels) for part in parts]
        starts = np.cumsum([0, *(len(part.batch) for part in parts)])[:-1].tolist()
        every = _all_uids([part.batch.datums.uids for part in parts])
        order = natural_order(every)
        rows = np.empty(len(order), np.int64)
        rows[order] = np.arange(len(order))

        truths = rows[shifted([part.batch.truth_datums for part in parts], starts)]
        true_labels = recoded([part.batch.truth_labels for part in parts], codes)
        by_label = np.lexsort((true_labels, truths))

        lists = [part.scores for part in parts]
        scored = rows[shifted([scores.datums for scores in lists], starts)]
        labels = recoded([scores.labels for scores in lists], codes)
        values = np.concatenate([scores.values for scores in lists])
        by_item = np.argsort(scored, kind="stable")
        batch = ClassificationBatch(
            Datums(every[order]),
            vocabulary.labels,
            truths[by_label],
            true_labels[by_label],
            ScoreList(scored[by_item], labels[by_item], values[by_item]),
        )
        fields = {}
        for name in parts[0].fields:
            cells = [cell for part in parts for cell in part.fields[name]]
            fields[name] = [cells[row] for row in order.tolist()]
        return cls(batch, fields)

    def dump(self) -> StateContent:
        """Return the columns, for a file."""
        batch, scores = self.batch, self.scores
        return {
            "task": "classification",
            "uids": batch.datums.uids,
            "labels": list(batch.labels),
            "truth_datums": batch.truth_datums,
            "truth_labels": batch.truth_labels,
            "score_datums": scores.datums,
            "score_labels": scores.labels,
            "scores": scores.values,
            "fields": self.fields,
        }

    @classmethod
    def restored(cls, content: StateContent, fields: Sequence[str]) -> ClassifiedItems:
        """Restore the columns that `dump` returned.

        Raises
        ------
        StateError
            If they are invalid.
        """
        names = ("truth_datums", "truth_labels", "score_datums", "score_labels")
        whole = {name: saved_column(content, name, np.int64) for name in names}
        known: list[Label] = saved_labels(content, "labels")
        try:
            batch = ClassificationBatch(
                Datums(saved_uids(content, "uids")),
                known,
                whole["truth_datums"],
                whole["truth_labels"],
                ScoreList(
                    whole["score_datums"],
                    whole["score_labels"],
                    saved_column(content, "scores", np.float64),
                ),
            )
        except SchemaError as error:
            raise StateError(error.message) from error
        return cls(batch, _saved_fields(content, fields, len(batch)))


Items = TextItems | ClassifiedItems
_TASKS: dict[str, type[TextItems] | type[ClassifiedItems]] = {
    "text": TextItems,
    "classification": ClassifiedItems,
}


@define
class StoredItems(State):
    """State of a module: all fields that it reads, of every item.

    Parameters
    ----------
    fields : tuple of str
        Fields to store; ``metadata.NAME`` is a field of the metadata. Ground truths and predictions
        of classified items are always stored.

    Examples
    --------
    >>> from valor_core.schemas.text import Text
    >>> state = StoredItems(fields=("response",))
    >>> state.update(TextBatch.of([Text("b", response="no"), Text("a", response="yes")]))
    >>> state.items.uids.tolist(), state.items.fields
    (['a', 'b'], {'response': ['yes', 'no']})
    """

    fields: tuple[str, ...]
    _parts: list[Any] = field(factory=list)

    @property
    def items(self) -> Items | None:
        """All items, sorted by uid; None without items."""
        filled = [part for part in self._parts if len(part.uids)]
        return type(filled[0]).joined(filled) if filled else None

    def update(self, batch: Any) -> None:
        """Store the items of a batch."""
        self._parts.append(_TASKS[batch.task].of(batch, self.fields))

    def merge(self, other: Self) -> None:
        """Add the items of another state."""
        self._parts += other._parts

    def dump(self) -> StateContent:
        """Return all items, for a file."""
        items = self.items
        return {} if items is None else items.dump()

    def restore(self, content: StateContent) -> None:
        """Restore the items that `dump` returned.

        Raises
        ------
        StateError
            If a column is missing or invalid.
        """
        if not content:
            return
        task = content.get("task")
        if not isinstance(task, str) or task not in _TASKS:
            raise StateError(f"task: expected text or classification, found {short_repr(task)}")
        self._parts = [_TASKS[task].restored(content, self.fields)]


def _all_uids(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Join uids; they are strings if the types of the parts differ."""
    kinds = {column.dtype.kind for column in columns}
    if len(kinds) > 1:
        columns = [column.astype(np.str_) for column in columns]
    return np.concatenate(columns)


def _cells(batch: TextBatch, name: str) -> Cells:
    cells: Cells = getattr(batch, name).tolist()
    return cells


def _facts(datums: Datums, fields: Sequence[str]) -> dict[str, Cells]:
    """Return metadata fields of items, None if missing."""
    wanted = [name for name in fields if name.startswith(METADATA)]
    missing = np.full(len(datums), None, dtype=object)
    return {
        name: [_plain(fact) for fact in datums.metadata.get(name.removeprefix(METADATA), missing)]
        for name in wanted
    }


def _plain(fact: Any) -> Any:
    """Convert a metadata value to JSON types; numbers that are not finite become None."""
    if isinstance(fact, (np.generic, np.ndarray)):
        fact = fact.tolist()
    if isinstance(fact, (list, tuple)):
        return [_plain(each) for each in fact]
    if isinstance(fact, Mapping):
        return {str(name): _plain(each) for name, each in fact.items()}
    if fact is None or isinstance(fact, (bool, int, str)):
        return fact
    if isinstance(fact, float):
        return fact if math.isfinite(fact) else None
    return str(fact)


def _saved_fields(content: StateContent, fields: Sequence[str], count: int) -> dict[str, Cells]:
    found = content.get("fields")
    if not isinstance(found, dict):
        raise StateError(f"fields: expected columns by name, found {short_repr(found)}")
    is_text = content.get("task") == "text"
    for name in fields:
        if not (is_text or name.startswith(METADATA)):
            continue
        cells = found.get(name)
        if not isinstance(cells, list) or len(cells) != count:
            raise StateError(
                f"fields: expected {count:,} cells of {name}, found {short_repr(cells)}"
            )
    return dict(found)


def _is_text(cell: object) -> bool:
    return cell is None or isinstance(cell, str)


def _are_texts(cell: object) -> bool:
    return isinstance(cell, (list, tuple)) and all(isinstance(text, str) for text in cell)
