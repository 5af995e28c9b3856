"""Item fields: what the columns of a module are read from, of text and of classified items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas import Codes
from valor_evaluate.modules.feature import element_of, kind_of
from valor_evaluate.modules.label_codes import LabelCodes
from valor_evaluate.modules.module_source import ANSWER_START, GROUNDTRUTHS, PREDICTIONS, UID
from valor_evaluate.modules.stored_items import METADATA, Cells, ClassifiedItems, TextItems
from valor_evaluate.modules.value import value_of


@frozen
class Reading:
    """How columns are read.

    Parameters
    ----------
    codes : LabelCodes
        Numbers of classes.
    lists, score_threshold
        As in `ModuleParameters`.
    """

    codes: LabelCodes
    lists: str | None
    score_threshold: float


class ItemFields(Protocol):
    """Items whose fields feed columns."""

    @property
    def task(self) -> str:
        """Their task."""

    def __len__(self) -> int: ...

    def lacking(self, source: Any, feature: Any) -> tuple[NDArray[np.bool_], str] | None:
        """Which items have nothing that could feed a column, and why; None if all have it."""

    def select(self, places: Codes) -> ItemFields:
        """The items at some places."""

    def classes(self, sources: Iterable[Any]) -> Iterable[str]:
        """Names of the classes in some fields."""

    def coded(self, source: Any, path: str, codes: LabelCodes) -> list[int]:
        """The codes of the classes in a field."""

    def values(self, source: Any, path: str, feature: Any, reading: Reading) -> list[Any]:
        """A column: for each item what the feature declares."""

    def plain(self, source: Any, path: str) -> list[Any]:
        """A column of no declared feature: texts, lists of them, facts or names of labels."""


@define(slots=False)
class TextFields:
    """Fields of items of text."""

    items: TextItems
    task: str = "text"

    def __len__(self) -> int:
        return len(self.items.uids)

    def lacking(self, source: Any, feature: Any) -> tuple[NDArray[np.bool_], str] | None:
        """Items without a response, a reference or a fact."""
        is_list = feature is not None and kind_of(feature) == "list"
        if source in ("contexts", "reference_contexts") and is_list:
            return None
        return _lacking(self._cells(source), source) if source in self.items.fields else None

    def select(self, places: Codes) -> TextFields:
        """The items at some places."""
        fields = {name: _at(cells, places) for name, cells in self.items.fields.items()}
        return TextFields(TextItems(self.items.uids[places], fields))

    def classes(self, sources: Iterable[Any]) -> Iterable[str]:
        """Texts and facts that are names of classes."""
        for source in sources:
            for cell in self._cells(source):
                if isinstance(cell, tuple):
                    yield from cell
                else:
                    yield str(cell)

    def coded(self, source: Any, path: str, codes: LabelCodes) -> list[int]:
        """The codes of texts that are names of classes."""
        names = []
        for place, cell in enumerate(self._cells(source)):
            if isinstance(cell, tuple) and len(cell) != 1:
                raise _misfit(
                    self.items.uids, place, path, f"expected one class, found {len(cell):,} texts"
                )
            names.append(cell[0] if isinstance(cell, tuple) else str(cell))
        return codes.encoded(names)

    def values(self, source: Any, path: str, feature: Any, reading: Reading) -> list[Any]:
        """A column: texts, numbers, or lists and tables of them."""
        if source == ANSWER_START:
            return self._starts()
        cells = self._cells(source)
        kind = kind_of(feature)
        if kind == "text" and source in ("query", "response"):
            return cells
        return _values(cells, self.items.uids, path, feature, reading.lists)

    def plain(self, source: Any, path: str) -> list[Any]:
        """A column of texts, lists of them, or facts."""
        return [list(cell) if isinstance(cell, tuple) else cell for cell in self._cells(source)]

    def _cells(self, source: Any) -> Cells:
        return _fact_cells(self.items.fields, self.items.uids, source)

    def _starts(self) -> list[list[int]]:
        """Where each reference begins in the first context, -1 where it does not occur in it."""
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
        The label key.
    places : ndarray of int64
        The items that take part, ascending.
    """

    items: ClassifiedItems
    key: str
    places: Codes = field()
    task: str = "classification"

    @places.default
    def _taking_part(self) -> Codes:
        """Items that have a ground truth or a prediction in the key."""
        batch, scores = self.items.batch, self.items.scores
        true = batch.truth_datums[self._is_own[batch.truth_labels]]
        scored = scores.datums[self._is_own[scores.labels]]
        return np.union1d(true, scored)

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def names(self) -> list[str]:
        """Names of all labels of the vocabulary, of whatever key."""
        return [label.value for label in self.items.batch.labels]

    @property
    def _is_own(self) -> NDArray[np.bool_]:
        return np.array([label.key == self.key for label in self.items.batch.labels], dtype=bool)

    @cached_property
    def _truths(self) -> tuple[Codes, Codes]:
        """Ground truths of the items: place among them, and label."""
        batch = self.items.batch
        return self._own(batch.truth_datums, batch.truth_labels)[:2]

    @cached_property
    def _scored(self) -> tuple[Codes, Codes, NDArray[np.float64]]:
        """Predictions of the items: place among them, label and score."""
        scores = self.items.scores
        places, labels, rows = self._own(scores.datums, scores.labels)
        values: NDArray[np.float64] = scores.values.astype(np.float64)[rows]
        return places, labels, values

    def _own(self, datums: Codes, labels: Codes) -> tuple[Codes, Codes, Codes]:
        """Rows of the key and of the items: place of the item, label, and which rows they are."""
        rows = np.flatnonzero(self._is_own[labels] & np.isin(datums, self.places))
        return np.searchsorted(self.places, datums[rows]), labels[rows], rows

    def lacking(self, source: Any, feature: Any) -> tuple[NDArray[np.bool_], str] | None:
        """Items without a ground truth, a prediction or a fact; a list of labels may be empty."""
        if source in (GROUNDTRUTHS, PREDICTIONS):
            if feature is not None and kind_of(feature) == "list":
                return None
            found = (self._truths if source == GROUNDTRUTHS else self._scored)[0]
            is_lacking = np.bincount(found, minlength=len(self)) == 0
            return (is_lacking, f"no {source}") if is_lacking.any() else None
        if source in self.items.fields:
            return _lacking(_at(self.items.fields[source], self.places), source)
        return None

    def select(self, places: Codes) -> LabelFields:
        """The items at some places."""
        return LabelFields(self.items, self.key, self.places[places])

    def classes(self, sources: Iterable[Any]) -> Iterable[str]:
        """Names of the labels that the items have, and of facts that are names of classes."""
        for labels in (self._truths[1], self._scored[1]):
            yield from (self.names[code] for code in np.unique(labels).tolist())
        for source in sources:
            if source not in (GROUNDTRUTHS, PREDICTIONS):
                yield from map(str, self._cells(source))

    def coded(self, source: Any, path: str, codes: LabelCodes) -> list[int]:
        """The codes of the true or of the best predicted labels, or of facts."""
        return codes.encoded(self._single(source, path))

    def values(self, source: Any, path: str, feature: Any, reading: Reading) -> list[Any]:
        """A column: names of labels, scores of the positive one, or lists over all labels."""
        if source not in (GROUNDTRUTHS, PREDICTIONS):
            return _values(self._cells(source), self._uids, path, feature, reading.lists)
        kind = kind_of(feature)
        if kind == "text":
            return self._single(source, path)
        if kind == "whole":
            return _values([*self._single(source, path)], self._uids, path, feature, None)
        if kind == "number":
            return self._positive(source, path, reading.codes)
        if kind == "list":
            return self._listed(source, path, kind_of(element_of(feature)), reading)
        raise SchemaError(
            f"columns: {path} is fed by labels, which are no {kind}",
            f"Name a field of the metadata for it: columns: {{{path}: {METADATA}NAME}}",
        )

    def plain(self, source: Any, path: str) -> list[Any]:
        """A column of names of labels, or of facts."""
        is_label = source in (GROUNDTRUTHS, PREDICTIONS)
        return self._single(source, path) if is_label else self._cells(source)

    @property
    def _uids(self) -> NDArray[Any]:
        return self.items.uids[self.places]

    def _cells(self, source: Any) -> Cells:
        if isinstance(source, str) and source in self.items.fields:
            return _at(self.items.fields[source], self.places)
        return _fact_cells({}, self._uids, source)

    def _single(self, source: Any, path: str) -> list[str]:
        """The name of the one label of each item."""
        if source == PREDICTIONS:
            places, labels, scores = self._scored
            best = np.lexsort((np.arange(len(places)), -scores, places))
            first = np.unique(places[best], return_index=True)[1]
            labels = labels[best][first]
        elif source == GROUNDTRUTHS:
            places, labels = self._truths
            counts = np.bincount(places, minlength=len(self))
            if counts.max(initial=0) > 1:
                place = int(np.argmax(counts > 1))
                found = f"expected one ground truth, found {counts[place]:,}"
                raise _misfit(self._uids, place, path, found)
        else:
            return [str(cell) for cell in self._cells(source)]
        return [self.names[code] for code in labels.tolist()]

    def _positive(self, source: Any, path: str, codes: LabelCodes) -> list[float]:
        """Of each item the score of the positive label, or whether that is the truth."""
        positive = codes.positive
        if source == GROUNDTRUTHS:
            return [float(name == positive) for name in self._single(source, path)]
        return self._scores([positive], path)[:, 0].tolist()  # type: ignore[no-any-return]

    def _scores(self, names: Sequence[str], path: str) -> NDArray[np.float64]:
        """Scores of some labels, one row for each item."""
        columns = {name: column for column, name in enumerate(names)}
        table = np.full((len(self), len(names)), np.nan)
        places, labels, scores = self._scored
        wanted = np.array([columns.get(name, -1) for name in self.names], dtype=np.int64)[labels]
        is_wanted = wanted >= 0
        table[places[is_wanted], wanted[is_wanted]] = scores[is_wanted]
        without = np.argwhere(np.isnan(table))
        if len(without):
            place, column = without[0].tolist()
            found = f"expected a score of {names[column]!r}, found none"
            raise _misfit(self._uids, place, path, found)
        return table

    def _listed(self, source: Any, path: str, kind: str, reading: Reading) -> list[Any]:
        """Of each item a list: 0 or 1 or a score for every label, or names of its labels."""
        names = reading.codes.names
        if source == PREDICTIONS and kind == "number":
            return self._scores(names, path).tolist()  # type: ignore[no-any-return]
        places, labels = self._truths
        if source == PREDICTIONS:
            places, labels, scores = self._scored
            is_predicted = scores >= reading.score_threshold
            places, labels = places[is_predicted], labels[is_predicted]
        columns = {name: column for column, name in enumerate(names)}
        unknown = {self.names[code] for code in np.unique(labels).tolist()} - columns.keys()
        if unknown:
            reading.codes.encoded(sorted(unknown))
        table = np.zeros((len(self), len(names)), dtype=np.int64)
        places_of = np.array([columns.get(name, -1) for name in self.names], dtype=np.int64)
        table[places, places_of[labels]] = 1
        if kind == "text":
            return [[name for name, has in zip(names, row, strict=True) if has] for row in table]
        return (table if kind == "whole" else table.astype(float)).tolist()


