from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import Evaluator, evaluate
from valor_core.errors import (
    AmbiguousNameError,
    BrokenPluginError,
    ParameterError,
    PartitionError,
    ReadError,
    UnknownNameError,
)
from valor_core.evaluation.engines import PartitionTask
from valor_core.evaluation.engines.engine import engine
from valor_core.evaluation.engines.local import LocalEngine
from valor_core.readers import reader_of
from valor_core.specs import EngineSpec
from valor_core.specs.registry import Registry

Install = Callable[..., Path]

PLUGINS = Path(__file__).parents[3] / "plugins"


ENGINE = """
from valor_core.specs import EngineSpec, hookimpl

@hookimpl
def valor_engines():
    return [EngineSpec(name="{namespace}.slow", summary="Slow", implementation="{place}",
        parameters="valor_core.evaluation.engines.local:LocalParameters")]
"""
LOCAL = "valor_core.evaluation.engines.local:LocalEngine"


LABELME = """
import json
from attrs import frozen
from valor_core.errors import error_at
from valor_core.parameters import parameter, parameters
from valor_core.readers import Partition
from valor_core.specs import ReaderSpec, hookimpl

@parameters
class Chosen:
    shape: str = parameter(help="Shape.")

@frozen
class Labelme:
    parameters: Chosen
    task: str

    def partitions(self):
        return [Part("lgt, im0 to im2")]

    def read(self, partition):
        with error_at("im1.json: "):
            yield json.loads(self.parameters.shape)["points"]

@frozen
class Part(Partition):
    name: str

@hookimpl
def valor_readers():
    return [ReaderSpec(name="labelfiles.labelme", task="text", summary="Shapes", parameters=Chosen,
        implementation="labelfiles.plugin:Labelme")]
"""


def brings_slow(namespace: str, place: str = LOCAL) -> dict[str, str]:
    return {"__init__.py": "", "plugin.py": ENGINE.format(namespace=namespace, place=place)}


def test_default_engine_is_local_and_serial() -> None:
    made = engine(None, Registry())

    assert isinstance(made, LocalEngine)
    assert (made.parameters.mode, made.parameters.workers) == ("auto", 1)


def test_unknown_engine_suggests_closest_match() -> None:
    with pytest.raises(UnknownNameError, match=r"c\.yaml: engine\.name: engine 'locale': unknown"):
        engine({"name": "locale"}, Registry(), "c.yaml: ")


def test_engine_in_an_entry_point_group_of_an_earlier_version_is_named(install: Install) -> None:
    install("mypool", "mypool", {}, entry_points="[valor.engines]\npool = mypool:PoolEngine\n")

    with pytest.raises(UnknownNameError) as caught:
        engine("pool", Registry())

    assert str(caught.value) == (
        "engine.name: engine 'pool': unknown\nmypool 1.0 declares it in the entry point group "
        "valor.engines, which is no longer read\n"
        "Upgrade it, or declare it in its manifest with the hook: valor_engines"
    )


def test_invalid_engine_parameter_is_reported_with_position() -> None:
    with pytest.raises(ParameterError, match=r"c\.yaml: engine\.workers must be at least 1, got 0"):
        engine({"workers": 0}, Registry(), "c.yaml: ")
    with pytest.raises(ParameterError, match=r"engine\.worker: unknown key"):
        engine({"worker": 1}, Registry())


@pytest.mark.parametrize("name", ["slow", "cluster.slow", "Slow"])
def test_third_party_engine_is_found_by_short_and_full_name(install: Install, name: str) -> None:
    install("cluster", "cluster", brings_slow("cluster"))

    assert isinstance(engine({"name": name}, Registry()), LocalEngine)


def test_ambiguous_engine_lists_both(install: Install) -> None:
    for namespace in ("one", "two"):
        install(f"{namespace}-lab", namespace, brings_slow(namespace))

    with pytest.raises(
        AmbiguousNameError,
        match=r"engine 'slow': expected one of this name, found one\.slow and two\.slow",
    ):
        engine({"name": "slow"}, Registry())


