"""Label rows: states with a row of numbers for every label of a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from itertools import groupby
from typing import Any, Self, cast

import attrs
import numpy as np

from valor_core.errors import StateError
from valor_core.schemas import Codes, Label, Vocabulary
from valor_core.states import DerivedState, ExactSums, StateContent, counted
from valor_core.states.saved_columns import saved_column, saved_labels
from valor_core.states.sums import saved_sums

MOST_COUNTED = 1 << 61
"""Upper bound of the sum of a table; sums and differences of two tables fit into 64 bits."""


_MARK = "counted_by_label"


def counted_by_label(neutral: Callable[..., Any], *, takes_self: bool = False) -> Any:
    """Declare a field of a `LabelRows` with an entry for every label.

    Parameters
    ----------
    neutral : callable
        Function that returns the field without labels: ``ExactSums``, or one that makes an array.
    takes_self : bool
        Whether the function is called with the state, for an array with a shape from a setting.
    """
    default = cast("Any", attrs.Factory)(neutral, takes_self=takes_self)
    return attrs.field(init=False, default=default, metadata={_MARK: True})


@attrs.define(slots=False, repr=False)
class LabelRows(DerivedState):
    """Derived state with a vocabulary, and fields with an entry for every label.

    These are declared by `counted_by_label` and start without labels. Rows of ``int64`` arrays are
    added, rows of ``float64`` arrays keep the greatest of each number, and `ExactSums` are added.
    No number is negative.

    Attributes
    ----------
    vocabulary : Vocabulary
        Labels in the order of their codes; saved as ``labels``.

    Examples
    --------
    >>> @attrs.define
    ... class Pixels(LabelRows):
    ...     table: Codes = counted_by_label(lambda: np.zeros((0, 2), np.int64))
    >>> pixels = Pixels()
    >>> codes = pixels.add([Label("class", "dog"), Label("class", "cat")], table=[[1, 2], [3, 4]])
    >>> codes = pixels.add([Label("class", "cat")], table=[[1, 1]])
    >>> pixels.table
    array([[1, 2],
           [4, 5]])
    """

    vocabulary: Vocabulary = attrs.field(factory=Vocabulary, init=False)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Labels sorted by key and value."""
        return self.vocabulary.sorted_labels

    def codes_by_key(self) -> Iterator[tuple[str, list[int]]]:
        """Yield every label key with the codes of its labels, both sorted."""
        labels, order = self.vocabulary.labels, self.vocabulary.order.tolist()
        for key, codes in groupby(order, key=lambda code: labels[code].key):
            yield key, list(codes)

    def add(self, labels: Iterable[Label], **rows: Any) -> Codes:
        """Add the rows of distinct labels to the named fields, and return the codes of the labels.

        Fields that are not named get rows of zeros.
        """
        codes = self.vocabulary.join(labels)
        for name in self._rows():
            setattr(self, name, _added(getattr(self, name), codes, rows.get(name), self.vocabulary))
        return codes

    def merge(self, other: Self) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        for name in self._rows():
            check_total(getattr(self, name), getattr(other, name))
        self.add(other.vocabulary.labels, **{name: getattr(other, name) for name in self._rows()})
        super().merge(other)

    def resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Callable[..., Iterable[Any]]
    ) -> Iterator[Self] | None:
        """Yield weighted sums of the rows of all labels, unless the rows keep the greatest."""
        rows = [getattr(part, name) for part in parts for name in self._rows()]
        is_sum = all(isinstance(one, ExactSums) or one.dtype == np.int64 for one in rows)
        if type(self).merge is not LabelRows.merge or not is_sum:
            return None
        return self._resamples(parts, weights, nested)

    def _resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Callable[..., Iterable[Any]]
    ) -> Iterator[Self]:
        codes = [self.vocabulary.join(part.vocabulary.labels) for part in parts]
        names = [*self._rows(), *self._counted()]
        packed = [self._with_all_labels(*pair, names) for pair in zip(parts, codes, strict=True)]
        for found in nested(_Numbers, packed, weights):
            state = copy(self)
            kept = np.flatnonzero(found.of.pop("parts"))
            is_all = len(kept) == len(self.vocabulary)
            if not is_all:
                state.vocabulary = Vocabulary([self.vocabulary.labels[code] for code in kept])
            for name in names:
                value = found.of[name]
                if not is_all and name in self._rows():
                    value = _some(value, kept)
                setattr(state, name, value)
            yield state

    def _with_all_labels(self, part: Self, codes: Codes, names: Sequence[str]) -> _Numbers:
        """Return the numbers of a part, with rows of the labels of all parts."""
        found = _Numbers()
        found.of = {name: getattr(part, name) for name in names}
        for name in self._rows():
            rows = ExactSums() if isinstance(found.of[name], ExactSums) else found.of[name][:0]
            found.of[name] = _added(rows, codes, found.of[name], self.vocabulary)
        found.of["parts"] = np.bincount(codes, minlength=len(self.vocabulary))
        return found

    def dump(self) -> StateContent:
        """Return all labels and counts, for a file."""
        rows = {name: getattr(self, name) for name in self._rows()}
        texts = {k: v.to_text() if isinstance(v, ExactSums) else v for k, v in rows.items()}
        return {"labels": self.vocabulary.labels, **texts, **super().dump()}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If a field is missing, does not match its annotation or is negative.
        """
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        size = len(self.vocabulary)
        for name in self._rows():
            rows = getattr(self, name)
            if isinstance(rows, ExactSums):
                found: Any = saved_sums(content.get(name), name, np.full(size, np.inf))
            else:
                shape = (size, *rows.shape[1:])
                found = saved_column(content, name, rows.dtype, shape=shape, low=0).copy()
                check_total(found)
            setattr(self, name, found)
        super().restore(content)
        for name, value in super().dump().items():
            if isinstance(value, (int, np.ndarray)) and np.any(np.less(value, 0)):
                raise StateError(f"{name}: expected numbers of 0 or more, found {np.min(value):,}")

    def _rows(self) -> Iterator[str]:
        fields = attrs.fields(type(self))
        return (one.name for one in fields if one.metadata.get(_MARK))


@attrs.define
class _Numbers(DerivedState):
    """Numbers by name of the field, which are added."""

    of: dict[str, Any] = counted(dict)


def _some(rows: Any, codes: Codes) -> Any:
    if isinstance(rows, ExactSums):
        return ExactSums([rows.units[code] for code in codes.tolist()])
    return rows[codes]


def check_total(*tables: Codes | ExactSums) -> None:
    """Raise a `StateError` if the sum of integer tables may exceed 64 bits.

    Examples
    --------
    >>> check_total(np.array([1 << 61]))
    Traceback (most recent call last):
        ...
    valor_core.errors.StateError: counts: expected at most 2.3e+18 in all, found 2.3e+18
    Merge fewer states, each of different data.
    """
    integers = [t for t in tables if isinstance(t, np.ndarray) and t.dtype == np.int64]
    total = sum(float(table.sum(dtype=np.float64)) for table in integers)
    if total >= MOST_COUNTED:
        raise StateError(
            f"counts: expected at most {MOST_COUNTED:.1e} in all, found {total:.1e}",
            "Merge fewer states, each of different data.",
        )


def _added(mine: Any, codes: Codes, more: Any, vocabulary: Vocabulary) -> Any:
    """Return the entries of all labels, with more of those with the given codes."""
    if isinstance(mine, ExactSums):
        mine.grow(len(vocabulary))
        if more is not None:
            mine.merge(more, codes)
        return mine
    if len(mine) < len(vocabulary):
        grown = np.zeros((len(vocabulary), *mine.shape[1:]), mine.dtype)
        grown[: len(mine)] = mine
        mine = grown
    if more is not None and len(codes):
        join = np.maximum if mine.dtype.kind == "f" else np.add
        more = np.asarray(more)
        mine = mine.astype(object) if more.dtype == object else mine  # weights of items
        mine[codes] = join(mine[codes], more)
    return mine