def label_keys(items: ClassifiedItems) -> list[str]:
    """Keys of the labels that items have, sorted."""
    batch = items.batch
    used = np.union1d(batch.truth_labels, items.scores.labels)
    return sorted({batch.labels[code].key for code in used.tolist()})


def _at(cells: Cells, places: Codes) -> Cells:
    return [cells[place] for place in places.tolist()]


def _lacking(cells: Cells, source: str) -> tuple[NDArray[np.bool_], str] | None:
    is_lacking = np.array([cell is None or cell == () for cell in cells], dtype=bool)
    if not is_lacking.any():
        return None
    fact = source.removeprefix(METADATA)
    return is_lacking, f"no {source}" if fact == source else f"no {fact!r} in the metadata"


def _fact_cells(fields: dict[str, Cells], uids: NDArray[Any], source: Any) -> Cells:
    """A field of each item, its uid, or the same number for all."""
    if source == UID:
        return uids.tolist()  # type: ignore[no-any-return]
    return fields[source] if isinstance(source, str) else [source] * len(uids)


def _values(
    cells: Cells, uids: NDArray[Any], path: str, feature: Any, lists: str | None
) -> list[Any]:
    values = []
    for place, cell in enumerate(cells):
        try:
            values.append(value_of(cell, feature, lists))
        except SchemaError as error:
            raise _misfit(uids, place, path, error.message) from None
    return values


def _misfit(uids: NDArray[Any], place: int, path: str, found: str) -> SchemaError:
    return SchemaError(f"item {uids[place].item()!r}, {path}: {found}")
