"""Columns of the items of a report, which are sorted and filtered without an object per item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.results import DetailColumns, Numbers
from valor_core.results.report import ItemTable
from valor_core.results.result import is_number
from valor_core.results.results import installed_spec
from valor_core.schemas import Codes, Floats, Uids
from valor_report.tables.item_tables import NAMED, RECORDS, SLICES
from valor_report.tables.pivot import text_of

Mask = NDArray[np.bool_]


@frozen(eq=False, repr=False)
class ItemNumbers:
    """Numbers of items.

    Parameters
    ----------
    name : str
        Name of the column, also in addresses.
    numbers : Numbers
        Number of each item, or the reason for a missing one.
    metric : str
        Full name of the metric; empty for details.
    is_whole : bool
        Whether all numbers are counts.
    """

    name: str
    numbers: Numbers
    metric: str = ""
    is_whole: bool = False

    @cached_property
    def values(self) -> Floats:
        """Numbers, NaN for missing ones."""
        return np.where(self.numbers.codes == 0, self.numbers.values, np.nan)

    @cached_property
    def _is_better(self) -> bool | None:
        spec = installed_spec(self.metric) if self.metric else None
        return None if spec is None else spec.higher_is_better

    @property
    def has_direction(self) -> bool:
        """True if high or low numbers are better."""
        return self._is_better is not None

    @property
    def is_high_first(self) -> bool:
        """True if high numbers are the worst, or none are."""
        return self._is_better is not True

    def at(self, position: int) -> Any:
        """Return the number at a position, or the reason why it is missing."""
        value = self.numbers.at(position)
        if not isinstance(value, float):
            return value if self.metric else None
        return int(value) if self.is_whole else value

    def ranks(self, *, descending: bool) -> Floats:
        """Return sort keys; missing numbers are last in both directions."""
        ranks = -self.values if descending else self.values
        return np.where(np.isnan(ranks), np.inf, ranks)


@frozen(eq=False, repr=False)
class ItemTexts:
    """Texts of items, each distinct text once.

    Parameters
    ----------
    name : str
        Name of the column, also in addresses.
    codes : ndarray of int64
        Position of each item's text in `words`; -1 for none.
    words : tuple of str
        Distinct texts, ascending.

    Examples
    --------
    >>> column = ItemTexts.of("truth", ["dog", "cat", None, "dog"])
    >>> column.words, column.codes.tolist(), column.at(2)
    (('cat', 'dog'), [1, 0, -1, 1], None)
    """

    name: str
    codes: Codes
    words: tuple[str, ...]

    @classmethod
    def of(cls, name: str, texts: Iterable[Any]) -> ItemTexts:
        """Return the column of texts or other scalars, or None for a missing one."""
        found: dict[str, int] = {}
        codes = [
            -1 if text is None else found.setdefault(text_of(text), len(found)) for text in texts
        ]
        words = sorted(found)
        ranks = np.empty(len(words) + 1, np.int64)
        ranks[[found[word] for word in words]] = np.arange(len(words))
        ranks[-1] = -1  # the code of a missing text is the last index
        return cls(name, ranks[np.array(codes, np.int64)], tuple(words))

    def at(self, position: int) -> str | None:
        """Return the text at a position."""
        code = int(self.codes[position])
        return None if code < 0 else self.words[code]

    def ranks(self, *, descending: bool) -> Floats:
        """Return sort keys; missing texts are last in both directions."""
        ranks = (-self.codes if descending else self.codes).astype(np.float64)
        return np.where(self.codes < 0, np.inf, ranks)

    def equal(self, text: str) -> Mask:
        """Return a mask of the items with a text."""
        return self._are([word == text for word in self.words])

    @property
    def is_given(self) -> Mask:
        """Mask of the items with a text that is not empty."""
        return self._are([word != "" for word in self.words])

    def containing(self, part: str) -> Mask:
        """Return a mask of the items whose text contains a part, in lower case."""
        return self._are([part in word for word in self._lower])

    @cached_property
    def _lower(self) -> list[str]:
        return [word.casefold() for word in self.words]

    def _are(self, matches: Sequence[bool]) -> Mask:
        found: Mask = np.array([*matches, False], bool)[self.codes]
        return found


Column = ItemNumbers | ItemTexts


@frozen(eq=False, repr=False)
class ItemColumns:
    """All items of a report.

    Parameters
    ----------
    uids : ndarray of str
        Uids as texts, in the order of the report.
    columns : mapping of str to ItemNumbers or ItemTexts
        Columns by name: details that all families share, then numbers, then further details.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> table = {"y_true": ["a", "b"], "y_pred": ["a", "a"], "uid": ["x/1", "x/2"]}
    >>> items = ItemColumns.of(evaluate(table, ["Accuracy"], items=True).items)
    >>> len(items), items.position("x/2"), items.columns["Accuracy"].at(1)
    (2, 1, 0.0)
    """

    uids: NDArray[np.str_]
    columns: Mapping[str, Column] = field(factory=dict)

    @classmethod
    def of(cls, tables: Sequence[ItemTable], uids: Uids | None = None) -> ItemColumns:
        """Join the rows of metrics.

        Parameters
        ----------
        tables : sequence of ItemTable
            Rows of metrics.
        uids : ndarray, optional
            Uids of all items. By default, those of the longest table.
        """
        if uids is None:
            longest = max(tables, key=lambda one: len(one.rows), default=None)
            uids = np.empty(0, "U1") if longest is None else longest.rows.uids
        texts = uids.astype(np.str_)
        columns: dict[str, Column] = {}
        for table in tables:
            rows = _aligned(table.rows.uids.astype(np.str_), texts)
            for one in _columns(table, rows, len(texts), tables):
                columns.setdefault(one.name, one)
        first = [name for name in NAMED if name in columns]
        metrics = [name for name, one in columns.items() if getattr(one, "metric", "")]
        order = dict.fromkeys([*first, *metrics, *columns])
        return cls(texts, {name: columns[name] for name in order})

    def with_texts(
        self, uids: NDArray[np.str_], values: Mapping[str, Sequence[Any]]
    ) -> ItemColumns:
        """Return the items with further columns of texts, except those that exist already.

        Parameters
        ----------
        uids : ndarray of str
            Uids of the values.
        values : mapping of str to sequence
            Values by name of the column; None for a missing one.
        """
        rows = _aligned(uids, self.uids).tolist()
        columns = {
            name: ItemTexts.of(name, [None if row < 0 else held[row] for row in rows])
            for name, held in values.items()
            if name not in self.columns
        }
        return ItemColumns(self.uids, {**self.columns, **columns})

    def __len__(self) -> int:
        return len(self.uids)

    def position(self, uid: str) -> int | None:
        """Return the position of an item, or None if there is none with this uid."""
        found = np.searchsorted(self.uids, uid, sorter=self._order)
        if found == len(self) or self.uids[self._order[found]] != uid:
            return None
        return int(self._order[found])

    @cached_property
    def _order(self) -> Codes:
        return np.argsort(self.uids, kind="stable")

    @cached_property
    def worst_first(self) -> Codes:
        """Positions of all items, the worst by the first metric with a direction first.

        Of equal items, those with a wrong prediction of a high score are first, then right ones of
        a low score.
        """
        ranked = [one for one in self.columns.values() if isinstance(one, ItemNumbers)]
        first = next((one for one in ranked if one.has_direction), None)
        if first is None:
            return np.arange(len(self))
        surest = np.zeros(len(self))
        score, wrong = self.columns.get(NAMED[2]), self.columns.get(NAMED[3])
        if isinstance(score, ItemNumbers) and isinstance(wrong, ItemTexts):
            surest = np.nan_to_num(np.where(wrong.is_given, -score.values, score.values))
        return np.lexsort((surest, first.ranks(descending=first.is_high_first)))

    @cached_property
    def lower_uids(self) -> NDArray[np.str_]:
        """Uids in lower case, for searches."""
        return np.char.lower(self.uids)


def _aligned(uids: NDArray[np.str_], wanted: NDArray[np.str_]) -> Codes:
    """Return the row of each wanted item, -1 for none."""
    if len(uids) == len(wanted) and np.array_equal(uids, wanted):
        return np.arange(len(wanted))
    if not len(uids):
        return np.full(len(wanted), -1)
    order = np.argsort(uids, kind="stable")
    found = order[np.minimum(np.searchsorted(uids, wanted, sorter=order), len(uids) - 1)]
    return np.where(uids[found] == wanted, found, -1)


def _columns(
    table: ItemTable, rows: Codes, count: int, tables: Sequence[ItemTable]
) -> Iterator[Column]:
    """Yield the numbers of a table and its details that are numbers or texts."""
    metric = table.metric.partition("@")[0]
    short = metric.rpartition(".")[2] + _differing(table, tables)
    for name, numbers in table.rows.columns().items():
        yield ItemNumbers(f"{short} {name}".rstrip(), _at(numbers, rows), metric)
    for name, values in _details(table).items():
        if name in RECORDS:
            continue
        yield from _detail(
            name.replace("_", " "), [None if row < 0 else values[row] for row in rows.tolist()]
        )


def _differing(table: ItemTable, tables: Sequence[ItemTable]) -> str:
    """Parameters that distinguish a table from others of its metric, in words."""
    alike = [one for one in tables if one.metric == table.metric]
    words = [
        f"{name} {text_of(value)}"
        for name, value in table.parameters.items()
        if any(other.parameters.get(name) != value for other in alike)
    ]
    return f" ({', '.join(words)})" if words else ""


def _at(numbers: Numbers, rows: Codes) -> Numbers:
    if (rows < 0).any():
        numbers = Numbers.joined([numbers, Numbers.absent(1)])  # row -1 is the absent number
    return numbers.select(rows)


def _details(table: ItemTable) -> dict[str, Sequence[Any]]:
    """Return the details of all rows by name, values of slices under the names of their fields."""
    details, count = table.rows.details, len(table.rows)
    found: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * count)
    if isinstance(details, DetailColumns):
        for name, column in details.columns.items():
            values = found[name]
            for position, value in zip(details.positions.tolist(), column.tolist(), strict=True):
                values[position] = value
    else:
        for position, one in details.items():
            for name, value in one.items():
                found[name][position] = value
    for position, one in enumerate(found.pop(SLICES, ())):
        for name, value in one.items() if isinstance(one, Mapping) else ():
            title = f"{name} (slice)" if name in (*NAMED, "item") else name
            found[title][position] = value
    return dict(found)


def _detail(name: str, values: Sequence[Any]) -> Iterator[Column]:
    """Yield the column of a detail, if it has numbers or texts only."""
    if all(value is None or is_number(value) for value in values):
        missing = np.array([value is None for value in values], np.uint8)
        numbers = np.array([0.0 if value is None else float(value) for value in values])
        is_whole = all(value is None or isinstance(value, int) for value in values)
        absent = Numbers.absent(1).gaps
        yield ItemNumbers(name, Numbers(numbers, missing, absent), is_whole=is_whole)
    elif all(value is None or isinstance(value, (str, bool, int, float)) for value in values):
        yield ItemTexts.of(name, values)
