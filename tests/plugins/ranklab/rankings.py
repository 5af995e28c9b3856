from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from valor_core.errors import SchemaError
from valor_core.schemas import Batch, Codes, Datum, Datums


@frozen
class Ranking:
    """Ranked documents for a query, and the relevant documents."""

    task: ClassVar[str] = "retrieval"

    uid: str
    found: tuple[str, ...] = field(default=(), converter=tuple)
    wanted: tuple[str, ...] = field(default=(), converter=tuple)
    metadata: Mapping[str, Any] = field(factory=dict)


@frozen
class RankingBatch(Batch):
    """Columns of rankings."""

    task: ClassVar[str] = "retrieval"

    datums: Datums
    found: tuple[tuple[str, ...], ...]
    wanted: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, items: Iterable[Ranking]) -> RankingBatch:
        items = list(items)
        for item in items:
            if not isinstance(item, Ranking):
                raise SchemaError(f"data: expected a Ranking, got {item!r}", "Make one of it.")
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            tuple(item.found for item in items),
            tuple(item.wanted for item in items),
        )

    def select(self, positions: Codes) -> RankingBatch:
        datums = self.datums.select(positions)
        at = positions.tolist()
        return RankingBatch(
            datums, tuple(self.found[i] for i in at), tuple(self.wanted[i] for i in at)
        )

    def items(self) -> Iterator[Ranking]:
        for i, (found, wanted) in enumerate(zip(self.found, self.wanted, strict=True)):
            datum = self.datums.at(i)
            yield Ranking(datum.uid, found, wanted, datum.metadata)


def from_table(table: Any) -> RankingBatch:
    uids, found, wanted = map(table.strings, ("uid", "found", "wanted"))
    columns = zip(uids, found, wanted, strict=True)
    return RankingBatch.of(Ranking(uid, f.split(), w.split()) for uid, f, w in columns)


def examples() -> dict[str, list[RankingBatch]]:
    one = RankingBatch.of(
        [Ranking("a", ["x", "y"], ["x"], {"hour": 1}), Ranking("b", ["y"], ["x"], {"hour": 2})]
    )
    return {"small": [one, RankingBatch.of([Ranking("c", [], ["x"])])]}