def test_third_party_engine_named_local_is_not_the_default(install: Install) -> None:
    source = {name: text.replace("slow", "local") for name, text in brings_slow("my").items()}
    install("my-lab", "my", source)

    assert Registry().find(EngineSpec, "local").name == "core.local"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (
            "no_such_package_here:Engine",
            "engine.name: cluster.slow: its code no_such_package_here:Engine cannot",
        ),
        ("valor_core.evaluation.engines.engine:NoEngine", "engine.name: cluster.slow: its code"),
    ],
)
def test_engine_import_error_has_cause(install: Install, place: str, message: str) -> None:
    install("cluster", "cluster", brings_slow("cluster", place))

    with pytest.raises(BrokenPluginError, match=re.escape(message)) as caught:
        engine({"name": "slow"}, Registry())

    assert caught.value.__cause__ is not None


class TestPartitionTask:
    @pytest.fixture
    def work(self, install: Callable[..., Path], tmp_path: Path) -> Callable[[str], PartitionTask]:
        install("valor-lab", "lab", PLUGINS / "lab")
        (tmp_path / "parts.json").write_text('[[{"uid": "q1", "response": "Rom"}]]')

        def make(trouble: str) -> PartitionTask:
            evaluator = Evaluator(["lab.LongShare"])
            values = {
                "reader": "lab.Parts",
                "path": str(tmp_path / "parts.json"),
                "trouble": trouble,
            }
            return PartitionTask(
                evaluator.evaluation, reader_of(values, "text", evaluator.registry)
            )

        return make

    def test_state_of_partition_has_its_name(self, work: Callable[[str], PartitionTask]) -> None:
        made = work("none")

        state = made(made.reader.partitions()[0], {})

        assert (state.done, state.read) == (["part 0"], 1)

    def test_data_error_names_partition(self, work: Callable[[str], PartitionTask]) -> None:
        made = work("schema")

        with pytest.raises(ReadError, match="part 0: item 'q1': expected a response"):
            made(made.reader.partitions()[0], {})

    def test_other_error_names_partition(self, work: Callable[[str], PartitionTask]) -> None:
        made = work("raise")

        with pytest.raises(
            PartitionError, match=r"part 0: reader\.py, line \d+: RuntimeError: disk on fire"
        ) as caught:
            made(made.reader.partitions()[0], {})

        assert isinstance(caught.value.__cause__, RuntimeError)
        assert caught.value.message.endswith(", raised in valor-lab")

    def test_error_of_a_reader_names_file_and_plugin(self, install: Install) -> None:
        install("valor-lab", "lab", PLUGINS / "lab")
        install("labelfiles", "labelfiles", {"plugin.py": LABELME, "__init__.py": ""})

        for shape, found in (("{}", "KeyError: 'points'"), ("[]", "TypeError: list indices must")):
            with pytest.raises(PartitionError) as caught:
                evaluate({"reader": "labelfiles.labelme", "shape": shape}, ["lab.LongShare"])

            place = "lgt, im0 to im2: plugin.py, line 23: im1.json"
            assert caught.value.message.startswith(f"{place}: {found}")
            assert caught.value.message.endswith(", raised in labelfiles")


@pytest.mark.parametrize("mode", ["threads", "processes", "serial"])
def test_mode_given_as_engine_is_suggested_with_the_local_engine(mode: str) -> None:
    with pytest.raises(UnknownNameError, match="a mode of the engine local") as caught:
        engine(mode, Registry())

    section = ast.literal_eval(str(caught.value.remedy).partition(": ")[2])
    assert engine(section, Registry()).parameters.mode == mode  # type: ignore[attr-defined]


def test_unknown_engine_lists_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match=r"'spark': unknown\nChoose .*\blocal\b"):
        engine("spark", Registry())
