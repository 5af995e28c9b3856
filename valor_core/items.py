"""Per-item metrics: from a function that scores one item to rows, their mean and its gaps."""

from __future__ import annotations

import inspect
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from valor_core.errors import ManifestError, ReportError, shown
from valor_core.parameters import plain
from valor_core.registry import implementation
from valor_core.result import Failed, ItemScore, Result, Undefined, as_json, first_line
from valor_core.schemas.order import natural
from valor_core.spec import MetricSpec
from valor_core.state import Content, Resources, StateRequest

MOST_REASONS = 10


@frozen
class ItemRow:
    """Score of one item.

    Parameters
    ----------
    uid : str or int
        The item.
    value : float, Undefined or Failed
        Its score, or why there is none.
    details : mapping
        What the metric has to say about it.
    """

    uid: str | int
    value: float | Undefined | Failed
    details: Mapping[str, Any] = field(factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        record: dict[str, Any] = {"uid": self.uid, "value": None}
        if isinstance(self.value, Undefined):
            record["undefined"] = self.value.reason
        elif isinstance(self.value, Failed):
            record["error"] = self.value.reason
        else:
            record["value"] = self.value
        return record | ({"details": dict(self.details)} if self.details else {})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ItemRow:
        """The row that `to_dict` wrote."""
        value: float | Undefined | Failed = record["value"]
        if "undefined" in record:
            value = Undefined(record["undefined"])
        elif "error" in record:
            value = Failed(record["error"])
        return cls(record["uid"], value, record.get("details", {}))


@define
class ItemScores:
    """State of a per-item metric: the rows scored so far.

    Parameters
    ----------
    metric : str
        Name and version of the metric.
    parameters : str
        Its parameters as JSON, so that two settings of one metric keep their own rows.
    """

    metric: str
    parameters: str
    rows: list[ItemRow] = field(factory=list)

    def update(self, rows: Iterable[ItemRow]) -> None:
        """Add rows."""
        self.rows.extend(rows)

    def merge(self, other: ItemScores) -> None:
        """Add another state's rows."""
        self.rows.extend(other.rows)

    def sorted_rows(self) -> list[ItemRow]:
        """The rows in the order of their uids."""
        return sorted(self.rows, key=lambda row: natural(row.uid))

    def dump(self) -> Content:
        """The rows as JSON."""
        return {"rows": [row.to_dict() for row in self.rows]}

    def restore(self, content: Content) -> None:
        """The rows that `dump` wrote."""
        self.rows = [ItemRow.from_dict(record) for record in content["rows"]]


@frozen
class ItemScorer:
    """Scores the items of a batch, one call each; an item that fails does not stop the others."""

    spec: MetricSpec
    parameters: Any

    def __call__(self, batch: Any, resources: Resources) -> Sequence[ItemRow]:
        """Rows of the batch's items, in their order."""
        score = implementation(self.spec)
        wanted = {name: resources[name] for name in self.spec.resources}
        return [self._row(score, item, wanted) for item in batch.items()]

    def _row(self, score: Callable[..., Any], item: Any, resources: Resources) -> ItemRow:
        answer: Any
        try:
            answer = score(item, self.parameters, resources)
        except Exception as error:  # one item's trouble must not lose the others' scores
            answer = Failed(f"{type(error).__name__}: {error}")
        details: Mapping[str, Any] = {}
        if isinstance(answer, ItemScore):
            answer, details = answer.value, answer.details
        try:
            details = as_json(details, "details")
        except ReportError as error:
            answer, details = Failed(error.message), {}
        return ItemRow(item.uid, self._checked(answer), details)

    def _checked(self, answer: Any) -> float | Undefined | Failed:
        if isinstance(answer, (Undefined, Failed)):
            return answer
        unfit = Failed(f"expected a number from {self.spec.name}, got {shown(answer)}")
        if isinstance(answer, (str, bytes, bytearray)):
            return unfit
        try:
            number = float(answer)
        except (TypeError, ValueError):
            return unfit
        if not math.isfinite(number):
            return Failed(f"expected a finite number from {self.spec.name}, got {number}")
        return number


@frozen
class ItemMetric:
    """A per-item metric as the plan sees it: the mean of its rows."""

    spec: MetricSpec
    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """One state of rows."""
        key = {
            "metric": self.spec.identity,
            "parameters": json.dumps(plain(self.parameters), sort_keys=True),
        }
        return (StateRequest(ItemScores, key, prepare=ItemScorer(self.spec, self.parameters)),)

    def compute(self, state: ItemScores) -> Iterator[Result]:
        """The mean, exactly rounded, over the items that have a score."""
        numbers = [row.value for row in state.rows if isinstance(row.value, float)]
        value: float | Undefined | Failed
        if numbers:
            value = math.fsum(numbers) / len(numbers)
        elif state.rows and all(isinstance(row.value, Failed) for row in state.rows):
            value = Failed(f"all {len(state.rows):,} items failed")
        else:
            value = Undefined("no items with a score")
        yield Result(parameters=plain(self.parameters), value=value, left_out=_left_out(state.rows))


def _left_out(rows: Iterable[ItemRow]) -> dict[str, int]:
    reasons = Counter(
        f"{_kind(row.value)}: {first_line(row.value.reason)}"
        for row in rows
        if isinstance(row.value, (Undefined, Failed))
    )
    ranked = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    left_out = dict(ranked[:MOST_REASONS])
    if len(ranked) > MOST_REASONS:
        left_out["other reasons"] = sum(count for _, count in ranked[MOST_REASONS:])
    return left_out


def _kind(gap: Undefined | Failed) -> str:
    return "failed" if isinstance(gap, Failed) else "undefined"


def check_scorer(spec: MetricSpec, score: Callable[..., Any]) -> None:
    """Raise a `ManifestError` unless ``score(item, parameters, resources)`` can be called.

    Examples
    --------
    >>> from valor_core.spec import Range
    >>> spec = MetricSpec(name="mylab.Zero", task="text", summary="", implementation="m:f",
    ...                   higher_is_better=None, range=Range(), per_item=True)
    >>> check_scorer(spec, lambda item, parameters, resources: 0.0)
    """
    try:
        inspect.signature(score).bind(None, None, None)
    except (TypeError, ValueError) as error:
        raise ManifestError(
            f"{spec.name}: expected {spec.implementation} to take (item, parameters, resources), "
            f"{error}"
        ) from error
