"""Tables of the rows of items in a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from attrs import field, frozen

from valor_core.errors import ReportError, did_you_mean
from valor_core.packages import import_extra
from valor_core.results.result import NoScore
from valor_core.specs.names import folded_name, short_name

if TYPE_CHECKING:
    import pandas as pd

    from valor_core.results.item_rows import ItemRow, ItemRows


def _as_rows(rows: Iterable[ItemRow]) -> ItemRows:
    from valor_core.results.item_rows import ItemRows

    return rows if isinstance(rows, ItemRows) else ItemRows.of(rows)


@frozen(repr=False)
class ItemTable:
    """Rows of one metric; iterates over them.

    Parameters
    ----------
    metric : str
        Name and version.
    parameters : mapping
        Parameters of the metric.
    rows : ItemRows
        One row per item, sorted by uid and kept as columns until read.

    Examples
    --------
    >>> from valor_core.results import ItemRow
    >>> table = ItemTable("lab.Length@1", {}, [ItemRow("q1", 4.0, {"wrong": "too long"})])
    >>> table.to_records()
    [{'uid': 'q1', 'value': 4.0, 'wrong': 'too long'}]
    """

    metric: str
    parameters: Mapping[str, Any]
    rows: ItemRows = field(converter=_as_rows)

    def __iter__(self) -> Iterator[ItemRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {
            "metric": self.metric,
            "parameters": dict(self.parameters),
            "rows": [row.to_dict() for row in self.rows],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ItemTable:
        """Return the table that `to_dict` wrote."""
        from valor_core.results.item_rows import ItemRow

        rows = map(ItemRow.from_dict, record["rows"])
        return cls(record["metric"], record["parameters"], rows)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat record per item: uid, numbers, reason, details and values of slices.

        A missing number is None, with the reason. Slices are named ``slices.site``.
        """
        return list(map(_record, self.rows))

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a pandas data frame with the uids as index.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return _frame(self.to_records()).set_index("uid")


def _record(row: ItemRow) -> dict[str, Any]:
    values = row.value if isinstance(row.value, Mapping) else {"value": row.value}
    missing = {name: one.reason for name, one in values.items() if isinstance(one, NoScore)}
    details = dict(row.details)
    slices = details.pop("slices", {})
    return {
        "uid": row.uid,
        **{name: None if name in missing else one for name, one in values.items()},
        **({"reason": next(iter(missing.values()))} if missing else {}),
        **details,
        **{f"slices.{name}": value for name, value in slices.items()},
    }


def _frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    pandas = import_extra("pandas", "items: a data frame", "valor-core[pandas]")
    made: pd.DataFrame = pandas.DataFrame(records)
    return made if records else made.reindex(columns=["uid"])


class ItemTables(tuple[ItemTable, ...]):
    """Tables of the rows of items, by position or by name of the metric.

    Examples
    --------
    >>> from valor_core.results import ItemRow
    >>> tables = ItemTables([ItemTable("lab.Length@1", {}, [ItemRow("q1", 4.0)])])
    >>> [row.uid for row in tables["Length"]]
    ['q1']
    """

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> ItemTable: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[ItemTable, ...]: ...
    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        names = [table.metric.partition("@")[0] for table in self]
        wanted = folded_name(key)
        found = [
            table
            for table, name in zip(self, names, strict=True)
            if wanted in map(folded_name, (name, short_name(name), table.metric))
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise ReportError(
                f"items: expected one table of {key!r}, found {len(found)}",
                f"Choose one by its position: report.items[{self.index(found[0])}]",
            )
        short = [*dict.fromkeys(map(short_name, names))]
        available = f"Available: {', '.join(short)}." if short else "Evaluate with items=True."
        raise ReportError(f"items: no rows of {key!r}", did_you_mean(key, short) or available)

    def to_records(self) -> list[dict[str, Any]]:
        """Return the records of all tables with the name of their metric."""
        return [
            {"metric": table.metric.partition("@")[0], **record}
            for table in self
            for record in table.to_records()
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return the records of all tables as a pandas data frame.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return _frame(self.to_records())
