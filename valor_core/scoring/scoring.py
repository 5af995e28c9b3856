"""Score the items of a batch by all chosen per-item metrics.

Rows of metrics with resources are journaled as soon as they are finished, so that an interrupted
run loses no paid score.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from valor_core.cancellation import STOPPED_BY_USER, Control, LocalControl
from valor_core.errors import (
    ManifestError,
    ReportError,
    ResourceError,
    StateError,
    ValorError,
    short_repr,
)
from valor_core.parameters.declaration import parameter_values
from valor_core.resources.bound import Facts
from valor_core.resources.journal import Journal, row_key
from valor_core.resources.opening import OpenResources
from valor_core.results.detail_columns import with_details
from valor_core.results.item_rows import SINGLE, ItemRow, ItemRows, Numbers, RowValue
from valor_core.results.json_values import as_json
from valor_core.results.result import (
    ADDRESS,
    Failed,
    ItemScore,
    NoScore,
    NotRun,
    Undefined,
    failure,
)
from valor_core.schemas import Batch, Datums
from valor_core.schemas.slice_values import plain_values
from valor_core.scoring.column_answers import as_rows, finite
from valor_core.scoring.spec import ItemMetricSpec
from valor_core.specs.spec import MetricSpec
from valor_core.states.state import Preparation, Resources, StateRequest

# Items per call of a batched metric if rows are journaled: bounds what a killed run can lose.
_CHUNK = 256


@frozen(repr=False)
class ItemScorer(Preparation):
    """Per-item metric with its parameters and resources.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    parameters : object
        Instance of the parameter class.
    chosen : tuple of (str, str)
        Names of its resources, each with the name of the open instance.
    """

    spec: ItemMetricSpec
    parameters: Any
    chosen: tuple[tuple[str, str], ...] = ()

    @cached_property
    def waits(self) -> bool:
        """True if its rows are expensive enough to be journaled."""
        return bool(self.chosen) or inspect.iscoroutinefunction(self.spec.load())

    @classmethod
    def together(
        cls, requests: Sequence[StateRequest], batch: Batch, resources: Resources
    ) -> list[ItemRows]:
        """Score a batch by all metrics; return rows with the metadata of each request."""
        scorers: list[Any] = [request.prepare for request in requests]
        scored = score(scorers, batch, resources)
        if any("rows" in dict(request.union) for request in requests):
            columns = batch.item_details()
            scored = [
                evolve(rows, details=with_details(rows.details, columns, len(rows)))
                for rows in scored
            ]
        return [
            _with_metadata(rows, batch.datums, dict(request.union)["metadata"])
            for request, rows in zip(requests, scored, strict=True)
        ]


def _with_metadata(rows: ItemRows, datums: Datums, names: Iterable[str]) -> ItemRows:
    """Add metadata of the items to their rows; missing fields are None."""
    missing = np.full(len(datums), None, dtype=object)
    columns = {name: plain_values(datums.metadata.get(name, missing)) for name in names}
    return evolve(rows, metadata=columns) if columns else rows


def score(scorers: Sequence[ItemScorer], batch: Batch, resources: Resources) -> list[ItemRows]:
    """Score the items of a batch; return rows per metric.

    Parameters
    ----------
    scorers : sequence of ItemScorer
        The metrics.
    batch : Batch
        The items.
    resources : mapping of str to object
        Open resources. Without a control of the run, an interrupt raises `KeyboardInterrupt`.
    """
    items, opened = Items(batch), OpenResources.of(resources)
    jobs = [MetricScoring(scorer, items, opened) for scorer in scorers]
    waiting = [job for job in jobs if job.is_coroutine]
    if isinstance(opened.control, LocalControl):
        opened.control.expect(len(batch) * sum(job.waits for job in jobs), opened.usage)
    with _in_background(waiting, opened.control):
        paid: list[MetricScoring] = []
        for job in jobs:
            if job.waits and not (job.is_coroutine or job.scorer.spec.batched):
                paid.append(job)
            elif not job.is_coroutine:
                job.run()
        _run_by_item(paid, opened.control)
    return [job.rows() for job in jobs]


def _run_by_item(jobs: Sequence[MetricScoring], control: Control | None) -> None:
    """Score items by plain functions in this thread, each item by all metrics before the next."""
    if len(jobs) < 2:
        for job in jobs:
            job.run()
        return
    from valor_core.scoring.async_scoring import by_item

    try:
        for job, position, item in by_item(jobs):
            job.record(position, item, job.answer(item))
    except KeyboardInterrupt:
        if control is None:
            raise
        control.stop(STOPPED_BY_USER)


def _in_background(
    jobs: Sequence[MetricScoring], control: Control | None
) -> AbstractContextManager[None]:
    """Return a block during which coroutine metrics score items."""
    if not jobs:
        return nullcontext()
    from valor_core.scoring.async_scoring import scoring_in_background

    return scoring_in_background(jobs, control)


@define(slots=False, repr=False)
class Items:
    """Items of a batch as objects, made once for all metrics."""

    batch: Batch

    @cached_property
    def objects(self) -> list[Any]:
        """Items as objects."""
        return list(self.batch.items())


@define(slots=False, repr=False)
class MetricScoring:
    """Scoring of one batch by one metric."""

    scorer: ItemScorer
    items: Items
    resources: OpenResources
    function: Callable[..., Any] = field(init=False)
    names: Mapping[str, str] = field(init=False)
    requested: Mapping[str, Any] = field(init=False)
    waits: bool = field(init=False)
    journal: Journal | None = field(init=False)
    scored_rows: list[ItemRow | None] = field(init=False)
    columns: ItemRows | None = field(init=False, default=None)
    keys: dict[int, str] = field(init=False, factory=dict)
    missing: Numbers = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.missing = missing_fields(self.items.batch, self.scorer.spec)
        self.function = self.scorer.spec.load()
        # Tests pass resources under the metric's own name.
        self.names = {
            used: name if name in self.resources else used for used, name in self.scorer.chosen
        }
        self.requested = {used: self.resources[name] for used, name in self.names.items()}
        self.waits = self.resources.control is not None and self.scorer.waits
        self.journal = self.resources.journal if self.waits else None
        self.scored_rows = [None] * len(self.items.batch)

    @property
    def is_coroutine(self) -> bool:
        """True if the metric is a coroutine function."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def stopped(self) -> str | None:
        """Reason why no further item is scored, or None."""
        control = self.resources.control
        if control is not None and control.stopped:
            return control.stopped
        return self.resources.stop(self.names.values())

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Metric, parameters and resources, which identify rows in the journal."""
        return {
            "metric": self.scorer.spec.identity,
            "parameters": parameter_values(self.scorer.parameters),
            "resources": {name: self.resources.identity(name) for name in self.names.values()},
        }

    def rows(self) -> ItemRows:
        """Return the rows of all items; unscored items are `NotRun`."""
        if self.columns is not None:
            return self.columns
        reason = NotRun(self.stopped) if self.stopped else Failed("its coroutine was cancelled")
        uids = self.items.batch.datums.uids
        if None in self.scored_rows:
            listed = zip(uids.tolist(), self.scored_rows, strict=True)
            self.scored_rows = [ItemRow(uid, reason) if row is None else row for uid, row in listed]
        return ItemRows.of((row for row in self.scored_rows if row is not None), uids)

    def run(self) -> None:
        """Score all items in this thread until the run stops."""
        try:
            if self.scorer.spec.batched:
                self._score_chunks()
            else:
                for position, item in self.unscored():
                    self.record(position, item, self.answer(item))
        except KeyboardInterrupt:
            if self.resources.control is None:
                raise
            self.resources.control.stop(STOPPED_BY_USER)

    def unscored(self) -> Iterator[tuple[int, Any]]:
        """Yield unscored items with their positions until the run stops.

        Rows of the journal are used even after a stop, since they are paid for. Items without a
        required field get a row with the reason.
        """
        for position, item in enumerate(self.items.objects):
            value = self.missing.at(position)
            row = (
                self._find(position, item) if isinstance(value, float) else ItemRow(item.uid, value)
            )
            if row is not None:
                self.scored_rows[position] = row
                self._report_progress(1)
            elif not self.stopped:
                yield position, item
            elif self.journal is None:
                return

    def _find(self, position: int, item: Any) -> ItemRow | None:
        if self.journal is None:
            return None
        key = self.keys[position] = row_key(item, self.identity)
        return self.journal.find(key, self.scorer.spec.range)

    def answer(self, item: Any) -> Any:
        """Score one item; an exception becomes the reason why there is no score."""
        try:
            return self.function(item, self.scorer.parameters, self.requested)
        except (Exception, SystemExit) as error:  # one failing item must not lose the others
            return failure(error)

    def record(self, position: int, item: Any, answer: Any) -> None:
        """Record the score of an item."""
        row = row_of(item.uid, answer, self.scorer.spec)
        self.scored_rows[position] = row
        self._report_progress(1)
        if self.journal is None or self.resources.control is None:
            return
        try:
            self.journal.add(self.keys.pop(position), row, self._facts())
        except StateError as error:
            # The report still gets the paid rows; stop before further calls are paid.
            self.resources.control.stop(error.one_line)

    def _facts(self) -> dict[str, tuple[int, Facts]]:
        """Return the facts of the resources so far; a failure is raised at the end of the run."""
        try:
            return self.resources.facts()
        except ResourceError:
            return {}

    def _report_progress(self, count: int) -> None:
        if self.resources.control is not None and self.waits:
            self.resources.control.scored(count)

    def _score_chunks(self) -> None:
        """Score all items in calls for many items."""
        batch = self.items.batch
        if self.journal is None:
            if not self.stopped:
                self.columns = self._score_complete_items(batch)
            return
        chunk: list[tuple[int, Any]] = []
        for pair in self.unscored():
            chunk.append(pair)
            if len(chunk) == _CHUNK:
                self._score_chunk(chunk)
        self._score_chunk(chunk)

    def _score_chunk(self, chunk: list[tuple[int, Any]]) -> None:
        if not chunk or self.stopped:
            return
        positions = np.array([position for position, _ in chunk], np.int64)
        rows = self._score_batch(self.items.batch.select(positions))
        for (position, item), row in zip(chunk, rows, strict=True):
            self.record(position, item, ItemScore(row.value, row.details))
        chunk.clear()

    def _score_complete_items(self, batch: Batch) -> ItemRows:
        """Score the items of a batch that have all required fields; return rows of all items."""
        if not self.missing.gap_counts():
            return self._score_batch(batch)
        is_complete = self.missing.codes == 0
        complete, incomplete = np.flatnonzero(is_complete), np.flatnonzero(~is_complete)
        excluded = ItemRows(batch.datums.uids, {SINGLE: self.missing}).select(incomplete)
        scored = self._score_batch(batch.select(complete)) if len(complete) else ItemRows.of(())
        order = np.empty(len(batch), np.int64)
        order[np.concatenate([complete, incomplete])] = np.arange(len(batch))
        rows = ItemRows.joined([scored, excluded]).select(order)
        return evolve(rows, uids=ItemRows.of((), batch.datums.uids).uids)

    def _score_batch(self, batch: Batch) -> ItemRows:
        """Score a batch in one call."""
        uids = batch.datums.uids
        try:
            answers = self.function(batch, self.scorer.parameters, self.requested)
        except (Exception, SystemExit) as error:
            answers = [failure(error)] * len(batch)
        try:
            columns = as_rows(answers, uids, self.scorer.spec.name)
        except ValorError as error:
            answers = [Failed(ADDRESS.sub("", error.message))] * len(batch)
        else:
            if columns is not None:
                return finite(columns, self.scorer.spec.name)
        try:
            answers = list(answers)
        except TypeError:
            answers = [_unfit(self.scorer.spec, answers)] * len(batch)
        if len(answers) != len(batch):
            unfit = Failed(
                f"expected {len(batch):,} answers from {self.scorer.spec.name}, one per item, got "
                f"{len(answers):,}"
            )
            answers = [unfit] * len(batch)
        pairs = zip(uids.tolist(), answers, strict=True)
        return ItemRows.of((row_of(uid, one, self.scorer.spec) for uid, one in pairs), uids)


def missing_fields(batch: Batch, spec: MetricSpec) -> Numbers:
    """Return 0 for items with all required fields of a metric, else the missing field as reason.

    Parameters
    ----------
    batch : Batch
        The items.
    spec : MetricSpec
        The metric.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> from valor_core.specs.spec import Range
    >>> spec = MetricSpec(name="mylab.Same", task="text", summary="", implementation="m:f",
    ...                   higher_is_better=None, range=Range(), requires=("response", "references"))
    >>> batch = TextBatch.of([Text("q1", response="a", references="a"), Text("q2", response="")])
    >>> [missing_fields(batch, spec).at(position) for position in range(2)]
    [0.0, Undefined(reason='no references')]
    """
    codes = np.zeros(len(batch), np.uint8)
    for position, name in reversed([*enumerate(spec.requires)]):
        codes[batch.lacks(name)] = position + 1
    reasons = tuple(Undefined(f"no {name.replace('_', ' ')}") for name in spec.requires)
    return Numbers(np.zeros(len(batch)), codes, reasons)


def row_of(uid: str | int, answer: Any, spec: MetricSpec) -> ItemRow:
    """Return the row of an item from the return value of a metric.

    Parameters
    ----------
    uid : str or int
        Uid of the item.
    answer : object
        Return value of the metric; an invalid one becomes `Failed` with the reason.
    spec : MetricSpec
        The metric.
    """
    details: Mapping[str, Any] = {}
    if isinstance(answer, ItemScore):
        answer, details = answer.value, answer.details
    value: RowValue
    if isinstance(answer, Mapping):
        named = {str(name): _checked(one, spec) for name, one in answer.items()}
        value = named if named and SINGLE not in named else _unfit(spec, answer)
    else:
        value = _checked(answer, spec)
    try:
        checked = as_json(details, "details")
    except ReportError as error:
        return ItemRow(uid, Failed(ADDRESS.sub("", error.message)))
    if not isinstance(checked, dict):
        return ItemRow(uid, Failed(f"details: expected a table, got {short_repr(details)}"))
    return ItemRow(uid, value, checked)


def _checked(answer: Any, spec: MetricSpec) -> float | NoScore:
    if isinstance(answer, (Undefined, Failed, NotRun)):
        return answer
    if isinstance(answer, (str, bytes, bytearray)):
        return _unfit(spec, answer)
    try:
        number = float(answer)
    except (TypeError, ValueError, OverflowError):
        return _unfit(spec, answer)
    if not math.isfinite(number):
        return Failed(f"expected a finite number from {spec.name}, got {number}")
    return number


def _unfit(spec: MetricSpec, answer: Any) -> Failed:
    return Failed(ADDRESS.sub("", f"expected a number from {spec.name}, got {short_repr(answer)}"))


def check_scorer(spec: ItemMetricSpec, function: Callable[..., Any]) -> None:
    """Raise a `ManifestError` unless the function has the signature that the spec requires.

    Examples
    --------
    >>> from valor_core.specs.spec import Range
    >>> spec = ItemMetricSpec(name="mylab.Zero", task="text", summary="", implementation="m:f",
    ...                       higher_is_better=None, range=Range())
    >>> check_scorer(spec, lambda item, parameters, resources: 0.0)
    """
    what = "batch" if spec.batched else "item"
    if spec.batched and inspect.iscoroutinefunction(function):
        raise ManifestError(f"{spec.name}: expected a plain function of a batch, got a coroutine")
    try:
        inspect.signature(function).bind(None, None, None)
    except (TypeError, ValueError) as error:
        raise ManifestError(
            f"{spec.name}: expected {spec.implementation} to take ({what}, parameters, resources), "
            f"{error}"
        ) from error
