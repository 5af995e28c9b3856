from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from valor_testing import (
    ConformanceError,
    cases,
    check_metric,
    check_plugin,
    engine_laws,
    examples,
    reader_laws,
    resource_laws,
)

from valor_core.errors import UnknownNameError
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import Registry

Install = Callable[..., Path]

JUDGED = {
    "__init__.py": "",
    "plugin.py": """
from valor_core.parameters import (parameter, parameters)
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (MetricSpec, Range, ResourceSpec, hookimpl)

@parameters
class JudgeParameters:
    model: str = parameter(help="Which model.")

@hookimpl
def valor_metrics():
    return [
        ItemMetricSpec(
            name="judged.One", task="text", summary="One", implementation="judged.one:score",
            higher_is_better=None, range=Range(), resources=("judge",),
        )
    ]

@hookimpl
def valor_resources():
    return [
        ResourceSpec(
            name="judged.judge", summary="A judge", parameters=JudgeParameters,
            implementation="judged.one:Judge"{more},
        )
    ]
""",
    "one.py": """
class Judge:
    opened = 0

    def __init__(self, parameters):
        Judge.opened += 1

    def __len__(self):
        return 1


def score(item, parameters, resources):
    return len(resources["judge"])
""",
}


def judged(more: str = "", model: str = "") -> dict[str, str]:
    """Return a plugin with a judge; with a default model, it needs no parameters."""
    manifest = JUDGED["plugin.py"].replace("{more}", more)
    return JUDGED | {"plugin.py": manifest.replace("parameter(help", f"parameter({model}help")}


def test_valid_plugin_is_accepted(mylab: Path) -> None:
    check_plugin("mylab")


def test_cases_yields_one_check_for_each_component(mylab: Path) -> None:
    names = [name for name, _ in cases("mylab")]

    assert len(names) == len(set(names))
    assert names[:3] == ["mylab", "mylab.dictionary", "mylab.ExactMatch"]
    assert names[-1] == "mylab/independent of other metrics: text"


def test_each_parameter_set_of_a_metric_has_a_check(mylab: Path) -> None:
    parameters: Mapping[str, Any] = {"mylab.ExactMatch": [{}, {"ignore_case": True}]}

    names = []
    for name, check in cases("mylab", parameters=parameters):
        check()
        names.append(name)

    assert {"mylab.ExactMatch[0]", "mylab.ExactMatch[1]"} <= set(names)


def test_parameters_of_unknown_metric_are_rejected(mylab: Path) -> None:
    with pytest.raises(ConformanceError, match=r"there is no metric 'mylab\.Exact'"):
        check_plugin("mylab", parameters={"mylab.Exact": {}})


def test_given_resource_is_used(mylab: Path) -> None:
    class Nothing:
        asked = 0

        def has(self, word: str) -> bool:
            self.asked += 1
            return False

    dictionary = Nothing()
    check_plugin("mylab", resources={"dictionary": dictionary})
    assert dictionary.asked

    spec = Registry().metric("mylab.KnownWords")
    check_metric(spec, resources={"dictionary": dictionary})
    with pytest.raises(ConformanceError, match="it uses 'dictionary'"):
        check_metric(spec)


def test_data_can_be_items_batches_or_several_sets(mylab: Path) -> None:
    spec = Registry().metric("mylab.ExactMatch")
    items = [Text("q1", response="unreadable", references="Rome"), Text("q2", response="Rome")]

    for data in (items, [TextBatch.of(items)], {"one": items, "other": items[1:]}):
        if not isinstance(data, dict):
            with pytest.raises(ConformanceError, match="the reply cannot be read"):
                check_metric(spec, data)
        check_metric(spec, {"fine": items[1:]})


def test_metrics_use_data_of_their_task(mylab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = evolve(Registry().metric("mylab.ExactMatch"), task="segmentation")
    others = {task: sets for task, sets in examples._DATASETS.items() if task != "segmentation"}
    monkeypatch.setattr(examples, "_DATASETS", others)

    with pytest.raises(ConformanceError, match="no examples of the task 'segmentation'"):
        check_metric(spec)
    with pytest.raises(ConformanceError, match="no examples of the task 'segmentation'"):
        check_metric(spec, [TextBatch.of([])])


def test_missing_plugin_is_named() -> None:
    with pytest.raises(UnknownNameError, match="namespace 'nowhere': no installed plugin"):
        check_plugin("nowhere")


def test_missing_resource_is_named(install: Install) -> None:
    install("valor-judged", "judged", judged(", free=True"))

    with pytest.raises(
        ConformanceError, match=r"(?s)judge\.model: expected a string, .*resources=\{'judge': …\}"
    ):
        check_plugin("judged")

    check_plugin("judged", resources={"judge": "a judge"})


def test_paid_judge_is_never_opened(install: Install) -> None:
    install("valor-judged", "judged", judged(model="default='big', "))

    for name, check in cases("judged"):
        if name == "judged.One" or "together" in name:
            with pytest.raises(ConformanceError, match="expected a stand-in"):
                check()
    with pytest.raises(ConformanceError, match="expected a stand-in"):
        check_plugin("judged")
    check_plugin("judged", resources={"judge": "a judge"})

    assert importlib.import_module("judged.one").Judge.opened == 0


def test_free_resource_is_opened_and_checked(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("valor-judged", "judged", judged(", free=True", model="default='small', "))
    check_plugin("judged")
    assert importlib.import_module("judged.one").Judge.opened > 0

    checked: list[str] = []
    monkeypatch.setattr(resource_laws, "RESOURCE_LAWS", [lambda each: checked.append(each.name)])
    check_plugin("judged")
    assert checked == ["judged.judge"]


def test_readers_and_engines_keep_all_laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("uid,response\n" + "".join(f"q{i},{i}\n" for i in range(9)))
    readers = {"tables.table": {"path": str(path)}}
    check_plugin("tables", readers=readers)
    check_plugin("core")

    checked: list[str] = []
    monkeypatch.setattr(reader_laws, "READER_LAWS", [lambda each: checked.append(each.name)])
    monkeypatch.setattr(engine_laws, "ENGINE_LAWS", [lambda each: checked.append(each.name)])
    check_plugin("tables", readers=readers)
    check_plugin("core")
    assert checked == ["tables.table", "core.local"]


def test_engine_uses_given_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[str] = []
    monkeypatch.setattr(
        engine_laws, "ENGINE_LAWS", [lambda each: modes.append(each.engine.parameters.mode)]
    )

    check_plugin("core", parameters={"core.local": {"mode": "threads", "workers": 2}})

    assert modes == ["threads"]


def test_parameters_of_unknown_reader_are_rejected() -> None:
    with pytest.raises(ConformanceError, match=r"there is no reader 'tables\.tables'"):
        check_plugin("tables", readers={"tables.tables": {}})
