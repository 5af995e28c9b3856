"""Record fields: fields of texts and classified items, for the columns of a module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas import Codes
from valor_evaluate.modules.feature import element_of, kind_of, value_of
from valor_evaluate.modules.label_codes import LabelCodes
from valor_evaluate.modules.module_source import ANSWER_START, GROUNDTRUTHS, PREDICTIONS, UID
from valor_evaluate.modules.stored_items import METADATA, Cells, ClassifiedItems, TextItems


@frozen
class ReadSettings:
    """Settings for settings columns.

    Parameters
    ----------
    codes : LabelCodes
        Codes of classes.
    lists, score_threshold
        As in `ModuleParameters`.
    """

    codes: LabelCodes
    lists: str | None
    score_threshold: float


class RecordFields(Protocol):
    """Items whose fields feed columns."""

    @property
    def task(self) -> str:
        """Task of the items."""

    def __len__(self) -> int: ...

    def lacking(self, source: Any, feature: Any) -> tuple[NDArray[np.bool_], str] | None:
        """Return a mask of items without a value, and the reason; None if all items have one."""

    def select(self, indices: Codes) -> RecordFields:
        """Select items by index."""

    def classes(self, sources: Iterable[Any]) -> Iterable[str]:
        """Return the class names in fields."""

    def coded(self, source: Any, path: str, codes: LabelCodes) -> list[int]:
        """Return the codes of the classes in a field."""

    def values(self, source: Any, path: str, feature: Any, settings: ReadSettings) -> list[Any]:
        """Return a column with the declared type."""

    def plain(self, source: Any, path: str) -> list[Any]:
        """Return a column without a declared type: texts, lists, metadata or label names."""


@define(slots=False)
class TextFields:
    """Fields of texts."""

    items: TextItems
    task: str = "text"

    def __len__(self) -> int:
        return len(self.items.uids)

    def lacking(self, source: Any, feature: Any) -> tuple[NDArray[np.bool_], str] | None:
        """Return items without a response, reference or metadata value."""
        is_list = feature is not None and kind_of(feature) == "list"
        if source in ("contexts", "reference_contexts") and is_list:
            return None
        return _lacking(self._cells(source), source) if source in self.items.fields else None

    def select(self, indices: Codes) -> TextFields:
        """Select items by index."""
        fields = {name: _at(cells, indices) for name, cells in self.items.fields.items()}
        return TextFields(TextItems(self.items.uids[indices], fields))

    def classes(self, sources: Iterable[Any]) -> Iterable[str]:
        """Yield texts and metadata that are class names."""
        for source in sources:
            for cell in self._cells(source):
                if isinstance(cell, tuple):
                    yield from cell
                else:
                    yield str(cell)

    def coded(self, source: Any, path: str, codes: LabelCodes) -> list[int]:
        """Return the codes of texts that are class names."""
        names = []
        for index, cell in enumerate(self._cells(source)):
            if isinstance(cell, tuple) and len(cell) != 1:
                raise _misfit(
                    self.items.uids, index, path, f"expected one class, found {len(cell):,} texts"
                )
            names.append(cell[0] if isinstance(cell, tuple) else str(cell))
        return codes.encoded(names)

    def values(self, source: Any, path: str, feature: Any, settings: ReadSettings) -> list[Any]:
        """Return a column of texts, numbers, or lists and tables of them."""
        if source == ANSWER_START:
            return self._starts()
        cells = self._cells(source)
        kind = kind_of(feature)
        if kind == "text" and source in ("query", "response"):
            return cells
        return _values(cells, self.items.uids, path, feature, settings.lists)

    def plain(self, source: Any, path: str) -> list[Any]:
        """Return a column of texts, lists of texts, or metadata."""
        return [list(cell) if isinstance(cell, tuple) else cell for cell in self._cells(source)]

    def _cells(self, source: Any) -> Cells:
        return _fact_cells(self.items.fields, self.items.uids, source)

    def _starts(self) -> list[list[int]]:
        """Return the offset of each reference in the first context, -1 if it does not occur."""
        found = []
        columns = (self.items.fields["references"], self.items.fields["contexts"])
        for references, contexts in zip(*columns, strict=True):
            context = contexts[0] if contexts else ""
            found.append([context.find(reference) for reference in references])
        return found


@define(slots=False)
class LabelFields:
    """Ground truths and predictions of one label key.

    Parameters
    ----------
    items : ClassifiedItems
        All items, sorted.
    key : str
        Label key.
    rows : ndarray of int64
        Indices of the items with this key, ascending.
    """

    items: ClassifiedItems
    key: str
    indices: Codes = field()
    task: str = "classification"

    @indices.default
    def _with_key(self) -> Codes:
        """Indices of items that have a ground truth or a prediction with this key."""
        batch, scores = self.items.batch, self.items.scores
        true = batch.truth_datums[self._has_key[batch.truth_labels]]
        scored = scores.datums[self._has_key[scores.labels]]
        return np.union1d(true, scored)

    def __len__(self) -> int:
        return len(self.indices)

    @cached_property
    def names(self) -> list[str]:
        """Names of all labels of the vocabulary, with any key."""
        return [label.value for label in self.items.batch.labels]

    @property
    def _has_key(self) -> NDArray[np.bool_]:
        return np.array([label.key == self.key for label in self.items.batch.labels], dtype=bool)

    @cached_property
    def _truths(self) -> tuple[Codes, Codes]:
        """Ground truths: index of the item, and label."""
        batch = self.items.batch
        return self._entries(batch.truth_datums, batch.truth_labels)[:2]

    @cached_property
    def _scored(self) -> tuple[Codes, Codes, NDArray[np.float64]]:
        """Predictions: index of the item, label and score."""
        scores = self.items.scores
        indices, labels, rows = self._entries(scores.datums, scores.labels)
        values: NDArray[np.float64] = scores.values.astype(np.float64)[rows]
        return indices, labels, values

    def _entries(self, datums: Codes, labels: Codes) -> tuple[Codes, Codes, Codes]:
        """Select entries with this key: index of the item, label, and index of the entry."""
        rows = np.flatnonzero(self._has_key[labels] & np.isin(datums, self.indices))
        return np.searchsorted(self.indices, datums[rows]), labels[rows], rows

    def lacking(self, source: Any, feature: Any) -> tuple[NDArray[np.bool_], str] | None:
        """Return items without a ground truth, prediction or metadata value; lists may be empty."""
        if source in (GROUNDTRUTHS, PREDICTIONS):
            if feature is not None and kind_of(feature) == "list":
                return None
            found = (self._truths if source == GROUNDTRUTHS else self._scored)[0]
            is_lacking = np.bincount(found, minlength=len(self)) == 0
            return (is_lacking, f"no {source}") if is_lacking.any() else None
        if source in self.items.fields:
            return _lacking(_at(self.items.fields[source], self.indices), source)
        return None

    def select(self, indices: Codes) -> LabelFields:
        """Select items by index."""
        return LabelFields(self.items, self.key, self.indices[indices])

    def classes(self, sources: Iterable[Any]) -> Iterable[str]:
        """Yield the names of the items' labels, and metadata that are class names."""
        for labels in (self._truths[1], self._scored[1]):
            yield from (self.names[code] for code in np.unique(labels).tolist())
        for source in sources:
            if source not in (GROUNDTRUTHS, PREDICTIONS):
                yield from map(str, self._cells(source))

    def coded(self, source: Any, path: str, codes: LabelCodes) -> list[int]:
        """Return the codes of true labels, best predicted labels, or metadata."""
        return codes.encoded(self._single(source, path))

    def values(self, source: Any, path: str, feature: Any, settings: ReadSettings) -> list[Any]:
        """Return a column of label names, scores of the positive label, or lists over labels."""
        if source not in (GROUNDTRUTHS, PREDICTIONS):
            return _values(self._cells(source), self._uids, path, feature, settings.lists)
        kind = kind_of(feature)
        if kind == "text":
            return self._single(source, path)
        if kind == "whole":
            return _values([*self._single(source, path)], self._uids, path, feature, None)
        if kind == "number":
            return self._positive(source, path, settings.codes)
        if kind == "list":
            return self._listed(source, path, kind_of(element_of(feature)), settings)
        raise SchemaError(
            f"columns: {path} is fed by labels, which are no {kind}",
            f"Name a field of the metadata for it: columns: {{{path}: {METADATA}NAME}}",
        )

    def plain(self, source: Any, path: str) -> list[Any]:
        """Return a column of label names or metadata."""
        is_label = source in (GROUNDTRUTHS, PREDICTIONS)
        return self._single(source, path) if is_label else self._cells(source)

    @property
    def _uids(self) -> NDArray[Any]:
        return self.items.uids[self.indices]

    def _cells(self, source: Any) -> Cells:
        if isinstance(source, str) and source in self.items.fields:
            return _at(self.items.fields[source], self.indices)
        return _fact_cells({}, self._uids, source)

    def _single(self, source: Any, path: str) -> list[str]:
        """Return the name of the single label of each item."""
        if source == PREDICTIONS:
            indices, labels, scores = self._scored
            best = np.lexsort((np.arange(len(indices)), -scores, indices))
            first = np.unique(indices[best], return_index=True)[1]
            labels = labels[best][first]
        elif source == GROUNDTRUTHS:
            indices, labels = self._truths
            counts = np.bincount(indices, minlength=len(self))
            if counts.max(initial=0) > 1:
                index = int(np.argmax(counts > 1))
                found = f"expected one ground truth, found {counts[index]:,}"
                raise _misfit(self._uids, index, path, found)
        else:
            return [str(cell) for cell in self._cells(source)]
        return [self.names[code] for code in labels.tolist()]

    def _positive(self, source: Any, path: str, codes: LabelCodes) -> list[float]:
        """Return the score of the positive label of each item; of truths, 1.0 or 0.0."""
        positive = codes.positive
        if source == GROUNDTRUTHS:
            return [float(name == positive) for name in self._single(source, path)]
        return self._scores([positive], path)[:, 0].tolist()  # type: ignore[no-any-return]

    def _scores(self, names: Sequence[str], path: str) -> NDArray[np.float64]:
        """Return the scores of labels, one row per item."""
        columns = {name: column for column, name in enumerate(names)}
        table = np.full((len(self), len(names)), np.nan)
        indices, labels, scores = self._scored
        wanted = np.array([columns.get(name, -1) for name in self.names], dtype=np.int64)[labels]
        is_wanted = wanted >= 0
        table[indices[is_wanted], wanted[is_wanted]] = scores[is_wanted]
        without = np.argwhere(np.isnan(table))
        if len(without):
            index, column = without[0].tolist()
            found = f"expected a score of {names[column]!r}, found none"
            raise _misfit(self._uids, index, path, found)
        return table

    def _listed(self, source: Any, path: str, kind: str, settings: ReadSettings) -> list[Any]:
        """Return a list per item: 0, 1 or a score for each label, or the names of its labels."""
        names = settings.codes.names
        if source == PREDICTIONS and kind == "number":
            return self._scores(names, path).tolist()  # type: ignore[no-any-return]
        indices, labels = self._truths
        if source == PREDICTIONS:
            indices, labels, scores = self._scored
            is_predicted = scores >= settings.score_threshold
            indices, labels = indices[is_predicted], labels[is_predicted]
        columns = {name: column for column, name in enumerate(names)}
        unknown = {self.names[code] for code in np.unique(labels).tolist()} - columns.keys()
        if unknown:
            settings.codes.encoded(sorted(unknown))
        table = np.zeros((len(self), len(names)), dtype=np.int64)
        columns_of_label = np.array([columns.get(name, -1) for name in self.names], dtype=np.int64)
        table[indices, columns_of_label[labels]] = 1
        if kind == "text":
            return [[name for name, has in zip(names, row, strict=True) if has] for row in table]
        return (table if kind == "whole" else table.astype(float)).tolist()


