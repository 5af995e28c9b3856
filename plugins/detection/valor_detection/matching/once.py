"""Once: properties that are made when they are first asked for, in any thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - reads as a decorator
    """A property that is made once and kept, as `functools.cached_property` without its lock.

    Under Python 3.11 that lock is one for all instances, so that matchings of several area ranges
    would wait for each other.

    Examples
    --------
    >>> class Square:
    ...     side = 3
    ...
    ...     @once
    ...     def area(self) -> int:
    ...         return self.side**2
    >>> Square().area
    9
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        kept = instance.__dict__
        if self.name not in kept:
            kept[self.name] = self.make(instance)
        found: T = kept[self.name]
        return found
