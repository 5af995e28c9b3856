"""Spans: a task of BIO tags, and the F1 of spans by label."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

from attrs import define, field, frozen
from numpy.typing import NDArray
from valor_files import columns_beside, json_cells

from valor_core import Result
from valor_core.errors import SchemaError
from valor_core.parameters import changed_parameters, parameter, parameters
from valor_core.results import NumberOrReason, macro_mean, ratio
from valor_core.schemas import Batch, Datum, Datums, metadata_field, object_column, uid_field
from valor_core.specs import MetricSpec, Range, TaskSpec, hookimpl
from valor_core.states import DerivedState, StateRequest, counted


def _tuple(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(tags)


def _check_length(item: "Tagged", attribute: Any, predicted: tuple[str, ...]) -> None:
    if len(predicted) != len(item.tags):
        raise SchemaError(
            f"item {item.uid!r}: expected {len(item.tags)} predicted tags, got {len(predicted)}"
        )


@frozen
class Tagged:
    """True and predicted tags of a sentence: ``B-city``, ``I-city``, ``O``."""

    task: ClassVar[str] = "tags"

    uid: str = uid_field()
    tags: tuple[str, ...] = field(default=(), converter=_tuple)
    predicted: tuple[str, ...] = field(default=(), converter=_tuple, validator=_check_length)
    metadata: Mapping[str, Any] = metadata_field()


@frozen
class TaggedBatch(Batch):
    """Columns of sentences."""

    task: ClassVar[str] = "tags"

    datums: Datums
    tags: NDArray[Any]
    predicted: NDArray[Any]

    @classmethod
    def of(cls, items: Iterable[Tagged]) -> Self:
        """Make a batch of items."""
        items = list(items)
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            object_column(item.tags for item in items),
            object_column(item.predicted for item in items),
        )

    def select(self, positions: Any) -> Self:
        """Return the items at these positions."""
        return type(self)(
            self.datums.select(positions), self.tags[positions], self.predicted[positions]
        )

    def items(self) -> Iterator[Tagged]:
        """Yield the items."""
        for i, (tags, predicted) in enumerate(zip(self.tags, self.predicted, strict=True)):
            datum = self.datums.at(i)
            yield Tagged(str(datum.uid), tags, predicted, datum.metadata)


def from_table(table: Any) -> TaggedBatch:
    """Make a batch of a table with a row per sentence."""
    columns = json_cells(table, "tags"), json_cells(table, "predicted")
    metadata = columns_beside(table, own=("uid", "tags", "predicted"))
    batch = TaggedBatch(Datums(table.uids("uid"), metadata), *map(object_column, columns))
    return TaggedBatch.of(batch.items())  # checks each item


def examples() -> dict[str, list[TaggedBatch]]:
    """Return data sets for the conformance kit."""
    right = Tagged("s1", ["B-city", "I-city", "O"], ["B-city", "I-city", "O"], {"lang": "de"})
    wrong = Tagged("s2", ["B-city", "B-name"], ["B-city", "O"], {"lang": "en"})
    return {"two batches": [TaggedBatch.of([right]), TaggedBatch.of([wrong, Tagged("s3")])]}


def spans_of(tags: Iterable[str]) -> set[tuple[str, int, int]]:
    """Return label, start and end of each span. A stray ``I-`` begins a span, as in seqeval."""
    spans, label, start = set(), "", 0
    for i, tag in enumerate([*tags, "O"]):
        kind, _, name = tag.partition("-")
        if label and (kind != "I" or name != label):
            spans.add((label, start, i))
            label = ""
        if kind != "O" and not label:
            label, start = name, i
    return spans


@define
class SpanCounts(DerivedState):
    """Counts of spans by label."""

    right: Counter[str] = counted(Counter)
    true: Counter[str] = counted(Counter)
    predicted: Counter[str] = counted(Counter)

    def update(self, batch: TaggedBatch) -> None:
        """Count a batch."""
        for item in batch.items():
            true, predicted = spans_of(item.tags), spans_of(item.predicted)
            self.right.update(label for label, _, _ in true & predicted)
            self.true.update(label for label, _, _ in true)
            self.predicted.update(label for label, _, _ in predicted)


@parameters
class AverageParameters:
    """Parameters of F1."""

    average: Literal["micro", "macro", "none"] = parameter(
        default="micro", help="All spans together, the mean of labels, or each label."
    )


@frozen
class F1:
    """2 x right spans / (true + predicted spans)."""

    parameters: AverageParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the counts."""
        return (StateRequest(SpanCounts),)

    def compute(self, state: SpanCounts) -> Iterator[Result]:
        """Yield the average, or one result per label."""
        labels = sorted(state.true | state.predicted)
        by_label = [_f1(state.right[x], state.true[x] + state.predicted[x]) for x in labels]
        stated = changed_parameters(self.parameters)
        if self.parameters.average == "none":
            for label, value in zip(labels, by_label, strict=True):
                yield Result(value=value, parameters={**stated, "label": label})
        elif self.parameters.average == "macro":
            mean, left_out = macro_mean(by_label, [state.true[x] for x in labels])
            yield Result(value=mean, parameters=stated, left_out=left_out)
        else:
            both = state.true.total() + state.predicted.total()
            yield Result(value=_f1(state.right.total(), both), parameters=stated)


def _f1(right: int, true_and_predicted: int) -> NumberOrReason:
    return ratio(2 * right, true_and_predicted, None, "no spans")


@hookimpl
def valor_tasks() -> list[TaskSpec]:
    """Declare the task."""
    return [
        TaskSpec(
            name="spans.tags",
            summary="BIO tags of sentences",
            implementation="spans:TaggedBatch",
            item="spans:Tagged",
            rows="spans:from_table",
            examples="spans:examples",
        )
    ]


@hookimpl
def valor_metrics() -> list[MetricSpec]:
    """Declare the metric."""
    return [
        MetricSpec(
            name="spans.F1",
            task="tags",
            summary="F1 of spans with equal label, start and end",
            parameters=AverageParameters,
            implementation="spans:F1",
            higher_is_better=True,
            range=Range(0, 1),
        )
    ]
