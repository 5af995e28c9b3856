"""States with `merge`, `dump` and `restore` derived from the annotations of their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from numbers import Rational
from typing import Any, cast, get_args, get_origin, get_type_hints

import attrs
import numpy as np

from valor_core.errors import ManifestError, SchemaError, StateError, short_repr
from valor_core.schemas.label import Label
from valor_core.states.saved_columns import saved_column, saved_number
from valor_core.states.state import State, StateContent
from valor_core.states.sums import ExactSum, ExactSums

_MARK = "counted"


def counted(neutral: Callable[..., Any], *, takes_self: bool = False) -> Any:
    """Declare a counting field of a `DerivedState`; all other fields are settings.

    Parameters
    ----------
    neutral : callable
        Function that returns the initial value: ``int``, ``set``, ``ExactSum``.
    takes_self : bool
        Whether the function is called with the state, for an array with a shape from a setting.
    """
    default = cast("Any", attrs.Factory)(neutral, takes_self=takes_self)
    return attrs.field(init=False, default=default, metadata={_MARK: True})


class DerivedState(State):
    """State with everything but `update` derived from the annotations of its `counted` fields.

    ``int``, ``NDArray[np.int64]``, `ExactSum` and `ExactSums` are added (built-in float sums would
    depend on the order). ``bool`` is true if it is true in either. ``set`` is united; ``Counter``
    and ``dict`` are merged by key. Keys and members are strings, integers, labels or tuples of
    these. ``list[NDArray[...]]`` holds parts of a column in arbitrary order.

    Examples
    --------
    >>> @attrs.define
    ... class Words(DerivedState):
    ...     ignore_case: bool = True
    ...     items: int = counted(int)
    ...     words: set[str] = counted(set)
    >>> one, other = Words(), Words()
    >>> one.items, one.words, other.words = 1, {"a"}, {"b"}
    >>> one.merge(other)
    >>> one.dump()
    {'items': 1, 'words': ['a', 'b']}
    """

    __slots__ = ()

    def merge(self, other: Any) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        for name in self._counted():
            setattr(self, name, _merged(getattr(self, name), getattr(other, name), name))

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        return {name: _dumped(getattr(self, name)) for name in self._counted()}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If a field is missing, or does not match its annotation.
        """
        hints = get_type_hints(type(self))
        for name in self._counted():
            setattr(self, name, _restored(hints[name], content, name, getattr(self, name)))

    def _counted(self) -> Iterator[str]:
        fields = attrs.fields(cast("Any", type(self)))
        return (one.name for one in fields if one.metadata.get(_MARK))


def _merged(mine: Any, theirs: Any, place: str) -> Any:
    """Merge two values into the first or a new one, which shares nothing mutable with the second.

    Arrays of a column are never modified, so two states may share them.
    """
    if isinstance(mine, dict):
        for key, value in theirs.items():
            mine[key] = _merged(mine[key], value, place) if key in mine else deepcopy(value)
    elif isinstance(mine, (ExactSum, ExactSums)):
        cast("Any", mine).merge(theirs)
    elif isinstance(mine, set):
        mine |= theirs
    elif isinstance(mine, list):
        mine += theirs
    elif isinstance(mine, bool):
        return mine or theirs
    elif isinstance(mine, Rational) or (isinstance(mine, np.ndarray) and mine.dtype.kind in "iO"):
        return mine + theirs
    else:
        raise ManifestError(f"{place}: expected a field that DerivedState adds up, got {mine!r}")
    return mine


def _dumped(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _dumped(each) for key, each in sorted(value.items())}
    if isinstance(value, (ExactSum, ExactSums)):
        return value.to_text()
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, list):
        return np.concatenate(value) if value else None
    return value


def _restored(hint: Any, content: StateContent, name: str, neutral: Any) -> Any:
    """Return the validated value of a field; an added array has the shape of the neutral one."""
    kind, parts, value = get_origin(hint) or hint, get_args(hint), content.get(name)
    if kind in (dict, Counter) and isinstance(value, dict):
        of = int if kind is Counter else parts[1]
        table = {f"{name}[{key!r}]": each for key, each in value.items()}
        keys = (_key(parts[0], key, name) for key in value)
        return kind(dict(zip(keys, (_restored(of, table, at, None) for at in table), strict=True)))
    if kind is set and isinstance(value, list):
        return {_key(parts[0], each, name) for each in value}
    if kind in (ExactSum, ExactSums) and isinstance(value, str):
        try:
            return kind.from_text(value)
        except SchemaError as error:
            raise StateError(f"{name}: {error.message}") from error
    if kind is int:
        return saved_number(content, name)
    if kind is bool and isinstance(value, bool):
        return value
    if kind is np.ndarray and neutral is not None:
        return saved_column(content, name, np.int64, shape=neutral.shape).copy()
    if kind is list and (isinstance(value, np.ndarray) or (value is None and name in content)):
        (entry,) = get_args(get_args(parts[0])[1])
        dtype = "U" if entry is np.str_ else entry
        return [] if value is None else [saved_column(content, name, dtype, finite=False)]
    raise StateError(f"{name}: expected {_words(hint)}, found {short_repr(value)}")


def _key(hint: Any, value: Any, place: str) -> Any:
    """Return a key or a member; files store tuples as lists."""
    kind = get_origin(hint) or hint
    key = tuple(value) if kind is tuple and isinstance(value, list) else value
    parts = key if isinstance(key, tuple) else (key,)
    if type(key) is not kind or not all(type(part) in (str, int, Label) for part in parts):
        raise StateError(f"{place}: expected {_words(hint)}, found {short_repr(value)}")
    return key


def _words(hint: Any) -> str:
    return str(hint) if get_args(hint) else str(hint.__name__)
