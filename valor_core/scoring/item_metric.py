"""Per-item metrics: the state that keeps the rows of items, and the mean that is read off it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import define, field, frozen

from valor_core.errors import ReportError, shown
from valor_core.parameters.declaration import parameter_values
from valor_core.resources.bound import BoundResource, open_as
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
from valor_core.scoring.scoring import ItemScorer, check_scorer
from valor_core.scoring.spec import ItemMetricSpec
from valor_core.specs.names import short_name
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

    @property
    def is_final(self) -> bool:
        """Whether no item failed for a reason that may pass."""
        return self.rows.are_final

    @property
    def item_rows(self) -> ItemRows:
        """All rows, sorted by uid."""
        return self.rows.sorted()

    def lacking(self, kind: type[NoScore]) -> Iterable[Any]:
        """Return uids of items that lack a number for a reason of this class."""
        uids: list[Any] = self.rows.uids[self.rows.have(kind)].tolist()
        return uids

    @property
    def stop_reason(self) -> str | None:
        """Why items were not run, such as a spent budget."""
        columns = self.rows.numbers.values()
        gaps = [gap for column in columns for gap in column.gap_counts()]
        return min((gap.reason for gap in gaps if isinstance(gap, NotRun)), default=None)

    def dump(self) -> Content:
        """The rows as columns."""
        return self.rows.dump()

    def restore(self, content: Content) -> None:
        """The rows that `dump` wrote."""
        self._parts = [ItemRows.restored(content)]


def _join(one: ItemRows, other: ItemRows) -> bool:
    alike = (one.uids.dtype.kind in "US") == (other.uids.dtype.kind in "US")
    return alike and len(one) < 2 * len(other)


def item_metric(spec: ItemMetricSpec, parameters: Any, resources: Mapping[str, str]) -> ItemMetric:
    """Make the metric of a spec, whose functions are imported and checked.

    Parameters
    ----------
    spec : ItemMetricSpec
        The metric.
    parameters : object
        Instance of its parameter class.
    resources : mapping of str to str
        Instance of each resource that the choice names.
    """
    check_scorer(spec, spec.load())
    if spec.summarize is not None:
        spec.load(spec.summarize)
    chosen = tuple(
        (name, open_as(name, resources.get(short_name(name), ""))) for name in spec.resources
    )
    return ItemMetric(ItemScorer(spec, parameters, chosen), resources)


@frozen(repr=False)
class ItemMetric:
    """Mean of the scores of items.

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

    def needs(self) -> tuple[StateRequest, ...]:
        """Return the request for rows without metadata."""
        return (self.request(()),)

    def request(self, metadata: Iterable[str]) -> StateRequest:
        """Return the request for rows with metadata of the items."""
        key = {
            "metric": self.scorer.spec.identity,
            "parameters": json.dumps(self.parameters, sort_keys=True),
        }
        return StateRequest(ItemScores, key, {"metadata": metadata}, self.scorer)

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

    def details(self, state: ItemScores, resources: Mapping[str, BoundResource]) -> MetricDetails:
        """Summarize the rows by the function that the spec names; empty without one.

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
        if spec.summarize is None:
            return MetricDetails()
        asked = {name: resources[opened] for name, opened in chosen if opened in resources}
        tell = spec.load(spec.summarize)
        told = tell(state.rows.sorted(), spec, self.scorer.parameters, asked)
        if not isinstance(told, MetricDetails):
            raise ReportError(f"expected MetricDetails from {spec.summarize}, got {shown(told)}")
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
