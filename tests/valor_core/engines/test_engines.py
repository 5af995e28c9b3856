from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import Evaluator
from valor_core.engines import Work, engine
from valor_core.engines.local import LocalEngine
from valor_core.errors import EngineError, ParameterError, PartitionError, ReadError
from valor_core.evaluate import reader_of
from valor_core.installer import install

PLUGINS = Path(__file__).parents[1] / "plugins"


def claim(site: Path, distribution: str, name: str, place: str) -> None:
    info = site / f"{distribution}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[valor.engines]\n{name} = {place}\n")
    importlib.invalidate_caches()


def test_without_a_section_the_engine_is_local_and_serial() -> None:
    made = engine(None)

    assert isinstance(made, LocalEngine)
    assert (made.parameters.mode, made.parameters.workers) == ("auto", 1)


def test_an_unknown_engine_is_answered_with_the_nearest() -> None:
    with pytest.raises(EngineError) as caught:
        engine({"name": "locale"}, "c.yaml: ")

    assert str(caught.value).startswith("c.yaml: engine.name: expected one of ")
    assert str(caught.value).endswith("local, got 'locale'\nDid you mean 'local'?")


def test_a_wrong_parameter_of_an_engine_is_named_with_its_place() -> None:
    with pytest.raises(
        ParameterError, match=r"^c\.yaml: engine\.workers must be at least 1, got 0"
    ):
        engine({"workers": 0}, "c.yaml: ")
    with pytest.raises(ParameterError, match=r"engine\.worker: unknown key\nDid you mean 'workers"):
        engine({"worker": 1})


def test_a_strangers_engine_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(tmp_path, "cluster", "slow", "valor_core.engines.local:LocalEngine")
    monkeypatch.syspath_prepend(tmp_path)

    assert isinstance(engine({"name": "slow"}), LocalEngine)


def test_two_engines_of_one_name_are_an_error_that_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for distribution in ("one", "two"):
        claim(tmp_path, distribution, "slow", "valor_core.engines.local:LocalEngine")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(EngineError) as caught:
        engine({"name": "slow"})

    assert str(caught.value) == (
        "engine.name: expected one engine 'slow', one and two claim it\nUninstall one of them."
    )


@pytest.mark.parametrize("place", ["no_such_package_here:Engine", "valor_core.engines:NoEngine"])
def test_an_engine_that_cannot_be_imported_is_an_error_with_its_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    claim(tmp_path, "cluster", "slow", place)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(EngineError) as caught:
        engine({"name": "slow"})

    assert str(caught.value).startswith(
        "engine.name: the engine 'slow' of cluster cannot be imported, "
    )
    assert str(caught.value).endswith(install("cluster[slow]"))
    assert caught.value.__cause__ is not None


class TestWork:
    @pytest.fixture
    def work(self, install: Callable[..., Path], tmp_path: Path) -> Callable[[str], Work]:
        install("valor-lab", "lab", PLUGINS / "lab")
        (tmp_path / "parts.json").write_text('[[{"uid": "q1", "response": "Rom"}]]')

        def make(trouble: str) -> Work:
            evaluator = Evaluator(["lab.LongShare"])
            values = {
                "reader": "lab.Parts",
                "path": str(tmp_path / "parts.json"),
                "trouble": trouble,
            }
            return Work(evaluator.evaluation, reader_of(values, "text", evaluator.registry))

        return make

    def test_the_tally_of_a_partition_has_its_name(self, work: Callable[[str], Work]) -> None:
        made = work("none")

        tally = made(made.reader.partitions()[0], {})

        assert (tally.done, tally.read) == (["part 0"], 1)

    def test_wrong_data_are_named_with_their_partition(self, work: Callable[[str], Work]) -> None:
        made = work("schema")

        with pytest.raises(ReadError) as caught:
            made(made.reader.partitions()[0], {})

        assert str(caught.value) == "part 0: item 'q1': expected a response\nGive it one."

    def test_anything_else_is_named_with_its_partition(self, work: Callable[[str], Work]) -> None:
        made = work("raise")

        with pytest.raises(PartitionError, match=r"^part 0: RuntimeError: disk on fire$") as caught:
            made(made.reader.partitions()[0], {})

        assert isinstance(caught.value.__cause__, RuntimeError)
