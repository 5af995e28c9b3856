from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from valor_core import Registry, metric
from valor_core.errors import ConfigError, ManifestError, ParameterError
from valor_core.evaluation.bound_metric import bind_metrics, task_of
from valor_core.evaluation.plan import Plan
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.states import State, StateRequest

PLUGINS = Path(__file__).parents[2] / "plugins"
ITEMS = [Text("q1", response="Paris"), Text("q2", response="no"), Text("q3", response="Rom")]


@pytest.fixture
def registry(install: Callable[..., Path]) -> Registry:
    install("valor-lab", "lab", PLUGINS / "lab")
    return Registry()


def counted(registry: Registry, *choices: Any) -> tuple[Plan, list[Any]]:
    plan = Plan.of(bind_metrics(choices, registry, "lab"), registry)
    states = plan.new_states()
    plan.update(states, TextBatch.of(ITEMS), {})
    return plan, states


def test_two_metrics_with_thresholds_share_one_state_at_the_union(registry: Registry) -> None:
    _, states = counted(
        registry, {"name": "LongShare", "threshold": 5}, {"name": "LongShares", "thresholds": [3]}
    )

    assert len(states) == 1
    assert states[0].thresholds == (3.0, 5.0)


def test_metrics_computed_alone_equal_those_computed_together(registry: Registry) -> None:
    choices = [
        {"name": "LongShare", "threshold": 5},
        {"name": "LongShares", "thresholds": [3, 1]},
        {"name": "LongShare", "threshold": 3, "comment": "again"},
    ]

    plan, states = counted(registry, *choices)
    together = plan.compute(states)

    alone = []
    for choice in choices:
        plan, states = counted(registry, choice)
        alone.extend(plan.compute(states))
    assert together == alone


def test_results_carry_the_short_name_and_the_identity(registry: Registry) -> None:
    plan, states = counted(registry, "share_of_long")

    result = plan.compute(states)[0]

    assert (result.type, result.metric) == ("LongShare", "lab.LongShare@2")


def test_a_metric_that_raises_does_not_lose_the_others(registry: Registry) -> None:
    plan, states = counted(registry, "Crash", "LongShare")

    crash, share = plan.compute(states)

    assert (crash.type, crash.error) == ("Crash", "ZeroDivisionError: no luck")
    assert share.value == 2 / 3


def test_a_metric_that_answers_with_no_result_does_not_lose_the_others(registry: Registry) -> None:
    plan, states = counted(registry, "Odd", "LongShare")

    odd, share = plan.compute(states)

    assert odd.type == "Odd"
    assert odd.error is not None
    assert share.value == 2 / 3


def test_a_metric_that_refuses_says_why_on_one_line(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, state: Any) -> Any:
        raise ConfigError("Crash: expected luck", "Have some.")

    plan, states = counted(registry, "Crash")
    monkeypatch.setattr(importlib.import_module("lab.metrics").Crash, "compute", refuse)

    assert plan.compute(states)[0].error == "Crash: expected luck; have some."


