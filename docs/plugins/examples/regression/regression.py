"""Regression: a task of numbers, its tables and arrays, and MAE, RMSE and R2."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from attrs import define, field, frozen
from valor_files import (
    Detected,
    TablePartition,
    changed_columns,
    column_called,
    columns_beside,
    first_rows,
    read_table,
    split_table,
)

from valor_core import Result, Undefined
from valor_core.errors import SchemaError
from valor_core.parameters import parameter, parameters
from valor_core.schemas import Batch, Datum, Datums, Floats, metadata_field, uid_field
from valor_core.specs import MetricSpec, Range, ReaderSpec, TaskSpec, hookimpl
from valor_core.states import DerivedState, ExactSum, StateRequest, counted


def _finite(numbers: Any) -> Floats:
    column = np.asarray(numbers, dtype=np.float64)
    if not np.isfinite(column).all():
        raise SchemaError(f"expected finite numbers, got {column[~np.isfinite(column)][0]}")
    return column


@frozen
class Pair:
    """True and predicted number of an item."""

    task: ClassVar[str] = "regression"

    uid: str = uid_field()
    truth: float = field(default=0.0)
    prediction: float = field(default=0.0)
    metadata: Mapping[str, Any] = metadata_field()


@frozen
class PairBatch(Batch):
    """Columns of numbers."""

    task: ClassVar[str] = "regression"

    datums: Datums
    truths: Floats = field(converter=_finite)
    predictions: Floats = field(converter=_finite)

    @classmethod
    def of(cls, items: Iterable[Pair]) -> Self:
        """Make a batch of items."""
        items = list(items)
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            [item.truth for item in items],
            [item.prediction for item in items],
        )

    def select(self, positions: Any) -> Self:
        """Return the items at these positions."""
        return type(self)(
            self.datums.select(positions), self.truths[positions], self.predictions[positions]
        )

    def items(self) -> Iterator[Pair]:
        """Yield the items."""
        for i, (truth, prediction) in enumerate(zip(self.truths, self.predictions, strict=True)):
            datum = self.datums.at(i)
            yield Pair(str(datum.uid), float(truth), float(prediction), datum.metadata)


def from_table(table: Any, truth: str = "truth", prediction: str = "prediction") -> PairBatch:
    """Make a batch of a table with a row per item."""
    metadata = columns_beside(table, own=("uid", truth, prediction))
    return PairBatch(
        Datums(table.uids("uid"), metadata), table.floats(truth), table.floats(prediction)
    )


def pairs(truths: Any, predictions: Any) -> PairBatch | None:
    """Make a batch of two lists or arrays of numbers; None for other data."""
    try:
        sides = [np.asarray(side) for side in (truths, predictions)]
    except ValueError:  # nested lists of different lengths
        return None
    if any(side.ndim != 1 or side.dtype.kind not in "if" or not side.size for side in sides):
        return None
    if len(sides[0]) != len(sides[1]):
        raise SchemaError(f"expected {len(sides[0])} predictions, got {len(sides[1])}")
    return PairBatch(Datums(np.arange(len(sides[0]))), *sides)


def detect(files: list[Path]) -> Detected | None:
    """Recognize a table with columns of numbers called truth and prediction, or alike."""
    table = first_rows(files[0])
    if table is None or len(files) != 1:
        return None
    truth = column_called(table, ["truth", "y_true"])
    prediction = column_called(table, ["prediction", "y_pred"])
    if truth is None or prediction is None:
        return None
    columns = changed_columns({"truth": truth, "prediction": prediction})
    data = {"path": str(files[0]), **columns}
    return Detected(data=data, metrics=("MAE", "RMSE", "R2"))


def examples() -> dict[str, list[PairBatch]]:
    """Return data sets for the conformance kit."""
    items = [Pair(f"h{i}", i * 1e8, i * 1e8 + i / 8, {"town": "ab"[i % 2]}) for i in range(5)]
    return {"three batches": [PairBatch.of(items[:2]), PairBatch.of(items[2:]), PairBatch.of([])]}


@define
class Sums(DerivedState):
    """Exact sums of truths, errors and their squares."""

    count: int = counted(int)
    truths: ExactSum = counted(ExactSum)
    squares: ExactSum = counted(ExactSum)
    errors: ExactSum = counted(ExactSum)
    squared_errors: ExactSum = counted(ExactSum)

    def update(self, batch: PairBatch) -> None:
        """Count a batch."""
        self.count += len(batch)
        self.truths.add(batch.truths)
        self.squares.add_products(batch.truths, batch.truths)
        errors = np.abs(batch.predictions - batch.truths)
        self.errors.add(errors)
        self.squared_errors.add_products(errors, errors)


@frozen
class Metric:
    """Base class: request the sums."""

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the sums."""
        return (StateRequest(Sums),)


