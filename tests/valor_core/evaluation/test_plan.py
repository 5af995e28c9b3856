from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from valor_core import Registry, evaluate, metric
from valor_core.errors import ConfigError, ManifestError, ParameterError
from valor_core.evaluation import Plan
from valor_core.evaluation.bound_metric import bind_metrics, task_of
from valor_core.results import Result
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
    plan.count({(): states}, TextBatch.of(ITEMS), [((), np.arange(len(ITEMS)))], {})
    return plan, states


def test_metrics_share_state_with_union_of_thresholds(registry: Registry) -> None:
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


def test_results_have_short_name_and_identity(registry: Registry) -> None:
    plan, states = counted(registry, "share_of_long")

    result = plan.compute(states)[0]

    assert (result.type, result.metric) == ("LongShare", "lab.LongShare@2")


def test_error_of_one_metric_keeps_other_results(registry: Registry) -> None:
    plan, states = counted(registry, "Crash", "LongShare")

    crash, share = plan.compute(states)

    assert (crash.type, crash.error) == ("Crash", "metrics.py, line 80: ZeroDivisionError: no luck")
    assert share.value == 2 / 3


def test_metric_that_returns_non_result_keeps_other_results(registry: Registry) -> None:
    plan, states = counted(registry, "Odd", "LongShare")

    odd, share = plan.compute(states)

    assert odd.type == "Odd"
    assert odd.error is not None
    assert share.value == 2 / 3


def test_error_of_metric_becomes_one_line_reason(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, state: Any) -> Any:
        raise ConfigError("Crash: expected luck", "Have some.")

    plan, states = counted(registry, "Crash")
    monkeypatch.setattr(importlib.import_module("lab.metrics").Crash, "compute", refuse)

    assert plan.compute(states)[0].error == "Crash: expected luck; have some."


def test_metric_without_results_is_undefined(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, states = counted(registry, "Crash")
    monkeypatch.setattr(
        importlib.import_module("lab.metrics").Crash, "compute", lambda self, state: []
    )

    assert plan.compute(states)[0].undefined == "no data to compute it from"


def test_states_are_detached_from_batches(registry: Registry) -> None:
    plan, states = counted(registry, "LongShare")
    detached: list[bool] = []
    states[0].detach = lambda: detached.append(True)

    plan.detach([*states, object()])

    assert detached == [True]


def test_states_of_slice_reuse_results_of_all_data(registry: Registry) -> None:
    plan, states = counted(registry, "LongShare")
    other = State()
    states[0].within = lambda whole: (states[0], whole)

    assert plan.within([*states, other], ["all", "more"]) == [(states[0], "all"), other]


def test_choice_is_described_with_version_and_all_parameters(registry: Registry) -> None:
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
def test_choice_without_name_is_rejected(registry: Registry, choice: Any, message: str) -> None:
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
def test_name_as_key_suggests_table(
    registry: Registry, choice: Any, place: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        bind_metrics([choice], registry, "lab", place)


def test_choice_with_non_string_name_is_rejected(registry: Registry) -> None:
    with pytest.raises(ConfigError, match="metrics: name must be a string, got 3"):
        bind_metrics([{"name": 3}], registry, "lab")


def test_invalid_parameter_is_reported_with_config_position(registry: Registry) -> None:
    with pytest.raises(
        ParameterError, match=r"c\.yaml: metrics\[0\]\.threshold must be at least 0, got -1\.0"
    ):
        bind_metrics([{"name": "LongShare", "threshold": -1}], registry, "lab", "c.yaml: ")


def test_unknown_parameter_of_decorated_metric_lists_parameters(
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


def test_invalid_parameter_in_python_is_reported_with_metric(registry: Registry) -> None:
    with pytest.raises(ParameterError, match=r"lab\.LongShare: treshold: unknown key"):
        bind_metrics([{"name": "LongShare", "treshold": 1}], registry, "lab")


def test_spec_is_accepted_as_choice(registry: Registry) -> None:
    spec = registry.metric("lab.LongShare")

    assert bind_metrics([spec], registry, None) == bind_metrics(["lab.LongShare"], registry, None)
    assert (
        bind_metrics([{"name": spec, "threshold": 5}], registry, None)[0].parameters.threshold == 5
    )


def test_metrics_of_several_tasks_are_rejected(registry: Registry) -> None:
    bound = bind_metrics(["LongShare", "TruthCount"], registry, "lab")

    assert task_of(bound[:1], None) == "text"
    with pytest.raises(
        ConfigError,
        match=r"metrics: expected one task, found text \(lab\.LongShare\), classification",
    ):
        task_of(bound, None)


def test_task_must_match_metrics(registry: Registry) -> None:
    bound = bind_metrics(["LongShare"], registry, "lab")

    with pytest.raises(
        ConfigError,
        match=r"expected one task, found detection \(the data\), text \(lab\.LongShare\)",
    ):
        task_of(bound, "detection")


def test_empty_metrics_are_rejected() -> None:
    with pytest.raises(ConfigError, match="metrics: expected at least one, found none"):
        task_of([], None)


def test_scorer_with_invalid_signature_is_rejected_by_plan(
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


def test_metric_with_two_parameter_sets_is_computed_twice() -> None:
    @metric("mylab.Half", task="text")
    def half(item: Any, *, weight: float = 1) -> float:
        return 0.5 * weight

    bound = bind_metrics([half, {"name": half, "weight": 0.5}], Registry(), None)
    plan = Plan.of(bound, Registry())
    states = plan.new_states()
    plan.count({(): states}, TextBatch.of(ITEMS), [((), np.arange(len(ITEMS)))], {})

    assert [result.value for result in plan.compute(states)] == [0.5, 0.25]


def test_error_of_metric_constructor_has_config_position(
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
def test_selectable_state_counts_batch_once(state: Any, updates: int) -> None:
    plan = Plan((), (StateRequest(state),), (), ())
    batch = TextBatch.of([Text(str(i), response="x" * i) for i in range(4)])
    states: dict[Any, list[Any]] = {}

    plan.count(states, batch, [(("A",), np.array([0, 3])), (("B",), np.array([1, 2]))], {})
    plan.count(states, batch, [(("A",), np.arange(4))], {})

    (first,), (second,) = states[("A",)], states[("B",)]
    assert first.lengths == [0, 3, 0, 1, 2, 3]
    assert second.lengths == [1, 2]
    assert (first.updates, second.updates) == (updates + 1, updates)


def test_settings_with_the_same_stated_parameters_keep_their_results(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("lab.metrics")

    def compute(self: Any, state: Any) -> Any:
        yield Result(value=state.share(self.parameters.threshold))

    monkeypatch.setattr(module.LongShare, "compute", compute)
    choices: list[Any] = ["LongShare"]
    choices += [{"name": "LongShare", "threshold": threshold} for threshold in (4, 5)]

    report = evaluate(ITEMS, choices, task="text", registry=registry)

    found = [(dict(result.parameters), result.value) for result in report.results]
    assert found == [({}, 2 / 3), ({"threshold": 4.0}, 1 / 3), ({"threshold": 5.0}, 1 / 3)]
    (alone,) = evaluate(ITEMS, choices[1:2], task="text", registry=registry).results
    assert dict(alone.parameters) == {}


def test_lists_in_another_order_give_one_result_each(registry: Registry) -> None:
    choices = [{"name": "LongShares", "thresholds": one} for one in ([1, 3], [3, 1])]

    report = evaluate(ITEMS, choices, task="text", registry=registry)

    assert [dict(result.parameters) for result in report.results] == [
        {"threshold": 1.0},
        {"threshold": 3.0},
    ]
