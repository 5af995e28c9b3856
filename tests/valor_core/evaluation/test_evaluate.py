from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from bird_tasks import Birds

from valor_core import Evaluator, Registry, evaluate, metric, packages
from valor_core.errors import (
    BrokenPluginError,
    ConfigError,
    PartitionError,
    ReportError,
    RunInterrupted,
    SchemaError,
    StateError,
    ValorWarning,
)
from valor_core.evaluation import EvaluationState
from valor_core.evaluation.engines import PartitionTask
from valor_core.evaluation.evaluate import run
from valor_core.readers import reader_of
from valor_core.readers.reader import InMemory
from valor_core.resources import opened
from valor_core.schemas.classification import Classification
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.specs.spec import MetricSpec

Install = Callable[..., Path]

ITEMS = [Text(f"q{n}", response="x" * n) for n in range(8)]
METRICS = ["lab.LongShare"]


@metric("mylab.Length", task="text")
def length(item: Any) -> float:
    return len(item.response) / 10


def test_data_may_be_objects_batches_or_reader(lab: Path) -> None:
    whole = TextBatch.of(ITEMS)
    halves = [TextBatch.of(ITEMS[:4]), TextBatch.of(ITEMS[4:])]

    reports = [evaluate(data, METRICS) for data in (ITEMS, whole, halves, InMemory((whole,)))]

    assert reports[0]["LongShare"].value == 5 / 8
    assert all(report == reports[0] for report in reports)


def test_task_is_inferred_from_data(lab: Path) -> None:
    for data in (ITEMS, tuple(ITEMS), TextBatch.of(ITEMS), [TextBatch.of(ITEMS)]):
        assert evaluate(data, [length])["Length"].value == 0.35


def test_data_of_another_task_is_rejected() -> None:
    with pytest.raises(
        ConfigError, match=r"metrics: expected one task, found classification \(the data\), text"
    ):
        evaluate([Classification("a", "dog")], [length])


def test_a_reader_is_chosen_by_name(parts: dict[str, Any]) -> None:
    assert evaluate(parts, METRICS).results == evaluate(ITEMS, METRICS).results


def test_progress_is_reported_after_each_partition(parts: dict[str, Any]) -> None:
    told: list[tuple[int, int, int]] = []

    evaluate(parts, METRICS, progress=lambda *how_far: told.append(how_far))

    assert told == [(1, 4, 2), (2, 4, 4), (3, 4, 6), (4, 4, 8)]


class TestReaders:
    @pytest.mark.parametrize(
        ("named", "message"),
        [
            ({}, "c.yaml: data.reader: expected the name of a reader, the key is missing"),
            ({"reader": 3}, "c.yaml: data.reader: expected the name of a reader, got 3"),
        ],
    )
    def test_mapping_without_reader_is_rejected(self, named: dict[str, Any], message: str) -> None:
        with pytest.raises(ConfigError, match=re.escape(message)):
            reader_of(named | {"path": "a"}, "text", Registry(), place="c.yaml: ")

    def test_reader_of_another_task_is_rejected(self, lab: Path) -> None:
        registry = Registry()
        registry.register("birds", Birds())

        with pytest.raises(
            ConfigError, match=r"data\.reader: expected a reader for songs, got 'lab\.Parts'"
        ):
            reader_of({"reader": "lab.Parts", "path": "a"}, "songs", registry)

    def test_invalid_parameter_is_reported_with_position(self, lab: Path) -> None:
        with pytest.raises(
            Exception, match=r"^c\.yaml: data\.pth: unknown key\nDid you mean 'path"
        ):
            reader_of({"reader": "lab.Parts", "pth": "a"}, "text", Registry(), place="c.yaml: ")

    def test_relative_paths_start_at_folder(self, lab: Path) -> None:
        values = {"reader": "lab.Parts", "path": "a.json", "log": "/log"}

        reader: Any = reader_of(values, "text", Registry(), Path("here"))

        assert reader.parameters.path == Path("here/a.json")
        assert reader.parameters.log == Path("/log")


