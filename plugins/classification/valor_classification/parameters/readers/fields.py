"""Parameters that several readers have, each declared once."""

from __future__ import annotations

from valor_files import TableSource

from valor_core.parameters import Within, parameter


def path() -> tuple[TableSource, ...]:
    """The tables."""
    path: tuple[TableSource, ...] = parameter(
        help="Table with one row for each item; also a list of them, or a pattern of their names "
        "such as 'part-*.csv'.",
        non_empty=True,
        distinct=True,
    )
    return path


def uid() -> str | None:
    """The column of uids, which may be missing."""
    uid: str | None = parameter(
        default=None,
        help="Column of the item's uid; null is 'uid', and the row's number in its file where "
        "there is no such column.",
    )
    return uid


def key() -> str:
    """The key of all labels."""
    key: str = parameter(default="class", help="Key of all labels.")
    return key


def partition_bytes() -> int:
    """How much a worker reads at a time."""
    partition_bytes: int = parameter(
        default=4 << 20, help="Minimum size of partitions, in bytes.", check=Within(1)
    )
    return partition_bytes