class MAE(Metric):
    """Mean absolute error."""

    def compute(self, state: Sums) -> Iterator[Result]:
        """Yield the mean."""
        yield Result(value=_mean(state.errors, state))


class RMSE(Metric):
    """Root of the mean squared error."""

    def compute(self, state: Sums) -> Iterator[Result]:
        """Yield the root."""
        mean = _mean(state.squared_errors, state)
        yield Result(value=mean if isinstance(mean, Undefined) else mean**0.5)


class R2(Metric):
    """1 - squared errors / squared deviations of the truths from their mean."""

    def compute(self, state: Sums) -> Iterator[Result]:
        """Yield the coefficient; undefined if all truths are equal, unlike scikit-learn."""
        if not state.count:
            return (yield Result(value=Undefined("no items")))
        deviations = state.squares.exact - state.truths.exact**2 / state.count
        if not deviations:
            return (yield Result(value=Undefined("all truths are equal")))
        yield Result(value=float(1 - state.squared_errors.exact / deviations))


def _mean(total: ExactSum, state: Sums) -> float | Undefined:
    return float(total.exact / state.count) if state.count else Undefined("no items")


@parameters
class TableParameters:
    """Parameters of the reader."""

    path: Path = parameter(help="Table with a row per item.")
    truth: str = parameter(default="truth", help="Column of true numbers.")
    prediction: str = parameter(default="prediction", help="Column of predicted numbers.")


@frozen
class TableReader:
    """Reader of tables with columns of any name."""

    parameters: TableParameters
    task: Any

    def partitions(self) -> tuple[TablePartition, ...]:
        """Split the table."""
        return split_table(self.parameters.path)

    def read(self, partition: TablePartition) -> Iterator[PairBatch]:
        """Yield the rows of a partition."""
        columns = self.parameters.truth, self.parameters.prediction
        yield from_table(read_table(partition), *columns)


@hookimpl
def valor_tasks() -> list[TaskSpec]:
    """Declare the task."""
    return [
        TaskSpec(
            name="regression.regression",
            summary="True and predicted numbers",
            implementation="regression:PairBatch",
            item="regression:Pair",
            rows="regression:from_table",
            pairs="regression:pairs",
            examples="regression:examples",
        )
    ]


@hookimpl
def valor_readers() -> list[ReaderSpec]:
    """Declare the reader."""
    return [
        ReaderSpec(
            name="regression.numbers",
            task="regression",
            summary="Table of true and predicted numbers",
            parameters=TableParameters,
            implementation="regression:TableReader",
            detect="regression:detect",
        )
    ]


@hookimpl
def valor_metrics() -> list[MetricSpec]:
    """Declare the metrics."""
    return [
        MetricSpec(
            name=f"regression.{name}",
            task="regression",
            summary=summary,
            implementation=f"regression:{name}",
            higher_is_better=name == "R2",
            range=bounds,
        )
        for name, summary, bounds in (
            ("MAE", "Mean absolute error", Range(0)),
            ("RMSE", "Root of the mean squared error", Range(0)),
            ("R2", "Explained share of the variance", Range(None, 1)),
        )
    ]
