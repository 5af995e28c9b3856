"""Laws of parameters: every value works, and results state the values that shape them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import evolve

from valor_core.errors import ValorError, short_repr
from valor_core.evaluation import BoundMetric
from valor_core.parameters import parameters_of
from valor_core.scoring import ItemMetricSpec
from valor_core.specs.names import short_name
from valor_testing import laws
from valor_testing.data_set import DataSet
from valor_testing.difference import difference
from valor_testing.law import Breach, agree, law
from valor_testing.subject import REFUSED, Outcome, Subject

_STATE_HINT = "state it: parameters=changed_parameters(self.parameters)"


def variations(subject: Subject, tried: Sequence[Any] = ()) -> Iterator[tuple[str, Subject]]:
    """Yield the metric with one changed parameter at a time, and a description of the change.

    Values are all choices of a ``Literal``, both booleans, None where it is allowed, and minimums
    of numbers. Values that the parameter class or the metric rejects are skipped.

    Parameters
    ----------
    subject : Subject
        The metric with the parameters to change.
    tried : sequence of object
        Parameters that are checked separately; their values are skipped.
    """
    (metric,) = subject.metrics
    parameters: Any = metric.parameters
    cls: type = type(parameters)
    for entry in parameters_of(cls):
        skipped = [getattr(one, entry.name) for one in (parameters, *tried)]
        for value in _values(entry.kind.schema(entry.check)):
            with suppress(ValorError):
                changed: Any = evolve(parameters, **{entry.name: value})
                fitted = getattr(changed, entry.name)
                if any(type(fitted) is type(one) and fitted == one for one in skipped):
                    continue
                skipped.append(fitted)
                bound = BoundMetric(metric.spec, changed)
                if _are_open(bound, subject):
                    varied = Subject((bound,), subject.resources, subject.registry)
                    yield f"with {entry.name}={short_repr(value)}", varied


def _values(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the values to try of a parameter, given its JSON Schema."""
    for member in schema.get("anyOf", ()):
        yield from _values(member)
    yield from schema.get("enum", ())
    if schema.get("type") == "boolean":
        yield from (False, True)
    elif schema.get("type") == "null":
        yield None
    if "minimum" in schema:  # a maximum, such as that of bins, can take minutes
        yield schema["minimum"]


def _are_open(metric: BoundMetric, subject: Subject) -> bool:
    """Return whether the resources that the metric needs with these parameters are open."""
    needed = getattr(metric.parameters, "asked_resources", metric.spec.resources)
    opened = set(map(short_name, subject.resources))
    return all(short_name(name) in opened for name in needed)


@law
def halves_merge(subject: Subject, batches: DataSet) -> None:
    """Two halves of the data, merged, give the results of the whole."""
    if isinstance(subject.spec, ItemMetricSpec):  # core keeps and merges its rows
        return
    how = "odd and even items apart"
    parts = batches.splits[how]
    agree(subject.expected(batches), subject.outcome_merged(parts), "as given", f"{how} and merged")


@law
def results_can_be_computed(subject: Subject, batches: DataSet) -> None:
    """Computing raises no other errors than `ValorError`, and numbers are in the range."""
    outcome = subject.expected(batches)
    if outcome == REFUSED:
        return
    if any("error" in result for result in outcome):
        with suppress(ValorError):
            subject.results(subject.count(batches))
    for result in outcome:
        laws.check_number_of(subject.spec, result)


VALUE_LAWS: Sequence[Callable[[Subject, DataSet], None]] = (
    results_can_be_computed,
    laws.every_item_has_result,
    halves_merge,
)
"""Laws of a metric with one changed parameter, on one data set."""


@law
def results_state_their_parameters(subject: Subject, batches: DataSet, base: Subject) -> None:
    """Results that differ from those of other parameters have other parameters."""
    _compare(base.expected(batches), subject.expected(batches), "otherwise", "with this value")


@law
def settings_have_distinct_results(subject: Subject, batches: DataSet) -> None:
    """Different results of one metric with several parameters have different parameters."""
    outcomes: dict[str, list[tuple[Any, Outcome]]] = {}
    for metric in subject.metrics:
        one = Subject((metric,), subject.resources, subject.registry)
        others = outcomes.setdefault(metric.spec.name, [])
        outcome = one.outcome(batches)
        for parameters, other in others:
            _compare(other, outcome, f"with {short_repr(parameters)}", f"with {metric.parameters}")
        others.append((metric.parameters, outcome))


def _compare(outcome: Outcome, other: Outcome, is_one: str, is_other: str) -> None:
    """Raise a `Breach` if results with the same parameters have different values."""
    if REFUSED in (outcome, other):
        return
    values = {_identity(result): result for result in outcome}
    for result in other:
        same = values.get(_identity(result))
        found = same and difference({"value": same["value"]}, {"value": result["value"]})
        if found is not None:
            raise Breach(
                f"{result['type']} {result['parameters']}: {found.described(is_one, is_other)}; "
                f"{_STATE_HINT}"
            )


def _identity(result: Mapping[str, Any]) -> str:
    return json.dumps([result["metric"], result["parameters"]], sort_keys=True, default=str)