def test_a_metric_without_results_has_no_data(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, states = counted(registry, "Crash")
    monkeypatch.setattr(
        importlib.import_module("lab.metrics").Crash, "compute", lambda self, state: []
    )

    assert plan.compute(states)[0].undefined == "no data to compute it from"


def test_states_are_detached_from_the_batches_where_they_can_be(registry: Registry) -> None:
    plan, states = counted(registry, "LongShare")
    detached: list[bool] = []
    states[0].detach = lambda: detached.append(True)

    plan.detach([*states, object()])

    assert detached == [True]


def test_states_of_a_slice_take_from_those_of_all_data_where_they_can(registry: Registry) -> None:
    plan, states = counted(registry, "LongShare")
    other = State()
    states[0].within = lambda whole: (states[0], whole)

    assert plan.within([*states, other], ["all", "more"]) == [(states[0], "all"), other]


def test_a_choice_is_described_with_its_version_and_every_parameter(registry: Registry) -> None:
    bound = bind_metrics([{"name": "lab.longshare", "threshold": 5}], registry, None)[0]

    assert bound.describe() == {"name": "lab.LongShare@2", "threshold": 5.0, "comment": ""}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (3, "c.yaml: metrics[1]: expected a name or a table with a name, got 3"),
        (
            {"threshold": 5},
            "metrics[1]: expected a name or a table with a name, got {'threshold': 5}",
        ),
        (None, "c.yaml: metrics[1]: expected a name or a table with a name, got None"),
        (["LongShare"], "metrics[1]: expected a name or a table with a name, got ['LongShare']"),
    ],
)
def test_a_choice_must_have_a_name(registry: Registry, choice: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        bind_metrics(["LongShare", choice], registry, "lab", "c.yaml: ")


@pytest.mark.parametrize(
    ("choice", "place", "message"),
    [
        (
            {"Accuracy": {"top_k": 2, "exact": True}},
            "c.yaml: ",
            "c.yaml: metrics[0]: expected a name or a table with a name, got",
        ),
        (
            {"Accuracy": None},
            "c.yaml: ",
            "c.yaml: metrics[0]: expected a name or a table with a name, got",
        ),
        (
            {"Accuracy": {"top_k": 2}},
            "",
            "expected a name or a table with a name, got {'Accuracy': {'top_k': 2}}",
        ),
        (
            {"threshold": 5},
            "c.yaml: ",
            "metrics[0]: expected a name or a table with a name, got {'threshold': 5}",
        ),
        (
            {"Accuracy": {}, "F1": {}},
            "c.yaml: ",
            "c.yaml: metrics[0]: expected a name or a table with a name, got",
        ),
    ],
)
def test_a_name_in_the_place_of_a_key_is_answered_with_the_table(
    registry: Registry, choice: Any, place: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        bind_metrics([choice], registry, "lab", place)


def test_the_name_of_a_choice_must_be_text(registry: Registry) -> None:
    with pytest.raises(ConfigError, match="metrics: name must be a string, got 3"):
        bind_metrics([{"name": 3}], registry, "lab")


def test_a_wrong_parameter_is_named_with_its_place_in_the_config(registry: Registry) -> None:
    with pytest.raises(
        ParameterError, match=r"c\.yaml: metrics\[0\]\.threshold must be at least 0, got -1\.0"
    ):
        bind_metrics([{"name": "LongShare", "threshold": -1}], registry, "lab", "c.yaml: ")


def test_parameters_of_a_decorated_metric_are_listed_where_they_are_wrong(
    registry: Registry,
) -> None:
    @metric("mylab.LengthWithin", task="lab")
    def length_within(item: Text, *, most: int = 10, least: int = 0) -> float:
        return float(least <= len(item.response or "") <= most)

    registry.add(length_within)
    with pytest.raises(
        ParameterError, match=r"c\.yaml: metrics\[0\]\.most must be a whole number, got 'many'"
    ):
        bind_metrics([{"name": "mylab.LengthWithin", "most": "many"}], registry, "lab", "c.yaml: ")


def test_a_wrong_parameter_in_python_is_named_with_its_metric(registry: Registry) -> None:
    with pytest.raises(ParameterError, match=r"lab\.LongShare: treshold: unknown key"):
        bind_metrics([{"name": "LongShare", "treshold": 1}], registry, "lab")


def test_a_spec_stands_for_its_metric(registry: Registry) -> None:
    spec = registry.metric("lab.LongShare")

    assert bind_metrics([spec], registry, None) == bind_metrics(["lab.LongShare"], registry, None)
    assert (
        bind_metrics([{"name": spec, "threshold": 5}], registry, None)[0].parameters.threshold == 5
    )


def test_all_metrics_read_one_task(registry: Registry) -> None:
    bound = bind_metrics(["LongShare", "TruthCount"], registry, "lab")

    assert task_of(bound[:1], None) == "text"
    with pytest.raises(
        ConfigError,
        match=r"metrics: expected one task, found text \(lab\.LongShare\), classification",
    ):
        task_of(bound, None)


def test_the_task_of_the_config_must_be_that_of_the_metrics(registry: Registry) -> None:
    bound = bind_metrics(["LongShare"], registry, "lab")

    with pytest.raises(
        ConfigError,
        match=r"expected one task, found detection \(the config\), text \(lab\.LongShare\)",
    ):
        task_of(bound, "detection")


def test_no_metrics_have_no_task() -> None:
    with pytest.raises(ConfigError, match="metrics: expected at least one, found none"):
        task_of([], None)


def test_a_scorer_that_takes_something_else_is_refused_when_the_plan_is_made(
    install: Callable[..., Path],
) -> None:
    sources = {
        "__init__.py": "",
        "plugin.py": "from valor_core.scoring import ItemMetricSpec\n"
        "from valor_core.specs import MetricSpec, Range, hookimpl\n"
        "@hookimpl\ndef valor_metrics():\n    return [ItemMetricSpec(name='scorer.Half',"
        " task='text', summary='', implementation='scorer.code:score', higher_is_better=None,"
        " range=Range())]\n",
        "code.py": "def score(item): return 0.5\n",
    }
    install("scorerlab", "scorer", sources)

    with pytest.raises(
        ManifestError,
        match=r"scorer\.Half: expected scorer\.code:score to take \(item, parameters,",
    ):
        Plan.of(bind_metrics(["scorer.Half"], Registry(), None), Registry())


def test_the_same_metric_twice_is_computed_twice() -> None:
    @metric("mylab.Half", task="text")
    def half(item: Any, *, weight: float = 1) -> float:
        return 0.5 * weight

    bound = bind_metrics([half, {"name": half, "weight": 0.5}], Registry(), None)
    plan = Plan.of(bound, Registry())
    states = plan.new_states()
    plan.update(states, TextBatch.of(ITEMS), {})

    assert [result.value for result in plan.compute(states)] == [0.5, 0.25]


def test_what_a_metric_refuses_when_it_is_made_is_named_with_its_place(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(parameters: Any) -> Any:
        raise ParameterError("top_k must be 1 where balanced is true", place="lab.Crash: ")

    monkeypatch.setattr(importlib.import_module("lab.metrics"), "Crash", refuse)

    for place in ("c.yaml: ", ""):
        bound = bind_metrics(["LongShare", "Crash"], registry, "lab", place)
        with pytest.raises(ParameterError, match="must be 1 where balanced is true"):
            Plan.of(bound, Registry())


@define
class Lengths(State):
    """Lengths of responses; knows how many batches it was updated with."""

    lengths: list[int] = field(factory=list)
    updates: int = 0

    def update(self, batch: TextBatch) -> None:
        self.lengths += [len(item.response or "") for item in batch.items()]
        self.updates += 1

    def merge(self, other: Lengths) -> None:
        self.lengths += other.lengths
        self.updates += other.updates


class Divisible(Lengths):
    """The same, which can be divided."""

    divides = True

    def select(self, positions: Any) -> Divisible:
        return Divisible([self.lengths[place] for place in positions])


@pytest.mark.parametrize(("state", "updates"), [(Lengths, 1), (Divisible, 0)])
def test_a_state_that_can_be_divided_counts_a_batch_once(state: Any, updates: int) -> None:
    plan = Plan((), (StateRequest(state),), (), ())
    batch = TextBatch.of([Text(str(i), response="x" * i) for i in range(4)])
    states: dict[Any, list[Any]] = {}

    plan.count(states, batch, [(("A",), np.array([0, 3])), (("B",), np.array([1, 2]))], {})
    plan.count(states, batch, [(("A",), np.arange(4))], {})

    (first,), (second,) = states[("A",)], states[("B",)]
    assert first.lengths == [0, 3, 0, 1, 2, 3]
    assert second.lengths == [1, 2]
    assert (first.updates, second.updates) == (updates + 1, updates)
