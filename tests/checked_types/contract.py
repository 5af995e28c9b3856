"""A plugin that implements each published protocol, with values of the classes that convert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray
from valor_files import Detected, Filter, Table, TablePartition, read_table, split_table
from valor_report import Gallery, MarkedPiece, MarkedTexts, Picture

import valor_core
from valor_core import (
    Classification,
    ClassificationBatch,
    Datum,
    Detection,
    DetectionBatch,
    Evaluator,
    Failed,
    ItemScore,
    Label,
    NotRun,
    Registry,
    Report,
    Result,
    Segmentation,
    Text,
    TextBatch,
    Undefined,
)
from valor_core.errors import ReadError
from valor_core.evaluation.engines import Engine, EvaluationState, PartitionTask
from valor_core.kernels import Kernels, load_kernels
from valor_core.parameters import NoParameters, Within, parameter, parameters
from valor_core.readers import InMemory, Partition, Reader
from valor_core.resources import Resources, opened
from valor_core.results import (
    DetailColumns,
    ItemRow,
    ItemRows,
    Metric,
    MetricDetails,
    Numbers,
    mean_of_defined,
    ratio,
)
from valor_core.schemas import Batch, Codes, Datums
from valor_core.schemas.classification import ScoreList, ScoreMatrix
from valor_core.schemas.detection import (
    PredictedObject,
    PredictedObjects,
    TrueObject,
    TrueObjects,
)
from valor_core.schemas.geometry import Box, Mask, Polygon, Shapes
from valor_core.schemas.segmentation import Segments
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    CommandSpec,
    EngineSpec,
    GallerySpec,
    MetricSpec,
    Range,
    ReaderSpec,
    Reference,
    ResourceSpec,
    TaskSpec,
    hookimpl,
)
from valor_core.states import (
    DerivedState,
    ExactSum,
    RowsOf,
    State,
    StateContent,
    StateRequest,
    counted,
)


@parameters
class WordParameters:
    """Parameters of Words."""

    most: int = parameter(default=3, help="Maximum number of words.", check=Within(1))
    ignore_case: bool = parameter(default=False, help="Whether upper and lower case are the same.")


@define
class Words(DerivedState):
    """Counts of words."""

    most: int
    items: int = counted(int)
    total: ExactSum = counted(ExactSum)

    def update(self, batch: TextBatch) -> None:
        """Count a batch."""
        for response in batch.responses:
            self.items += 1
            self.total.add([float(min(len((response or "").split()), self.most))])


class Items(State):
    """Number of items, whose `update` declares the reserved parameter."""

    def __init__(self) -> None:
        self.count = 0

    def update(self, batch: Batch, weights: NDArray[np.float64] | None = None) -> None:
        """Count a batch."""
        self.count += len(batch)

    def merge(self, other: Items) -> None:
        """Add the count of another state."""
        self.count += other.count

    def select(self, positions: Codes) -> Items:
        """Return the state of some items."""
        selected = Items()
        selected.count = len(positions)
        return selected

    def within(self, whole: Items) -> Items:
        """Return the state itself."""
        return self

    def dump(self) -> StateContent:
        """Return the count."""
        return {"count": self.count}

    def restore(self, content: StateContent) -> None:
        """Restore the count."""
        self.count = content["count"]


@frozen
class MeanWords:
    """Mean number of words."""

    parameters: WordParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request both states."""
        return (
            StateRequest(Words, {"most": self.parameters.most}),
            StateRequest(Items, union={}),
        )

    def compute(self, words: Words, items: Items) -> Iterator[Result]:
        """Yield the mean."""
        value = ratio(words.total.value, items.count, None, "no items")
        yield Result(parameters={"most": self.parameters.most}, value=value)
        yield Result(value=Undefined("no items"), left_out={"items": 1})
        yield Result(value=[[0.5, 1.0]], details={"grades": {"lowest": 1}})


@frozen
class WorstGrade:
    """Lowest score of another metric."""

    parameters: NoParameters

    def needs(self) -> tuple[RowsOf, ...]:
        """Request rows of another metric."""
        return (
            RowsOf("lab.Overlap", metadata=("noise",)),
            RowsOf("lab.Overlap", {"ignore_case": True}, metadata=["noise"]),
        )

    def compute(self, *rows: ItemRows) -> Iterator[Result]:
        """Yield the lowest score."""
        values = [row.value for one in rows for row in one if isinstance(row.value, float)]
        yield Result(value=min(values) if values else Undefined("no items"))


def overlap(
    item: Text, parameters: WordParameters, resources: Resources
) -> float | ItemScore | Undefined | Failed | NotRun:
    """Score an item."""
    if item.response is None:
        return Undefined("no response")
    if resources["counter"].spent:
        return NotRun("spent")
    if not item.references:
        return Failed("no references", retry=True)
    return ItemScore({"same": 1.0, "other": Undefined("no")}, {"words": item.response.split()})


