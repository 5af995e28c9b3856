"""What core itself declares: readers for the formats that every family shares."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.spec import ReaderSpec


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the readers of plain tables."""
    return ()
