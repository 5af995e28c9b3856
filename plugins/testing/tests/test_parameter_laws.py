from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, Literal

import pytest
from attrs import define, frozen
from cases import for_each
from valor_testing import ConformanceError, check_metric, check_plugin
from valor_testing.parameter_laws import variations
from valor_testing.subject import Subject

from valor_core.errors import ParameterError
from valor_core.evaluation import BoundMetric
from valor_core.parameters import Within, changed_parameters, parameter, parameters
from valor_core.results import Result, Undefined
from valor_core.schemas import Batch
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, Registry, hookimpl
from valor_core.states import DerivedState, StateRequest, counted


@parameters
class LengthParameters:
    """Parameters of the metrics below."""

    unit: Literal["letters", "halves"] = parameter(default="letters", help="Unit.")
    rounded: bool = parameter(default=False, help="Whether to round.")
    limit: int | None = parameter(default=9, help="Maximum.", check=Within(0, 99))
    kinds: tuple[Literal["a", "b"], ...] = parameter(default=("a", "b"), help="Kinds.")
    field: str = parameter(default="uid", help="Field to measure.")


@parameters
class Exclusive(LengthParameters):
    """Parameters that exclude each other."""

    def __attrs_post_init__(self) -> None:
        if self.rounded:
            raise ParameterError("rounded: expected false")


@define
class Lengths(DerivedState):
    """Number of items and sum of the lengths of their uids."""

    items: int = counted(int)
    letters: int = counted(int)

    def update(self, batch: Batch) -> None:
        for uid in batch.datums.uids.tolist():
            self.items += 1
            self.letters += len(str(uid))


@frozen
class Honest:
    """Metric that keeps all laws."""

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(Lengths),)

    def compute(self, state: Lengths) -> Iterable[Result]:
        for kind in self.parameters.kinds:
            named = {"kind": kind, **self.named()}
            if not state.items:
                yield Result(parameters=named, value=Undefined("no items"))
            else:
                yield Result(parameters=named, value=self.number(state))

    def named(self) -> dict[str, Any]:
        return changed_parameters(self.parameters, "kinds")

    def number(self, state: Lengths) -> float:
        mean = state.letters / state.items / (2 if self.parameters.unit == "halves" else 1)
        limit = self.parameters.limit
        return min(mean, mean if limit is None else limit)


class Unstated(Honest):
    """Metric whose results do not state the unit."""

    def named(self) -> dict[str, Any]:
        return changed_parameters(self.parameters, "kinds", "unit")


class UnstatedField(Honest):
    """Metric whose results do not state the field."""

    def named(self) -> dict[str, Any]:
        return changed_parameters(self.parameters, "kinds", "field")

    def number(self, state: Lengths) -> float:
        return super().number(state) + len(self.parameters.field)


class Rounding(Honest):
    def number(self, state: Lengths) -> float:
        return 1 / 0 if self.parameters.rounded else super().number(state)


class Negative(Honest):
    def number(self, state: Lengths) -> float:
        return -1.0 if self.parameters.unit == "halves" else super().number(state)


class Limitless(Honest):
    def number(self, state: Lengths) -> float:
        return min(super().number(state), self.parameters.limit)


class OneKind(Honest):
    def named(self) -> dict[str, Any]:
        _, _ = self.parameters.kinds
        return super().named()


def score(item: Any, parameters: Any, resources: Any) -> float:
    """Return the length of the uid; keeps all laws."""
    return float(len(item.uid))


def score_crashing(item: Any, parameters: Any, resources: Any) -> float:
    return 1 / 0 if parameters.rounded else 0.0


def score_writing(item: Any, parameters: Any, resources: Any) -> float:
    item.metadata["scored"] = True
    return 0.0


async def score_later(item: Any, parameters: Any, resources: Any) -> float:
    item.metadata["scored"] = True
    return 0.0


def spec(code: str, cls: type[MetricSpec] = MetricSpec, **facts: Any) -> MetricSpec:
    values: dict[str, Any] = {
        "name": "lengths.Length",
        "task": "text",
        "summary": "Mean length of a uid",
        "parameters": LengthParameters,
        "implementation": f"{__name__}:{code}",
        "higher_is_better": None,
        "range": Range(0),
    }
    return cls(**(values | facts))


def changes(cls: type, *tried: Any) -> Iterator[str]:
    subject = Subject((BoundMetric(spec("Honest", parameters=cls), cls()),))
    return (description for description, _ in variations(subject, tried))


def test_each_parameter_is_changed_once_per_value() -> None:
    assert list(changes(LengthParameters)) == [
        "with unit='halves'",
        "with rounded=True",
        "with limit=0",
        "with limit=None",
        "with kinds='a'",
        "with kinds='b'",
    ]
    assert "with rounded=True" not in changes(Exclusive)
    assert "with limit=0" not in changes(LengthParameters, LengthParameters(limit=0))


def test_valid_metrics_keep_all_laws() -> None:
    check_metric(spec("Honest"))
    check_metric(spec("score", ItemMetricSpec))


@for_each(
    ("code", "finding"),
    [
        ("Unstated", "with unit='halves': Length {'kind': 'a'}: value is"),
        ("Rounding", "with rounded=True: ZeroDivisionError: division by zero"),
        ("Negative", "with unit='halves': {'kind': 'a', 'unit': 'halves'}: expected a number in"),
        ("Limitless", "with limit=None: TypeError"),
        ("OneKind", "with kinds='a': ValueError: not enough values to unpack"),
    ],
)
def test_value_that_breaks_a_metric_is_reported(code: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_metric(spec(code))

    assert finding in str(caught.value)


@for_each(
    ("code", "finding"),
    [
        ("score_crashing", "with rounded=True: item 'p1': ZeroDivisionError: division by zero"),
        ("score_writing", "'items untouched': [0].metadata.scored is missing before scoring"),
        ("score_later", "'items untouched': [0].metadata.scored is missing before scoring"),
    ],
)
def test_function_that_writes_or_fails_for_a_value_is_reported(code: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_metric(spec(code, ItemMetricSpec))

    assert finding in str(caught.value)


def test_settings_whose_results_have_the_same_parameters_are_reported() -> None:
    settings = {"lengths.Length": [{}, {"field": "response"}]}

    def check(code: str) -> None:
        module: Any = ModuleType("lengths_plugin")
        module.valor_metrics = hookimpl(lambda: [spec(code)], specname="valor_metrics")
        registry = Registry()
        registry.register("lengths", module)
        check_plugin("lengths", registry, parameters=settings)

    check("Honest")
    with pytest.raises(ConformanceError, match="law 'settings have distinct results'"):
        check("UnstatedField")