def lengths(batch: TextBatch, parameters: NoParameters, resources: Resources) -> ItemRows:
    """Score a batch."""
    words = np.array([len(response or "") for response in batch.responses])
    numbers = Numbers(1.0 * words, (words == 0).astype(np.uint8), (Undefined("no words"),))
    return ItemRows(
        batch.datums.uids, {"": numbers}, DetailColumns({"words": words}, np.arange(len(words)))
    )


def summarize(
    rows: ItemRows, spec: ItemMetricSpec, parameters: NoParameters, resources: Resources
) -> MetricDetails:
    """Return the number of rows."""
    return MetricDetails({"rows": {"count": len(rows)}}, ("few rows",))


@valor_core.metric("lab.Exact", task="text", requires=("response", "references"))
def exact(item: Text, *, ignore_case: bool = False) -> float:
    """Return 1 if the response is a reference."""
    return float(item.response in item.references)


@frozen
class CounterParameters:
    """Parameters of the resource."""

    budget: int | None = None


class Counter:
    """Resource with a budget."""

    def __init__(self, parameters: CounterParameters) -> None:
        self.parameters = parameters
        self.stop: str | None = None
        self.spent = False

    def facts(self) -> Mapping[str, int | str]:
        """Return the facts for the report."""
        return {"calls": 0}


@parameters
class LineParameters:
    """Parameters of the reader."""

    path: Path = parameter(help="File.")


class Lines:
    """Reader of tables."""

    def __init__(self, parameters: LineParameters, task: str) -> None:
        self.parameters = parameters

    def partitions(self) -> Sequence[TablePartition]:
        """Return the partitions."""
        return split_table(self.parameters.path)

    def read(self, partition: TablePartition) -> Iterator[TextBatch]:
        """Yield the batches of a partition."""
        yield rows(read_table(partition))


def rows(table: Table) -> TextBatch:
    """Make a batch of a table."""
    return TextBatch.of(Text(uid, response="a") for uid in table.uids("uid").tolist())


def detect(files: Sequence[Path]) -> Detected | None:
    """Recognize a file."""
    return Detected(data={"path": str(files[0])}, metrics=("lab.Exact",)) if files else None


@frozen
class Shelf(Partition):
    """Partition of another source."""

    number: int

    @property
    def name(self) -> str:
        """Name for messages."""
        return f"shelf {self.number}"


class Serial:
    """Engine that counts one partition after another."""

    def __init__(self, parameters: NoParameters) -> None:
        self.parameters = parameters

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """Yield a state for each partition."""
        with opened(work.resources) as resources:
            for partition in partitions:
                yield work(partition, resources)


class Wall:
    """Gallery of long responses."""

    legend: Mapping[str, str] = {"too long": "crimson"}

    def __init__(self, parameters: NoParameters) -> None:
        self.parameters = parameters

    def errors(self, batch: TextBatch) -> Sequence[float]:
        """Return the errors of each item."""
        return [max(len(response or "") - 80, 0) for response in batch.responses]

    def draw(self, batch: TextBatch) -> Picture | MarkedTexts:
        """Draw a batch of one item."""
        return MarkedTexts({"response": [MarkedPiece("a", "too long")]}, {"letters": 1})


def command(arguments: list[str]) -> int:
    """Run the command."""
    if not arguments:
        raise ReadError("files: expected at least one, got none")
    return 0


class Manifest:
    """Hooks of the plugin."""

    @hookimpl
    def valor_metrics(self) -> Iterable[MetricSpec]:
        """Declare the metrics."""
        return (
            MetricSpec(
                name="lab.MeanWords",
                task="text",
                summary="Mean number of words",
                parameters=WordParameters,
                implementation="contract:MeanWords",
                higher_is_better=None,
                range=Range(0),
                references=(Reference("A book", section="2"),),
            ),
            ItemMetricSpec(
                name="lab.Overlap",
                task="text",
                summary="Overlap of words",
                parameters="contract:WordParameters",
                implementation="contract:overlap",
                higher_is_better=True,
                range=Range(0, 1),
                resources=("counter",),
                aliases=("common_words",),
            ),
            ItemMetricSpec(
                name="lab.Length",
                task="text",
                summary="Length of the response",
                implementation="contract:lengths",
                higher_is_better=None,
                range=Range(0),
                batched=True,
                summarize="contract:summarize",
            ),
        )

    @hookimpl
    def valor_resources(self) -> Iterable[ResourceSpec]:
        """Declare the resource."""
        return (
            ResourceSpec(
                name="lab.counter",
                summary="A counter",
                parameters=CounterParameters,
                implementation="contract:Counter",
                divided=("budget",),
                free=True,
            ),
        )

    @hookimpl
    def valor_readers(self) -> Iterable[ReaderSpec]:
        """Declare the reader."""
        return (
            ReaderSpec(
                name="lab.lines",
                task="text",
                summary="Lines",
                parameters=LineParameters,
                implementation="contract:Lines",
                detect="contract:detect",
            ),
        )

    @hookimpl
    def valor_engines(self) -> Iterable[EngineSpec]:
        """Declare the engine."""
        return (EngineSpec(name="lab.serial", summary="Serial", implementation="contract:Serial"),)

    @hookimpl
    def valor_galleries(self) -> Iterable[GallerySpec]:
        """Declare the gallery."""
        return (
            GallerySpec(
                name="lab.Wall", task="text", summary="Long texts", implementation="contract:Wall"
            ),
        )

    @hookimpl
    def valor_commands(self) -> Iterable[CommandSpec]:
        """Declare the command."""
        return (
            CommandSpec(
                name="lab.count_files", summary="Count files", implementation="contract:command"
            ),
        )

    @hookimpl
    def valor_tasks(self) -> Iterable[TaskSpec]:
        """Declare no task."""
        return ()


