"""Scoring: the items of a batch, by all per-item metrics that were chosen, side by side.

Every finished row of what costs something is journaled before the next thing happens, so that
whatever ends the run, nothing paid for is lost.
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

from valor_core.cancellation import STOPPED_BY_USER, Control
from valor_core.errors import (
    ManifestError,
    ReportError,
    ResourceError,
    StateError,
    ValorError,
    shown,
)
from valor_core.parameters.declaration import parameter_values
from valor_core.resources.bound import Facts
from valor_core.resources.journal import Journal, row_key
from valor_core.resources.opening import OpenResources
from valor_core.results.item_rows import ONLY, ItemRow, ItemRows, Numbers, RowValue
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

_PIECE = 256  # items that `score_many` gets at a time where each finished row is journaled


@frozen(repr=False)
class ItemScorer(Preparation):
    """A per-item metric with its parameters and the resources that it uses.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    parameters : object
        An instance of its parameter class.
    chosen : tuple of (str, str)
        For each resource that it asks for, the name under which it is open.
    """

    spec: ItemMetricSpec
    parameters: Any
    chosen: tuple[tuple[str, str], ...] = ()

    @property
    def waits(self) -> bool:
        """Whether its rows are worth being journaled: they cost more than looking them up."""
        return bool(self.chosen) or inspect.iscoroutinefunction(self.spec.load())

    @classmethod
    def together(
        cls, requests: Sequence[StateRequest], batch: Batch, resources: Resources
    ) -> list[ItemRows]:
        """Score a batch by all metrics; return rows with the metadata that each request keeps."""
        scorers: list[Any] = [request.prepare for request in requests]
        return [
            _with_metadata(rows, batch.datums, dict(request.union)["metadata"])
            for request, rows in zip(requests, score(scorers, batch, resources), strict=True)
        ]


def _with_metadata(rows: ItemRows, datums: Datums, names: Iterable[str]) -> ItemRows:
    """Add metadata of the items to their rows, None where an item has no such field."""
    missing = np.full(len(datums), None, dtype=object)
    columns = {name: plain_values(datums.metadata.get(name, missing)) for name in names}
    return evolve(rows, metadata=columns) if columns else rows


def score(scorers: Sequence[ItemScorer], batch: Batch, resources: Resources) -> list[ItemRows]:
    """Rows of a batch's items, for each of some metrics.

    Parameters
    ----------
    scorers : sequence of ItemScorer
        The metrics.
    batch : Batch
        The items.
    resources : mapping of str to object
        Opened resources. Without a control of the run, an interrupt is raised.
    """
    items, opened = Items(batch), OpenResources.of(resources)
    jobs = [MetricScoring(scorer, items, opened) for scorer in scorers]
    waiting = [job for job in jobs if job.is_coroutine]
    with _begun(waiting, opened.control):
        for job in jobs:
            if not job.is_coroutine:
                job.carry_out()
    return [job.rows() for job in jobs]


def _begun(jobs: Sequence[MetricScoring], control: Control | None) -> AbstractContextManager[None]:
    """A block beside which jobs wait, and that ends when they do."""
    if not jobs:
        return nullcontext()
    from valor_core.scoring.async_scoring import scoring_in_background

    return scoring_in_background(jobs, control)


@define(slots=False, repr=False)
class Items:
    """The items of a batch, made once for all metrics that want objects."""

    batch: Batch

    @cached_property
    def objects(self) -> list[Any]:
        """The items as objects."""
        return list(self.batch.items())


@define(slots=False, repr=False)
class MetricScoring:
    """One metric on the items of one batch."""

    scorer: ItemScorer
    items: Items
    resources: OpenResources
    function: Callable[..., Any] = field(init=False)
    names: Mapping[str, str] = field(init=False)
    wanted: Mapping[str, Any] = field(init=False)
    waits: bool = field(init=False)
    journal: Journal | None = field(init=False)
    answered: list[ItemRow | None] = field(init=False)
    columns: ItemRows | None = field(init=False, default=None)
    keys: dict[int, str] = field(init=False, factory=dict)
    gaps: Numbers = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.gaps = missing_fields(self.items.batch, self.scorer.spec)
        self.function = self.scorer.spec.load()
        # Whoever hands over a fake resource names it as the metric asks for it.
        self.names = {
            asked: name if name in self.resources else asked for asked, name in self.scorer.chosen
        }
        self.wanted = {asked: self.resources[name] for asked, name in self.names.items()}
        self.waits = self.resources.control is not None and self.scorer.waits
        self.journal = self.resources.journal if self.waits else None
        self.answered = [None] * len(self.items.batch)

    @property
    def is_coroutine(self) -> bool:
        """Whether it has to be waited for."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def stopped(self) -> str | None:
        """Why no further item is begun."""
        control = self.resources.control
        if control is not None and control.stopped:
            return control.stopped
        return self.resources.stop(self.names.values())

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """What shaped the rows, for the journal."""
        return {
            "metric": self.scorer.spec.identity,
            "parameters": parameter_values(self.scorer.parameters),
            "resources": {name: self.resources.identity(name) for name in self.names.values()},
        }

    def rows(self) -> ItemRows:
        """The rows of all items; those that nobody began are not run."""
        if self.columns is not None:
            return self.columns
        gap = NotRun(self.stopped) if self.stopped else Failed("its coroutine was cancelled")
        uids = self.items.batch.datums.uids
        if None in self.answered:
            listed = enumerate(zip(uids.tolist(), self.answered, strict=True))
            self.answered = [ItemRow(uid, gap) if row is None else row for _, (uid, row) in listed]
        return ItemRows.of((row for row in self.answered if row is not None), uids)

    def carry_out(self) -> None:
        """Score all items in this thread, until something says to stop."""
        try:
            if self.scorer.spec.batched:
                self._score_pieces()
            else:
                for place, item in self.left():
                    self.note(place, item, self._answer(item))
        except KeyboardInterrupt:
            if self.resources.control is None:
                raise
            self.resources.control.stop(STOPPED_BY_USER)

    def left(self) -> Iterator[tuple[int, Any]]:
        """The items that no run has finished, each with its position, until it is stopped.

        What the journal has is taken also after a stop: it is paid for. An item that lacks a field
        is finished as it is.
        """
        for place, item in enumerate(self.items.objects):
            gap = self.gaps.at(place)
            known = self._known(place, item) if isinstance(gap, float) else ItemRow(item.uid, gap)
            if known is not None:
                self.answered[place] = known
                self._told(1)
            elif not self.stopped:
                yield place, item
            elif self.journal is None:
                return

    def _known(self, place: int, item: Any) -> ItemRow | None:
        if self.journal is None:
            return None
        key = self.keys[place] = row_key(item, self.identity)
        return self.journal.find(key, self.scorer.spec.range)

    def _answer(self, item: Any) -> Any:
        try:
            return self.function(item, self.scorer.parameters, self.wanted)
        except (Exception, SystemExit) as error:  # one item's trouble must not lose the others'
            return failure(error)

    def note(self, place: int, item: Any, answer: Any) -> None:
        """Keep what the metric answered for an item."""
        row = row_of(item.uid, answer, self.scorer.spec)
        self.answered[place] = row
        self._told(1)
        if self.journal is None or self.resources.control is None:
            return
        try:
            self.journal.add(self.keys.pop(place), row, self._facts())
        except (
            StateError
        ) as error:  # what was paid for goes to the report, and nothing more is paid
            self.resources.control.stop(error.one_line)

    def _facts(self) -> dict[str, tuple[int, Facts]]:
        """Facts of the resources so far; none if one cannot tell them, which ends the run later."""
        try:
            return self.resources.facts()
        except ResourceError:
            return {}

    def _told(self, count: int) -> None:
        if self.resources.control is not None and self.waits:
            self.resources.control.scored(count)

    def _score_pieces(self) -> None:
        """Score all items by calls for many of them."""
        batch = self.items.batch
        if self.journal is None:
            if not self.stopped:
                self.columns = self._many_readable(batch)
            return
        left: list[tuple[int, Any]] = []
        for pair in self.left():
            left.append(pair)
            if len(left) == _PIECE:
                self._score_piece(left)
        self._score_piece(left)

    def _score_piece(self, left: list[tuple[int, Any]]) -> None:
        if not left or self.stopped:
            return
        positions = np.array([place for place, _ in left], np.int64)
        rows = self._many(self.items.batch.select(positions))
        for (place, item), row in zip(left, rows, strict=True):
            self.note(place, item, ItemScore(row.value, row.details))
        left.clear()

    def _many_readable(self, batch: Batch) -> ItemRows:
        """Rows of a batch of which the metric is handed the items that have all fields."""
        if not self.gaps.gap_counts():
            return self._many(batch)
        is_readable = self.gaps.codes == 0
        readable, others = np.flatnonzero(is_readable), np.flatnonzero(~is_readable)
        unread = ItemRows(batch.datums.uids, {ONLY: self.gaps}).select(others)
        read = self._many(batch.select(readable)) if len(readable) else ItemRows.of(())
        back = np.empty(len(batch), np.int64)
        back[np.concatenate([readable, others])] = np.arange(len(batch))
        rows = ItemRows.joined([read, unread]).select(back)
        return evolve(rows, uids=ItemRows.of((), batch.datums.uids).uids)

    def _many(self, batch: Batch) -> ItemRows:
        """Rows of a batch, by one call."""
        uids = batch.datums.uids
        try:
            answers = self.function(batch, self.scorer.parameters, self.wanted)
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
                f"expected {len(batch):,} answers from {self.scorer.spec.name}, one an item, got "
                f"{len(answers):,}"
            )
            answers = [unfit] * len(batch)
        pairs = zip(uids.tolist(), answers, strict=True)
        return ItemRows.of((row_of(uid, one, self.scorer.spec) for uid, one in pairs), uids)