class TestStateFiles:
    def test_failed_run_resumes_from_state(self, parts: dict[str, Any], tmp_path: Path) -> None:
        state = tmp_path / "state.npz"
        trouble = parts | {"trouble": "raise", "at": 2}

        with pytest.raises(PartitionError) as caught:
            evaluate(trouble, METRICS, state=state)
        for file in (tmp_path / "log").iterdir():
            file.unlink()
        report = evaluate(parts, METRICS, state=state)

        assert caught.value.__notes__ == [f"Finished partitions, saved in {state}"]
        assert report == evaluate(parts, METRICS)
        assert Evaluator.load(state).compute() == report

    def test_finished_partitions_are_not_read_again(
        self, parts: dict[str, Any], tmp_path: Path
    ) -> None:
        state = tmp_path / "state.npz"
        with pytest.raises(PartitionError):
            evaluate(parts | {"trouble": "raise", "at": 2}, METRICS, state=state)
        for file in (tmp_path / "log").iterdir():
            file.unlink()

        evaluate(parts, METRICS, state=state)

        assert {file.name for file in (tmp_path / "log").iterdir()} == {"2", "3"}

    def test_missing_folder_is_rejected_before_counting(
        self, parts: dict[str, Any], tmp_path: Path
    ) -> None:
        folder = tmp_path / "missing"

        with pytest.raises(StateError, match="no such folder"):
            evaluate(parts, METRICS, state=folder / "state.npz")

        assert not list((tmp_path / "log").iterdir())

    def test_state_of_other_data_is_rejected(self, parts: dict[str, Any], tmp_path: Path) -> None:
        state = tmp_path / "state.npz"
        evaluate(parts, METRICS, state=state)

        with pytest.raises(
            StateError,
            match="made from other data, part 0 is missing",
        ):
            evaluate(ITEMS, METRICS, state=state)


@pytest.mark.usefixtures("lab")
class TestWrongData:
    def test_invalid_item_is_reported_with_position(self) -> None:
        with pytest.raises(SchemaError, match=r"data\[1\]: expected a Text, got 5"):
            evaluate([ITEMS[0], 5], METRICS, "text")

    def test_empty_metrics_raise_error(self) -> None:
        with pytest.raises(ConfigError, match="metrics must not be empty"):
            evaluate(ITEMS, [])

    def test_single_metric_needs_no_list(self) -> None:
        assert evaluate(ITEMS, METRICS[0]).to_dict() == evaluate(ITEMS, METRICS[:1]).to_dict()


