"""State and mean of per-item metrics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from attrs import define, evolve, field, frozen

from valor_core.errors import ReportError, short_repr
from valor_core.parameters.declaration import parameter_values
from valor_core.resources.bound import BoundResource, open_as
from valor_core.results.averages import exact_mean
from valor_core.results.item_rows import SINGLE, WEIGHT, ItemRows, Numbers
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
from valor_core.schemas.columns import Floats
from valor_core.scoring.scoring import ItemScorer, check_scorer
from valor_core.scoring.spec import ItemMetricSpec
from valor_core.specs.names import short_name
from valor_core.states.state import State, StateContent, StateRequest
from valor_core.states.sums import ExactSum

MOST_REASONS = 10
_NO_WEIGHT = Undefined("no items with a score and a weight above 0")


@define(repr=False)
class ItemScores(State):
    """State of a per-item metric with the rows scored so far.

    Parameters
    ----------
    metric : str
        Name and version of the metric.
    parameters : str
        Parameters as JSON, which separate the rows of two settings of a metric.
    metadata : tuple of str
        Metadata fields stored with the rows.
    rows : tuple of bool
        Not empty to add details of the items to the rows.
    """

    keeps_rows: ClassVar[bool] = True

    metric: str
    parameters: str
    metadata: tuple[str, ...] = ()
    _has_details: tuple[bool, ...] = field(default=(), alias="rows")
    _parts: list[ItemRows] = field(factory=list, alias="parts")

    @property
    def rows(self) -> ItemRows:
        """All rows, in the order of arrival."""
        if len(self._parts) != 1:
            self._parts = [ItemRows.joined(self._parts)]
        return self._parts[0]

    def update(self, rows: ItemRows, weights: Floats | None = None) -> None:
        """Add rows, optionally with the weights of their items."""
        if weights is not None:
            rows = evolve(rows, metadata={**rows.metadata, WEIGHT: weights})
        if len(rows):
            self._add([rows])

    def merge(self, other: ItemScores) -> None:
        """Add another state's rows."""
        self._add(other._parts)

    def _add(self, parts: Iterable[ItemRows]) -> None:
        for part in parts:
            self._parts.append(part)
            # Parts of similar length are joined, as in a doubling array: amortised O(n) copies.
            while len(self._parts) > 1 and _join(*self._parts[-2:]):
                self._parts[-2:] = [ItemRows.joined(self._parts[-2:])]

    @property
    def is_final(self) -> bool:
        """True if no item has a transient failure."""
        return self.rows.are_final

    @property
    def item_rows(self) -> ItemRows:
        """All rows, sorted by uid."""
        return self.rows.sorted()

    def lacking(self, kind: type[NoScore]) -> Iterable[Any]:
        """Return uids of items that lack a number for a reason of this class."""
        rows = self.rows
        uids: list[Any] = rows.uids[rows.have(kind)].tolist()
        return uids

    @property
    def stop_reason(self) -> str | None:
        """Reason why items were not run, such as a spent budget."""
        reasons = self.rows.reasons()
        return min((one.reason for one in reasons if isinstance(one, NotRun)), default=None)

    def dump(self) -> StateContent:
        """Return the rows as columns."""
        return self.rows.dump()

    def restore(self, content: StateContent) -> None:
        """Restore the rows that `dump` returned."""
        self._parts = [ItemRows.restored(content)]


def _join(one: ItemRows, other: ItemRows) -> bool:
    same_kind = (one.uids.dtype.kind in "US") == (other.uids.dtype.kind in "US")
    return same_kind and len(one) < 2 * len(other)


def item_metric(spec: ItemMetricSpec, parameters: Any, resources: Mapping[str, str]) -> ItemMetric:
    """Import and check the functions of a spec and make its metric.

    Parameters
    ----------
    spec : ItemMetricSpec
        The metric.
    parameters : object
        Instance of its parameter class.
    resources : mapping of str to str
        Name of the instance per resource.
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
        Metric with its parameters and resources.
    named : mapping of str to str
        Chosen instance per resource with several instances.
    """

    scorer: ItemScorer
    named: Mapping[str, str] = field(factory=dict)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Parameters that distinguish its results, including chosen resource instances."""
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
        """Yield the correctly rounded mean of the scored items, or one mean per name."""
        rows = state.rows
        columns = rows.columns()
        means = {name: _mean(numbers, rows.weights) for name, numbers in columns.items()}
        left_out = _left_out(columns)
        value: Any = means.get(SINGLE)
        if SINGLE not in means:
            reasons = {
                name: mean for name, mean in means.items() if isinstance(mean, (Undefined, Failed))
            }
            value = means | dict.fromkeys(reasons)
            if len(reasons) == len(means):
                value = next(iter(reasons.values()))
        yield Result(parameters=self.parameters, value=value, left_out=left_out)

    def details(self, state: ItemScores, resources: Mapping[str, BoundResource]) -> MetricDetails:
        """Summarize the rows with the spec's `summarize`; empty without one.

        Parameters
        ----------
        state : ItemScores
            The rows.
        resources : mapping of str to BoundResource
            Resources by the names under which they are open.

        Raises
        ------
        Exception
            Exceptions of the function, or `ReportError` if the details are not JSON values.
        """
        spec, chosen = self.scorer.spec, self.scorer.chosen
        if spec.summarize is None:
            return MetricDetails()
        bound = {name: resources[opened] for name, opened in chosen if opened in resources}
        summarize = spec.load(spec.summarize)
        details = summarize(state.rows.sorted(), spec, self.scorer.parameters, bound)
        if not isinstance(details, MetricDetails):
            raise ReportError(
                f"expected MetricDetails from {spec.summarize}, got {short_repr(details)}"
            )
        check_details(as_json(details.details, "details"), "details")
        return details


def _mean(numbers: Numbers, weights: Floats | None) -> float | Undefined | Failed:
    present = numbers.present
    if len(present) and weights is None:
        return exact_mean(present.tolist())
    if len(present) and weights is not None:
        total, weighted = ExactSum(), ExactSum()
        total.add(weights[numbers.codes == 0])
        weighted.add_products(present, weights[numbers.codes == 0])
        return weighted.value / total.value if total.units else _NO_WEIGHT
    if len(numbers) and all(isinstance(no_score, Failed) for no_score in numbers.gap_counts()):
        return Failed(f"all {len(numbers):,} items failed")
    return Undefined("no items with a score")


def _left_out(columns: Mapping[str, Numbers]) -> dict[str, int]:
    """Return counts of the most frequent reasons, prefixed by the name of the number if any."""
    counts: dict[str, int] = {}
    for name, numbers in columns.items():
        for no_score, count in numbers.gap_counts().items() if numbers.gaps else ():
            reason = (
                f"{f'{name}: ' if name else ''}{_status(no_score)}: {first_line(no_score.reason)}"
            )
            counts[reason] = counts.get(reason, 0) + count
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    left_out = dict(ranked[:MOST_REASONS])
    if len(ranked) > MOST_REASONS:
        left_out["other reasons"] = sum(count for _, count in ranked[MOST_REASONS:])
    return left_out


def _status(no_score: NoScore) -> str:
    if isinstance(no_score, NotRun):
        return "not run"
    return "failed" if isinstance(no_score, Failed) else "undefined"