def label_keys(items: ClassifiedItems) -> list[str]:
    """Return the label keys of items, sorted."""
    batch = items.batch
    used = np.union1d(batch.truth_labels, items.scores.labels)
    return sorted({batch.labels[code].key for code in used.tolist()})


def _at(cells: Cells, indices: Codes) -> Cells:
    return [cells[index] for index in indices.tolist()]


def _lacking(cells: Cells, source: str) -> tuple[NDArray[np.bool_], str] | None:
    is_lacking = np.array([cell is None or cell == () for cell in cells], dtype=bool)
    if not is_lacking.any():
        return None
    fact = source.removeprefix(METADATA)
    return is_lacking, f"no {source}" if fact == source else f"no {fact!r} in the metadata"


def _fact_cells(fields: dict[str, Cells], uids: NDArray[Any], source: Any) -> Cells:
    """Return a field of each item, its uid, or a constant."""
    if source == UID:
        return uids.tolist()  # type: ignore[no-any-return]
    return fields[source] if isinstance(source, str) else [source] * len(uids)


def _values(
    cells: Cells, uids: NDArray[Any], path: str, feature: Any, lists: str | None
) -> list[Any]:
    values = []
    for index, cell in enumerate(cells):
        try:
            values.append(value_of(cell, feature, lists))
        except SchemaError as error:
            raise _misfit(uids, index, path, error.message) from None
    return values


def _misfit(uids: NDArray[Any], index: int, path: str, found: str) -> SchemaError:
    return SchemaError(f"item {uids[index].item()!r}, {path}: {found}")
