"""Retrieval: a task of ranked documents, its reader of TREC files, and four metrics."""

from collections.abc import Iterable, Iterator, Mapping
from math import log2
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from valor_files import WholeFiles, columns_beside, json_cells

from valor_core.errors import ReadError
from valor_core.parameters import NoParameters, Within, parameter, parameters
from valor_core.results import Undefined
from valor_core.schemas import Batch, Datum, Datums, metadata_field, object_column, uid_field
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, ReaderSpec, TaskSpec, hookimpl


def _tuple(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


@frozen
class Ranking:
    """Documents found for a query, best first, and the grades of the judged ones."""

    task: ClassVar[str] = "ranking"

    uid: str = uid_field()
    found: tuple[str, ...] = field(default=(), converter=_tuple)
    grades: Mapping[str, int] = field(factory=dict)
    metadata: Mapping[str, Any] = metadata_field()

    @property
    def gains(self) -> list[int]:
        """Grade of each found document; 0 without a judgement."""
        return [max(self.grades.get(document, 0), 0) for document in self.found]

    @property
    def relevant(self) -> int:
        """Number of relevant documents."""
        return sum(grade > 0 for grade in self.grades.values())


@frozen
class RankingBatch(Batch):
    """Columns of rankings."""

    task: ClassVar[str] = "ranking"

    datums: Datums
    found: NDArray[np.object_]
    grades: NDArray[np.object_]

    @classmethod
    def of(cls, items: Iterable[Ranking]) -> Self:
        """Make a batch of items."""
        items = list(items)
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            object_column(item.found for item in items),
            object_column(item.grades for item in items),
        )

    def select(self, positions: Any) -> Self:
        """Return the items at these positions."""
        return type(self)(
            self.datums.select(positions), self.found[positions], self.grades[positions]
        )

    def items(self) -> Iterator[Ranking]:
        """Yield the items."""
        for i, (found, grades) in enumerate(zip(self.found, self.grades, strict=True)):
            datum = self.datums.at(i)
            yield Ranking(str(datum.uid), found, grades, datum.metadata)


def from_table(table: Any) -> RankingBatch:
    """Make a batch of a table with a row per query."""
    datums = Datums(table.uids("uid"), columns_beside(table, own=("uid", "found", "grades")))
    found, grades = (object_column(json_cells(table, name)) for name in ("found", "grades"))
    return RankingBatch(datums, found, grades)


def examples() -> dict[str, list[RankingBatch]]:
    """Return data sets for the conformance kit."""
    one = Ranking("q1", ["a", "b", "c"], {"a": 2, "c": 1, "d": 1}, {"lang": "de"})
    other = Ranking("q2", ["a"], {"b": 1}, {"lang": "en"})
    return {"two batches": [RankingBatch.of([one, other]), RankingBatch.of([Ranking("q3")])]}


@parameters
class DepthParameters:
    """Parameters of Recall and nDCG."""

    k: int = parameter(default=10, help="Number of documents that count.", check=Within(1))


def recall(item: Ranking, parameters: DepthParameters, resources: Any) -> float | Undefined:
    """Return the share of relevant documents among the first k."""
    if not item.relevant:
        return Undefined("no relevant documents")
    return sum(gain > 0 for gain in item.gains[: parameters.k]) / item.relevant


def reciprocal_rank(item: Ranking, parameters: Any, resources: Any) -> float | Undefined:
    """Return 1 / rank of the first relevant document, or 0."""
    if not item.relevant:
        return Undefined("no relevant documents")
    ranks = (rank for rank, gain in enumerate(item.gains, 1) if gain)
    return 1 / next(ranks, np.inf)


def average_precision(item: Ranking, parameters: Any, resources: Any) -> float | Undefined:
    """Return the sum of the precisions at relevant documents / their number."""
    if not item.relevant:
        return Undefined("no relevant documents")
    ranks = [rank for rank, gain in enumerate(item.gains, 1) if gain]
    return sum(number / rank for number, rank in enumerate(ranks, 1)) / item.relevant


def ndcg(item: Ranking, parameters: DepthParameters, resources: Any) -> float | Undefined:
    """Return the discounted gain of the first k / that of the best order."""
    if not item.relevant:
        return Undefined("no relevant documents")
    best = sorted((max(grade, 0) for grade in item.grades.values()), reverse=True)
    return _discounted(item.gains[: parameters.k]) / _discounted(best[: parameters.k])


def _discounted(gains: Iterable[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


@parameters
class TrecParameters:
    """Parameters of the reader of TREC files."""

    qrels: Path = parameter(help="Judgements: query, 0, document, grade.")
    run: Path = parameter(help="Found documents: query, Q0, document, rank, score, name.")


@frozen
class TrecReader:
    """Reader of TREC files. Queries without found documents are items, too."""

    parameters: TrecParameters
    task: Any

    def partitions(self) -> list[WholeFiles[Path]]:
        """Return the only partition."""
        return [WholeFiles(self.parameters.qrels, self.parameters.run)]

    def read(self, partition: WholeFiles[Path]) -> Iterator[RankingBatch]:
        """Yield all queries as one batch, documents by falling score."""
        grades: dict[str, dict[str, int]] = {}
        for query, _, document, grade in _lines(partition.groundtruths, 4):
            grades.setdefault(query, {})[document] = int(grade)
        scores: dict[str, dict[str, float]] = {}
        for query, _, document, _, score, _ in _lines(partition.predictions, 6):
            scores.setdefault(query, {})[document] = float(score)
        yield RankingBatch.of(
            Ranking(query, _in_order(scores.get(query, {})), judged)
            for query, judged in grades.items()
        )


def _in_order(scores: Mapping[str, float]) -> list[str]:
    """Return documents by falling score; trec_eval puts the later name first among equals."""
    return sorted(scores, key=lambda document: (scores[document], document), reverse=True)


def _lines(path: Path, fields: int) -> Iterator[list[str]]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        cells = line.split()
        if len(cells) != fields:
            raise ReadError(f"{path}, line {number}: expected {fields} fields, got {len(cells)}")
        yield cells


@hookimpl
def valor_tasks() -> list[TaskSpec]:
    """Declare the task."""
    return [
        TaskSpec(
            name="retrieval.ranking",
            summary="Documents found for a query, in order",
            implementation="retrieval:RankingBatch",
            item="retrieval:Ranking",
            rows="retrieval:from_table",
            examples="retrieval:examples",
        )
    ]


@hookimpl
def valor_readers() -> list[ReaderSpec]:
    """Declare the reader."""
    return [
        ReaderSpec(
            name="retrieval.trec",
            task="ranking",
            summary="Files of judgements and runs of TREC",
            parameters=TrecParameters,
            implementation="retrieval:TrecReader",
        )
    ]


@hookimpl
def valor_metrics() -> list[MetricSpec]:
    """Declare the metrics."""
    return [
        ItemMetricSpec(
            name=f"retrieval.{name}",
            task="ranking",
            summary=summary,
            parameters=parameters,
            implementation=f"retrieval:{function.__name__}",
            higher_is_better=True,
            range=Range(0, 1),
        )
        for name, summary, parameters, function in (
            ("Recall", "Share of relevant documents that are found", DepthParameters, recall),
            ("MRR", "Mean of 1 / rank of the first relevant", NoParameters, reciprocal_rank),
            ("MAP", "Mean average precision", NoParameters, average_precision),
            ("nDCG", "Discounted gain / that of the best order", DepthParameters, ndcg),
        )
    ]