metrics: tuple[Metric, ...] = (MeanWords(WordParameters(most=2)), WorstGrade(NoParameters()))
reader: Reader = Lines(LineParameters(path=Path("a.csv")), "text")
engine: Engine = Serial(NoParameters())
gallery: Gallery = Wall(NoParameters())


def family_kernels() -> Kernels:
    """Load the kernels of a package."""
    return load_kernels("contract.kernels")


def items() -> tuple[Text | Classification | Detection | Segmentation, ...]:
    """Return items of all tasks."""
    box, mask = Box(0, 0, 2, 1), Mask.of(np.ones((1, 2), bool))
    return (
        Text("a", response="b", references=["b"], metadata={"noise": 1}),
        Text("c", query="d", response="b", references="b", contexts=["e"]),
        Classification("a", "dog", {"dog": 0.5, "cat": 0.5}),
        Classification("a", groundtruths=["dog", Label("color", "red")], predictions=[("dog", 1)]),
        Detection("a", [TrueObject("dog", box)], [PredictedObject({"dog": 0.5}, box)], size=(9, 9)),
        Detection("b", [TrueObject(Label("class", "dog"), mask, area=2, uid=7, is_crowd=True)]),
        Detection("c", [TrueObject("dog", Polygon([[(0, 0), (1, 0), (1, 1)]]))]),
        Detection("d", [TrueObject("dog", box, ignored=True)], searched=["dog", "cat"]),
        Segmentation("a", [[0, 1]], {"cat": [[True, True]]}, labels=["cat"]),
        Segmentation("b", Segments([[1, 1]], {1: "person"}), stuff=["sky"]),
    )


def batches() -> tuple[Batch, ...]:
    """Return batches of columns."""
    datums, dog, none = (
        Datums(["a"], {"noise": [1]}),
        Label("class", "dog"),
        Shapes(np.empty((0, 4))),
    )
    return (
        ClassificationBatch(datums, [dog], [0], [0], ScoreMatrix([[0.5]], [0])),
        ClassificationBatch(datums, [dog], [0], [0], ScoreList([0], [0], [0.5])),
        DetectionBatch(
            datums,
            [dog],
            TrueObjects(
                datums=[0], labels=[0], shapes=Shapes([[0, 0, 2, 1]]), crowd=[False], areas=[2]
            ),
            PredictedObjects(datums=[], labels=[], shapes=none, scores=[], areas=[]),
            sizes=[[9, 9]],
        ),
        TextBatch.of([Text("a", response="b")]).select(np.array([0])),
    )


def used() -> Report:
    """Evaluate items and use the report."""
    registry = Registry()
    registry.register("lab", Manifest())
    texts = [item for item in items() if isinstance(item, Text)]
    evaluator = Evaluator(metrics=[exact, {"name": "lab.MeanWords", "most": 2}], registry=registry)
    evaluator.update(texts)
    datums = Datums(["a", "b"])
    kept: Codes = (
        Filter.parse("noise > 0").mask({"noise": np.array([1, 0])}, datums.uids, 2).nonzero()[0]
    )
    assert kept.tolist() == [0]
    assert [one.number for one in evaluator.compute()["MeanWords"]]
    memory = InMemory(batches()[-1:], fingerprints=("0" * 32,))
    assert isinstance(memory, Reader)
    assert len(list(memory.read(memory.partitions()[0]))) == 1
    assert ItemRows.of([ItemRow("a", 0.5, metadata={"noise": 1})])[0].value == 0.5
    assert mean_of_defined([0.5, Undefined("none")], "labels") == (0.5, {"none": 1})
    assert Datum("a", {"lang": "de"}) != Datum(1)
    assert Result(value=0.5) == Report(results=[Result(value=0.5)])[0]
    return valor_core.evaluate(texts, [exact], slices=["noise"])
