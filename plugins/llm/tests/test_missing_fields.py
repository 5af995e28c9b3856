"""Items that lack a field are undefined with a reason, before the judge is asked."""

from __future__ import annotations

import pytest
from attrs import evolve
from cases import for_each

from valor_core import Registry, evaluate
from valor_core.results import Report, Undefined
from valor_core.schemas.text import Text
from valor_core.specs import MetricSpec

WHOLE = Text("q", "Where is Graz?", "In Austria.", "It is in Austria.", ["Graz is in Austria."])
CRITERIA = {"criteria": "Is it short?"}
SPECS = [spec for name in ("llm", "nvidia") for spec in Registry().manifest(name).of(MetricSpec)]


def _report(spec: MetricSpec, item: Text) -> Report:
    metric = {"name": spec.name} | (CRITERIA if spec.short_name == "Rubric" else {})
    judge = {"client": "lexical"}
    return evaluate([item], [metric], resources={"judge": judge}, items=True)


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        pytest.param(spec, field, id=f"{spec.name}-{field}")
        for spec in SPECS
        for field in spec.requires
    ],
)
def test_an_item_without_a_field_that_is_read_is_undefined(spec: MetricSpec, field: str) -> None:
    empty = None if field in ("query", "response") else ()
    report = _report(spec, evolve(WHOLE, **{field: empty}))
    assert report.items[0].rows[0].value == Undefined(f"no {field}")


@for_each("spec", SPECS, ids=lambda spec: spec.name)
def test_an_item_with_nothing_costs_no_call_and_has_no_number(spec: MetricSpec) -> None:
    report = _report(spec, Text("q"))
    (row,) = report.items[0].rows
    assert isinstance(row.value, Undefined)
    assert row.value.reason.startswith("no ")
    assert not report.facts["judge"].get("calls")


@for_each("spec", SPECS, ids=lambda spec: spec.name)
def test_an_item_with_everything_has_a_number_in_the_range(spec: MetricSpec) -> None:
    report = _report(spec, WHOLE)
    (row,) = report.items[0].rows
    assert row.value in spec.range
    assert report.facts["judge"]["calls"] >= 1
    assert row.details["steps"]
