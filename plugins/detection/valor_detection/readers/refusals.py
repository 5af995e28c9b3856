"""Refusals: what is wrong with data that come from a file is an error of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from valor_core.errors import ReadError, SchemaError


@contextmanager
def as_read_errors() -> Iterator[None]:
    """A block in which a `SchemaError`, whose place is one in a file, is a `ReadError`.

    Examples
    --------
    >>> with as_read_errors():
    ...     raise SchemaError("boxes.csv, line 2: expected a shape with an area")
    Traceback (most recent call last):
        ...
    valor_core.errors.ReadError: boxes.csv, line 2: expected a shape with an area
    """
    try:
        yield
    except SchemaError as error:
        raise ReadError(error.message, error.remedy) from error