def missing_fields(batch: Batch, spec: MetricSpec) -> Numbers:
    """For each item, 0 if it has all fields that a metric reads, else which it has none of.

    Parameters
    ----------
    batch : Batch
        The items; they tell what they lack if the metric reads some fields.
    spec : MetricSpec
        The metric.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> from valor_core.specs.spec import Range
    >>> spec = MetricSpec(name="mylab.Same", task="text", summary="", implementation="m:f",
    ...                   higher_is_better=None, range=Range(), requires=("response", "references"))
    >>> batch = TextBatch.of([Text("q1", response="a", references="a"), Text("q2", response="")])
    >>> [missing_fields(batch, spec).at(place) for place in range(2)]
    [0.0, Undefined(reason='no references')]
    """
    codes = np.zeros(len(batch), np.uint8)
    for position, name in reversed([*enumerate(spec.requires)]):
        codes[batch.lacks(name)] = position + 1
    gaps = tuple(Undefined(f"no {name.replace('_', ' ')}") for name in spec.requires)
    return Numbers(np.zeros(len(batch)), codes, gaps)


def row_of(uid: str | int, answer: Any, spec: MetricSpec) -> ItemRow:
    """The row of an item that a metric answered something for.

    Parameters
    ----------
    uid : str or int
        The item.
    answer : object
        What the metric returned; what is no score becomes a stated failure.
    spec : MetricSpec
        The metric.
    """
    details: Mapping[str, Any] = {}
    if isinstance(answer, ItemScore):
        answer, details = answer.value, answer.details
    value: RowValue
    if isinstance(answer, Mapping):
        named = {str(name): _checked(one, spec) for name, one in answer.items()}
        value = named if named and ONLY not in named else _unfit(spec, answer)
    else:
        value = _checked(answer, spec)
    try:
        told = as_json(details, "details")
    except ReportError as error:
        return ItemRow(uid, Failed(ADDRESS.sub("", error.message)))
    if not isinstance(told, dict):
        return ItemRow(uid, Failed(f"details: expected a table, got {shown(details)}"))
    return ItemRow(uid, value, told)


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
    return Failed(ADDRESS.sub("", f"expected a number from {spec.name}, got {shown(answer)}"))


def check_scorer(spec: ItemMetricSpec, function: Callable[..., Any]) -> None:
    """Raise a `ManifestError` unless a metric's code can be called as the spec says.

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
