"""Memo: values derived from an object, computed once and kept with the object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

_P = ParamSpec("_P")
_S = TypeVar("_S")
_T = TypeVar("_T")

_RESULTS = "_memo_results"


class cached(Generic[_T]):  # noqa: N801 - reads as a decorator
    """Property computed on first access and kept in the ``__dict__`` of the object.

    The class needs a ``__dict__``: ``@frozen(slots=False)`` in attrs. Like `memoized`, it takes no
    lock, unlike `functools.cached_property` in Python 3.11, which locks all instances of a class.

    Examples
    --------
    >>> class Square:
    ...     side = 3
    ...
    ...     @cached
    ...     def area(self) -> int:
    ...         return self.side**2
    >>> Square().area
    9
    """

    def __init__(self, function: Callable[[Any], _T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached[_T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> _T | cached[_T]:
        if instance is None:
            return self
        values = instance.__dict__
        if self.name not in values:
            values.setdefault(self.name, self.function(instance))
        value: _T = values[self.name]
        return value


def memoized(function: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[_S, _P], _T]:
    """Keep the results of a function or method with its first argument, by the other arguments.

    The other arguments are hashable. The first argument has a ``__dict__``, and the
    results depend only on what never changes in it. Deep copies and pickles drop the results.
    There is no lock: if two threads ask for a result at the same time, both compute it and both
    get the one stored first.

    Examples
    --------
    >>> class Square:
    ...     side = 3
    >>> @memoized
    ... def volume(square: Square, height: int) -> int:
    ...     print("computed")
    ...     return square.side**2 * height
    >>> square = Square()
    >>> volume(square, 2), volume(square, 2)
    computed
    (18, 18)
    """

    @wraps(function)
    def kept(owner: _S, *arguments: _P.args, **named: _P.kwargs) -> _T:
        results = owner.__dict__.get(_RESULTS)
        if results is None:
            results = owner.__dict__.setdefault(_RESULTS, _Results())
        key = (function, arguments, *named.items())
        if key not in results:
            results.setdefault(key, function(owner, *arguments, **named))
        result: _T = results[key]
        return result

    return cast("Callable[Concatenate[_S, _P], _T]", kept)


def forget(owner: object) -> None:
    """Drop the results that `memoized` keeps with an object, after the object has changed."""
    getattr(owner, "__dict__", {}).pop(_RESULTS, None)


class _Results(dict[Any, Any]):
    """Results of an object by function and arguments. Deep copies and pickles are empty."""

    def __reduce__(self) -> tuple[type[_Results], tuple[()]]:
        return _Results, ()