def test_counts_are_saved_during_run(
    parts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state.npz"
    monkeypatch.setattr(sys.modules["valor_core.evaluation.evaluate"], "_SAVE_EVERY", -1000.0)
    saved: list[int] = []

    def look(finished: int, count: int, read: int) -> None:
        if state.exists():
            saved.append(Evaluator.load(state).state.read)

    evaluate(parts, METRICS, state=state, progress=look)

    assert saved == [2, 4, 6]  # what was saved after the partition before


def test_full_disk_during_a_run_keeps_the_numbers(
    parts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise StateError("state.npz: cannot be written, No space left on device")

    monkeypatch.setattr(sys.modules["valor_core.evaluation.evaluate"], "_SAVE_EVERY", -1000.0)
    monkeypatch.setattr("valor_core.evaluation.saved.save_state", full)

    with pytest.warns(ValorWarning) as warned:
        report = evaluate(parts, METRICS, state=tmp_path / "state.npz")

    assert [str(one.message) for one in warned] == [
        "state.npz: cannot be written, No space left on device; the run goes on, but cannot be "
        "resumed until a later save succeeds"
    ]
    assert report.results == evaluate(parts, METRICS).results
    assert report.warnings == ("state.npz: cannot be written, No space left on device",)
    with (
        pytest.warns(ValorWarning, match=r"state\.npz: cannot be written"),
        pytest.raises(
            PartitionError, match=r"part 3: reader\.py, line \d+: RuntimeError: disk on fire"
        ),
    ):
        evaluate(parts | {"trouble": "raise", "at": 3}, METRICS, state=tmp_path / "state.npz")


def test_removed_folder_of_the_state_is_a_warning_with_its_path(
    parts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["valor_core.evaluation.evaluate"], "_SAVE_EVERY", -1000.0)
    folder = tmp_path / "states"
    folder.mkdir()

    def remove(finished: int, count: int, read: int) -> None:
        if folder.exists():
            shutil.rmtree(folder)

    with pytest.warns(ValorWarning, match=r"state\.npz: cannot be written, No such file") as warned:
        report = evaluate(parts, METRICS, state=folder / "state.npz", progress=remove)

    assert len(warned) == 1
    assert str(folder) in str(warned[0].message)
    assert report.results == evaluate(parts, METRICS).results


class TestInterrupts:
    @pytest.fixture(autouse=True)
    def interruptible(self) -> Iterator[None]:
        """Interrupts are heard also where pytest was started in the background of a script."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)

    def test_interrupt_reports_finished_partitions(self, parts: dict[str, Any]) -> None:
        def interrupt(finished: int, count: int, read: int) -> None:
            if finished == 2:
                raise KeyboardInterrupt

        with pytest.raises(RunInterrupted, match="run: stopped after 2 of 4 partitions, 4 items"):
            evaluate(parts, METRICS, progress=interrupt)

    def test_interrupted_run_can_resume(self, parts: dict[str, Any], tmp_path: Path) -> None:
        state = tmp_path / "state.npz"

        def interrupt(finished: int, count: int, read: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(
            RunInterrupted, match="run: stopped after 1 of 4 partitions, 2 items, saved in"
        ):
            evaluate(parts, METRICS, progress=interrupt, state=state)

        assert evaluate(parts, METRICS, state=state) == evaluate(parts, METRICS)

    def test_interrupt_is_deferred_during_merge(
        self, parts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import lab.metrics

        state = tmp_path / "state.npz"
        merge = lab.metrics.Lengths.merge

        def interrupted(self: Any, other: Any) -> None:
            merge(self, other)
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(lab.metrics.Lengths, "merge", interrupted)
        with pytest.raises(
            RunInterrupted, match="run: stopped after 2 of 4 partitions, 4 items, saved in"
        ):
            evaluate(parts, METRICS, state=state)
        monkeypatch.undo()

        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_evaluation_in_thread_keeps_signal_handlers(self, parts: dict[str, Any]) -> None:
        reports: list[Any] = []
        thread = threading.Thread(target=lambda: reports.append(evaluate(parts, METRICS)))

        thread.start()
        thread.join()

        assert reports == [evaluate(parts, METRICS)]

    @pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are a matter of POSIX")
    @pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
    def test_interrupted_program_ends_workers_and_resumes(
        self, lab: Path, parts: dict[str, Any], tmp_path: Path, mode: str
    ) -> None:
        state, log = tmp_path / "state.npz", tmp_path / "log"
        waiting = parts | {"trouble": "wait", "at": 3}
        engine = {"mode": mode, "workers": 2}
        script = tmp_path / "program.py"
        script.write_text(
            f"import sys; sys.path.insert(0, {str(lab)!r})\n"
            "from valor_core import evaluate\n"
            "from valor_core.errors import RunInterrupted\n"
            "def told(finished, count, read):\n"
            f"    open({str(tmp_path)!r} + f'/told-{{finished}}', 'w').close()\n"
            "if __name__ == '__main__':\n"
            "    try:\n"
            f"        evaluate({waiting!r}, {METRICS!r}, engine={engine!r}, state={str(state)!r},"
            " progress=told)\n"
            "    except RunInterrupted as error:\n"
            "        print(error)\n"
        )

        program = subprocess.Popen(
            [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        wait_for(lambda: (tmp_path / "told-3").exists() and (log / "3").exists(), program)
        os.killpg(program.pid, signal.SIGINT)
        if mode == "threads":
            (log / "go").touch()
        output, _ = program.communicate(timeout=60)

        # Threads cannot be ended: the partition that was under way is waited for and counted.
        counted = "4 of 4 partitions, 8" if mode == "threads" else "3 of 4 partitions, 6"
        assert output.startswith(f"run: stopped after {counted} items, saved in")
        wait_for(lambda: not alive(program.pid), program)
        assert evaluate(parts, METRICS, state=state) == evaluate(parts, METRICS)

    @pytest.mark.skipif(os.name == "nt", reason="groups of processes are a matter of POSIX")
    def test_killed_program_ends_workers(
        self, lab: Path, parts: dict[str, Any], tmp_path: Path
    ) -> None:
        waiting, engine = parts | {"trouble": "wait", "at": 3}, {"mode": "processes", "workers": 2}
        script = tmp_path / "program.py"
        script.write_text(
            f"import sys; sys.path.insert(0, {str(lab)!r})\n"
            "from valor_core import evaluate\n"
            "if __name__ == '__main__':\n"
            f"    evaluate({waiting!r}, {METRICS!r}, engine={engine!r})\n"
        )

        program = subprocess.Popen(
            [sys.executable, str(script)], stdout=subprocess.PIPE, start_new_session=True
        )
        wait_for(lambda: (tmp_path / "log" / "3").exists(), program)
        program.kill()

        program.communicate(timeout=60)  # ends when the last process has let go of the pipe


def wait_for(condition: Callable[[], bool], program: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited for too long"
        time.sleep(0.01)


def alive(group: int) -> bool:
    """Return True if a process of the group is alive."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_evaluator_runs_on_several_readers(lab: Path) -> None:
    evaluator = Evaluator(METRICS)

    run(evaluator, InMemory.of(ITEMS[:4], TextBatch.of))
    evaluator.state.done.clear()
    run(evaluator, InMemory.of(ITEMS[4:], TextBatch.of))

    assert evaluator.compute() == evaluate(ITEMS, METRICS)


def test_state_of_other_data_in_memory_is_rejected(lab: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    first = evaluate(ITEMS[:4], METRICS, state=state)

    assert evaluate(ITEMS[:4], METRICS, state=state) == first
    with pytest.raises(StateError, match="made from other data, batch 0 has changed"):
        evaluate(ITEMS[4:], METRICS, state=state)


def test_equal_results_of_two_metrics_are_reported_once(lab: Path) -> None:
    chosen: list[Any] = [{"name": "lab.LongShares", "thresholds": at} for at in ([1, 5], [5, 9])]

    report = evaluate([Text("q1", response="xxxxxx")], chosen)

    assert [result.parameters["threshold"] for result in report.results] == [1, 5, 9]
    assert [result.value for result in report.results] == [1.0, 1.0, 0.0]


def test_engine_is_chosen_by_name(lab: Path) -> None:
    report = evaluate(ITEMS, METRICS, engine="local")

    assert report.results == evaluate(ITEMS, METRICS).results
    with pytest.raises(ConfigError, match="engine must be a string or table or null, got 3"):
        evaluate(ITEMS, METRICS, engine=3)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="state must be a path, got 3"):
        evaluate(ITEMS, METRICS, state=3)  # type: ignore[arg-type]


def test_failed_write_keeps_previous_report(lab: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report = evaluate(ITEMS, METRICS)
    report.save(path)
    before = path.read_bytes()

    with pytest.raises(
        ReportError, match="cannot be written, expected Unicode text, found the lone surrogate"
    ):
        evolve(report, warnings=("a\ud800",)).save(path)

    assert path.read_bytes() == before


class TestForms:
    """Data and metrics, or two sides and metrics, however they are passed."""

    @pytest.fixture
    def length(self) -> MetricSpec:
        @metric("mylab.Length", task="text")
        def length(item: Any) -> float:
            return float(len(item.response))

        return length

    @pytest.mark.parametrize("given", [(), (["a"], ["b"], "text", 3)])
    def test_invalid_call_suggests_syntax(self, given: Any) -> None:
        with pytest.raises(ConfigError, match="evaluate: expected metrics, got none"):
            evaluate(["a"], *given)

    def test_misspelled_task_is_rejected(self, length: MetricSpec) -> None:
        # the first line lists the tasks of whatever is installed
        with pytest.raises(ConfigError, match=r"got 'txt'\nDid you mean 'text'\?$"):
            evaluate([Text("q1", response="a")], [length], "txt")


class Reversed:
    """Engine that counts the last partition first."""

    def map(self, work: PartitionTask, partitions: Any) -> Iterator[EvaluationState]:
        with opened(work.resources) as resources:
            yield from (work(one, resources) for one in reversed(partitions))


def test_engine_may_be_an_object(lab: Path) -> None:
    halves = [TextBatch.of(ITEMS[:4]), TextBatch.of(ITEMS[4:])]

    assert evaluate(halves, METRICS, engine=Reversed()) == evaluate(halves, METRICS)
    with pytest.raises(ConfigError, match=r"null, got <class '.*Reversed'>"):
        evaluate(halves, METRICS, engine=Reversed)  # type: ignore[type-abstract]


def test_pool_of_threads_is_no_engine(lab: Path) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ConfigError, match=r"got <.*PoolExecutor"):
        evaluate(ITEMS, METRICS, engine=pool)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("requirement", "is_met"),
    [(">=0.1,<0.2", True), ("[cli]>=0.9", False), (" (<0.1)", False), (">=9; extra == 'x'", True)],
)
def test_plugin_that_requires_newer_core_is_a_warning(
    lab: Path, requirement: str, is_met: bool
) -> None:
    (metadata,) = lab.glob("*.dist-info/METADATA")
    metadata.write_text(f"{metadata.read_text()}Requires-Dist: valor-core{requirement}\n")

    warnings = evaluate(ITEMS, METRICS).warnings

    found = [f"valor-lab 1.0: needs valor-core{requirement.strip('[cli] ()')}, installed is"]
    assert [one[: len(found[0])] for one in warnings] == ([] if is_met else found)


@pytest.mark.parametrize("requirement", [">=new", " @ file:///my wheels/core.whl"])
def test_plugin_with_an_invalid_requirement_is_evaluated(lab: Path, requirement: str) -> None:
    (metadata,) = lab.glob("*.dist-info/METADATA")
    metadata.write_text(f"{metadata.read_text()}Requires-Dist: valor-core{requirement}\n")

    assert evaluate(ITEMS, METRICS).warnings == ()


def test_core_without_metadata_meets_every_requirement(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (metadata,) = lab.glob("*.dist-info/METADATA")
    metadata.write_text(f"{metadata.read_text()}Requires-Dist: valor-core>=0.1\n")
    found = packages.installed()
    others = [one for one in found.distributions if one.key != "valor_core"]
    without = packages.Installed(tuple(others), ())
    monkeypatch.setattr(packages, "installed", lambda: without)

    assert evaluate(ITEMS, METRICS).warnings == ()


def test_broken_plugin_that_requires_newer_core_suggests_upgrade(install: Install) -> None:
    trouble = {"metrics.py": "from valor_core.states import Sketch", "__init__.py": ""}
    for namespace, manifest in (("newlab", "1 / 0"), ("newerlab", MANIFEST)):
        site = install(namespace, namespace, {**trouble, "plugin.py": manifest})
        (metadata,) = site.glob("*.dist-info/METADATA")
        metadata.write_text(f"{metadata.read_text()}Requires-Dist: valor-core>=0.9\n")

        with pytest.raises(BrokenPluginError) as caught:
            evaluate(ITEMS, [f"{namespace}.Sketched"])

        assert f"{namespace} 1.0: needs valor-core>=0.9, installed is " in str(caught.value.remedy)
        assert "\nUpgrade it with: " in str(caught.value.remedy)


MANIFEST = """
from valor_core.specs import MetricSpec, Range, hookimpl

@hookimpl
def valor_metrics():
    return [MetricSpec(name="newerlab.Sketched", task="text", summary="S", range=Range(0, 1),
        higher_is_better=True, implementation="newerlab.metrics:Sketched")]
"""


def test_engine_object_without_methods_shows_both_forms() -> None:
    with pytest.raises(ConfigError, match=r"engine=\{'name': 'local', 'workers': 4\}, or pass an"):
        evaluate([0, 1], [0, 1], ["Accuracy"], task="classification", engine=object())


def test_config_as_one_argument_suggests_to_unpack_it() -> None:
    with pytest.raises(ConfigError, match=r"evaluate\(\*\*config\)"):
        evaluate({"metrics": ["Accuracy"], "data": {"reader": "wide", "path": "a.csv"}})
