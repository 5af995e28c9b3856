"""Per-item metrics: the state that keeps the rows of items, and the mean that is read off it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen

from valor_core.errors import ReportError, shown
from valor_core.parameters.declaration import parameter_values
from valor_core.results.averages import exact_mean
from valor_core.results.item_rows import ONLY, ItemRows, Numbers
from valor_core.results.json_values import as_json
from valor_core.results.result import (
    Failed,
    MetricDetails,
    NoScore,
    NotRun,
    Result,
    Undefined,
    check_details,
    first_line,
)
from valor_core.schemas import Datums
from valor_core.schemas.slice_values import plain_values
from valor_core.scoring.bound_resource import BoundResource
from valor_core.scoring.scoring import ItemScorer
from valor_core.specs.registry import implementation
from valor_core.states.state import Content, State, StateRequest

MOST_REASONS = 10


@define(repr=False)
class ItemScores(State):
    """State of a per-item metric: the rows scored so far.

    Parameters
    ----------
    metric : str
        Name and version of the metric.
    parameters : str
        Its parameters as JSON, so that two settings of one metric keep their own rows.
    metadata : tuple of str
        Fields of the items' metadata that are kept with the rows.
    """

    metric: str
    parameters: str
    metadata: tuple[str, ...] = ()
    _parts: list[ItemRows] = field(factory=list)

    @property
    def rows(self) -> ItemRows:
        """All rows, in the order of arrival."""
        if len(self._parts) != 1:
            self._parts = [ItemRows.joined(self._parts)]
        return self._parts[0]

    def update(self, rows: ItemRows) -> None:
        """Add rows."""
        if len(rows):
            self._add([rows])

    def merge(self, other: ItemScores) -> None:
        """Add another state's rows."""
        self._add(other._parts)

    def _add(self, parts: Iterable[ItemRows]) -> None:
        for part in parts:
            self._parts.append(part)
            # Joined when they are about as long, so that every row is copied a few times only.
            while len(self._parts) > 1 and _join(*self._parts[-2:]):
                self._parts[-2:] = [ItemRows.joined(self._parts[-2:])]

    def dump(self) -> Content:
        """The rows as columns."""
        return self.rows.dump()

    def restore(self, content: Content) -> None:
        """The rows that `dump` wrote."""
        self._parts = [ItemRows.restored(content)]


def _join(one: ItemRows, other: ItemRows) -> bool:
    alike = (one.uids.dtype.kind in "US") == (other.uids.dtype.kind in "US")
    return alike and len(one) < 2 * len(other)


def with_metadata(rows: ItemRows, datums: Datums, names: Iterable[str]) -> ItemRows:
    """Rows with some of the metadata of their items, None where an item has none."""
    missing = np.full(len(datums), None, dtype=object)
    columns = {name: plain_values(datums.metadata.get(name, missing)) for name in names}
    return evolve(rows, metadata=columns) if columns else rows


@frozen(repr=False)
class ItemMetric:
    """A per-item metric as the plan sees it: the mean of its rows.

    Parameters
    ----------
    scorer : ItemScorer
        The metric, its parameters and the resources that it uses.
    named : mapping of str to str
        For each resource of which there are several, the one that was chosen.
    """

    scorer: ItemScorer
    named: Mapping[str, str] = field(factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """What tells its results from those of another choice."""
        return parameter_values(self.scorer.parameters) | dict(self.named)

    def needs(self, metadata: Iterable[str] = ()) -> tuple[StateRequest, ...]:
        """One state of rows, with some metadata of the items."""
        key = {
            "metric": self.scorer.spec.identity,
            "parameters": json.dumps(self.parameters, sort_keys=True),
        }
        return (StateRequest(ItemScores, key, {"metadata": metadata}, self.scorer),)

    def compute(self, state: ItemScores) -> Iterator[Result]:
        """The mean, exactly rounded, over the items that have a score; or one by each name."""
        rows = state.rows
        columns = rows.columns()
        means = {name: _mean(numbers) for name, numbers in columns.items()}
        left_out = _left_out(columns)
        value: Any = means.get(ONLY)
        if ONLY not in means:
            value = {name: None if _is_gap(mean) else mean for name, mean in means.items()}
            gaps = [mean for mean in means.values() if _is_gap(mean)]
            value = gaps[0] if len(gaps) == len(means) else value
        yield Result(parameters=self.parameters, value=value, left_out=left_out)

    def told(self, state: ItemScores, resources: Mapping[str, BoundResource]) -> MetricDetails:
        """What the metric says of the rows besides their mean; nothing unless its spec names how.

        Parameters
        ----------
        state : ItemScores
            The rows.
        resources : mapping of str to BoundResource
            Resources by the names under which they are open.

        Raises
        ------
        Exception
            Whatever the spec's function raises, or a `ReportError` if reports cannot hold what it
            returns.
        """
        spec, chosen = self.scorer.spec, self.scorer.chosen
        if spec.tells is None:
            return MetricDetails()
        asked = {name: resources[opened] for name, opened in chosen if opened in resources}
        tell = implementation(spec, spec.tells)
        told = tell(state.rows.sorted(), spec, self.scorer.parameters, asked)
        if not isinstance(told, MetricDetails):
            raise ReportError(f"expected MetricDetails from {spec.tells}, got {shown(told)}")
        check_details(as_json(told.details, "details"), "details")
        return told


def _is_gap(value: object) -> bool:
    return isinstance(value, (Undefined, Failed))


def _mean(numbers: Numbers) -> float | Undefined | Failed:
    present = numbers.present
    if len(present):
        return exact_mean(present.tolist())
    if len(numbers) and all(isinstance(gap, Failed) for gap in numbers.gap_counts()):
        return Failed(f"all {len(numbers):,} items failed")
    return Undefined("no items with a score")


def _left_out(columns: Mapping[str, Numbers]) -> dict[str, int]:
    """The most frequent reasons, with the name of the number where an item has several."""
    counts: dict[str, int] = {}
    for name, numbers in columns.items():
        for gap, count in numbers.gap_counts().items():
            reason = f"{f'{name}: ' if name else ''}{_kind(gap)}: {first_line(gap.reason)}"
            counts[reason] = counts.get(reason, 0) + count
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    left_out = dict(ranked[:MOST_REASONS])
    if len(ranked) > MOST_REASONS:
        left_out["other reasons"] = sum(count for _, count in ranked[MOST_REASONS:])
    return left_out


def _kind(gap: NoScore) -> str:
    if isinstance(gap, NotRun):
        return "not run"
    return "failed" if isinstance(gap, Failed) else "undefined"


def lacking(states: Sequence[Any], kind: type[NoScore]) -> int:
    """Number of items that lack a number of some per-item metric for a reason of some kind."""
    found: set[Any] = set()
    for state in states:
        if isinstance(state, ItemScores):
            found.update(state.rows.uids[state.rows.have(kind)].tolist())
    return len(found)


def why_not_run(states: Sequence[Any]) -> str | None:
    """Why items were not run though the run was not stopped, such as a spent budget."""
    reasons = sorted(
        gap.reason
        for state in states
        if isinstance(state, ItemScores)
        for column in state.rows.numbers.values()
        for gap in column.gap_counts()
        if isinstance(gap, NotRun)
    )
    return reasons[0] if reasons else None
