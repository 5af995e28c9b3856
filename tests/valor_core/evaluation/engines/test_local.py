from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from valor_core import Evaluator, Report, evaluate, metric
from valor_core.errors import EngineError, PartitionError, ReadError
from valor_core.evaluation.engines import PartitionTask, local
from valor_core.evaluation.engines import pools as flow
from valor_core.evaluation.engines.local import LocalEngine, LocalParameters
from valor_core.readers.reader import Position
from valor_core.schemas.text.batch import Text, TextBatch

PLUGINS = Path(__file__).parents[3] / "plugins"
MODES = ["serial", "threads", "processes"]
METRICS: list[Any] = ["lab.LongShare", {"name": "lab.LongShares", "thresholds": [1, 5]}]
PARTS = [[{"uid": f"q{4 * i + n}", "response": "x" * (i + n)} for n in range(4)] for i in range(5)]


@pytest.fixture
def site(install: Callable[..., Path]) -> Path:
    return install("valor-lab", "lab", PLUGINS / "lab")


@pytest.fixture
def data(site: Path, tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "parts.json").write_text(json.dumps(PARTS))
    return {"reader": "lab.Parts", "path": str(tmp_path / "parts.json")}


def evaluated(data: Any, mode: str, metrics: Any = METRICS, **options: Any) -> Report:
    return evaluate(data, metrics, engine={"mode": mode, "workers": 2}, **options)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_gives_the_same_report(data: dict[str, Any], mode: str) -> None:
    items = [Text(**record) for part in PARTS for record in part]

    report = evaluated(data, mode)

    assert report == evaluate(items, METRICS)


@pytest.mark.parametrize("mode", MODES)
def test_error_in_worker_names_partition(data: dict[str, Any], mode: str) -> None:
    with pytest.raises(
        PartitionError, match=r"part 3: reader\.py, line \d+: RuntimeError: disk on fire"
    ) as caught:
        evaluated(data | {"trouble": "raise", "at": 3}, mode)

    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("mode", MODES)
def test_data_error_in_worker_keeps_class_and_remedy(data: dict[str, Any], mode: str) -> None:
    with pytest.raises(ReadError, match="part 3: item 'q1': expected a response"):
        evaluated(data | {"trouble": "schema", "at": 3}, mode)


def test_crash_of_worker_raises_error(data: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        evaluated(data | {"trouble": "exit", "at": 3}, "processes")

    first, remedy = str(caught.value).split("\n")
    assert first.startswith(
        "engine: a worker process crashed, it may have run out of memory; running partitions: "
    )
    assert "part 3" in first
    assert remedy == (
        "Use fewer workers or smaller partitions; in a script, call it under "
        '`if __name__ == "__main__":`.'
    )


def test_script_without_main_guard_gets_hint(data: dict[str, Any], tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from valor_core import evaluate\n"
        f"evaluate({data!r}, {METRICS!r}, engine={{'mode': 'processes', 'workers': 2}})\n"
    )
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=os.environ | paths
    )

    assert ended.returncode == 1
    assert "engine: a worker process runs the script that started it again\n" in ended.stderr
    assert ended.stderr.rstrip().endswith('call it under `if __name__ == "__main__":`.')


def test_unpicklable_state_raises_error_with_partition(
    data: dict[str, Any],
) -> None:
    with pytest.raises(PartitionError, match=r"^part \d: .*(pickle|lambda)"):
        evaluated(data, "processes", ["lab.Stuck"])


def test_resource_error_in_worker_has_cause(
    install: Callable[..., Path], data: dict[str, Any]
) -> None:
    sources = {
        "__init__.py": "",
        "plugin.py": "from valor_core.scoring import ItemMetricSpec\n"
        "from valor_core.specs import MetricSpec, Range, ResourceSpec, hookimpl\n"
        "@hookimpl\ndef valor_metrics():\n    return [ItemMetricSpec(name='needy.Half',"
        " task='text', summary='', implementation='needy.code:score', higher_is_better=None,"
        " range=Range(),"
        " resources=('Judge',))]\n"
        "@hookimpl\ndef valor_resources():\n    return [ResourceSpec(name='needy.Judge',"
        " summary='', implementation='needy.code:open_judge')]\n",
        "code.py": "def score(item, parameters, resources): return 0.5\n"
        "def open_judge(parameters): raise RuntimeError('nobody there')\n",
    }
    install("needylab", "needy", sources)

    with pytest.raises(
        Exception, match=r"^needy\.Judge: cannot be opened, code\.py, line 2: RuntimeError: nobody"
    ):
        evaluated(data, "processes", ["needy.Half"])


def test_metric_from_main_is_rejected_in_processes(site: Path, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "from valor_core import evaluate, metric\n"
        "from valor_core.errors import EngineError\n"
        "from valor_core.schemas.text.batch import Text, TextBatch\n"
        "@metric('mylab.Half', task='text')\n"
        "def half(item): return 0.5\n"
        "data = [TextBatch.of([Text(name)]) for name in 'ab']\n"
        "if __name__ == '__main__':\n"
        "    for mode in ('threads', 'serial', 'processes'):\n"
        "        try:\n"
        "            engine = {'mode': mode, 'workers': 2}\n"
        "            print(evaluate(data, [half], engine=engine)['Half'].value)\n"
        "        except EngineError as error:\n"
        "            print(error)\n"
    )

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.splitlines() == [
        "0.5",
        "0.5",
        "mylab.Half: metrics defined in __main__ cannot run in other processes",
        "Move it to a module, or use engine: {mode: threads}.",
    ]


@pytest.mark.parametrize("mode", ["processes", "auto"])
def test_unpicklable_metric_is_rejected_before_the_run(mode: str) -> None:
    @metric("mylab.Half", task="text")
    def half(item: Any) -> float:
        return 0.5

    batches = [TextBatch.of([Text(name)]) for name in "ab"]

    with pytest.raises(
        EngineError,
        match="evaluation cannot be sent to other processes, PicklingError:",
    ):
        evaluated(batches, mode, [half])


def test_decorated_metric_of_module_runs_in_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "metrics_of_mine.py").write_text(
        "from valor_core import metric\n"
        "@metric('mylab.Scaled', task='text')\n"
        "def scaled(item, *, by: float = 1) -> float:\n"
        "    return len(item.response) * by / 100\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import metrics_of_mine  # type: ignore[import-not-found]

    chosen = [{"name": metrics_of_mine.scaled, "by": 2}]
    batches = [TextBatch.of([Text(name, response=name * 5)]) for name in "ab"]

    assert evaluated(batches, "processes", chosen) == evaluated(batches, "serial", chosen)
    del sys.modules["metrics_of_mine"]


@frozen
class Counting:
    """A reader that notes how many partitions are begun and how many states were consumed."""

    count: int
    begun: list[int] = field(factory=list)

    def partitions(self) -> Sequence[Position]:
        return tuple(map(Position, range(self.count)))

    def read(self, partition: Position) -> Iterator[TextBatch]:
        self.begun.append(partition.number)
        yield TextBatch.of([Text(partition.number, response="x")])


@pytest.mark.parametrize(("mode", "workers"), [("serial", 1), ("threads", 1), ("threads", 3)])
def test_threads_get_at_most_one_partition_more_than_workers(
    site: Path, mode: Any, workers: int
) -> None:
    evaluator, reader = Evaluator(METRICS), Counting(20)
    work = PartitionTask(evaluator.evaluation, reader)
    engine = LocalEngine(LocalParameters(mode=mode, workers=workers))

    taken = 0
    for _ in engine.map(work, reader.partitions()):
        taken += 1
        assert len(reader.begun) <= taken + workers + 1

    assert taken == 20


def test_processes_get_at_most_one_partition_more_than_workers(
    data: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "log").mkdir()
    parts = [[{"uid": f"q{i}", "response": "x"}] for i in range(12)]
    (tmp_path / "parts.json").write_text(json.dumps(parts))

    def bounded(finished: int, count: int, read: int) -> None:
        assert len(list((tmp_path / "log").iterdir())) <= finished + 3

    evaluated(data | {"log": str(tmp_path / "log")}, "processes", progress=bounded)


@pytest.mark.parametrize(
    ("mode", "workers", "partitions", "chosen"),
    [
        ("auto", 1, 5, "serial"),
        ("auto", 2, 1, "serial"),
        ("auto", 2, 5, "serial"),
        ("auto", None, 1, "serial"),
        ("processes", 1, 5, "serial"),
        ("processes", 2, 1, "serial"),
        ("processes", 2, 5, "processes"),
    ],
)
def test_processes_are_used_for_several_partitions(
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: Any,
    workers: int | None,
    partitions: int,
    chosen: str,
) -> None:
    def in_processes(work: Any, partitions: Any, workers: int) -> Iterator[str]:
        yield "processes"

    monkeypatch.setattr(flow, "count_in_processes", in_processes)
    evaluator, reader = Evaluator(METRICS), Counting(partitions)
    engine = LocalEngine(LocalParameters(mode=mode, workers=workers))

    first: Any = next(engine.map(PartitionTask(evaluator.evaluation, reader), reader.partitions()))

    assert (first if isinstance(first, str) else "serial") == chosen


def test_short_rest_starts_no_processes(
    data: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_WORTH_PROCESSES", 1e9)
    monkeypatch.delattr(flow, "count_in_processes")

    assert evaluated(data, "auto") == evaluated(data, "serial")


def test_processes_count_the_rest_if_faster(
    data: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[list[str]] = []

    def noted(work: PartitionTask, partitions: Any, workers: int) -> Iterator[Any]:
        rests.append([partition.name for partition in partitions])
        return in_processes(work, partitions, workers)

    in_processes = flow.count_in_processes
    monkeypatch.setattr(flow, "count_in_processes", noted)
    monkeypatch.setattr(local._Pace, "needs_processes", lambda self, counted: counted == 2)

    assert evaluated(data, "auto") == evaluated(data, "serial")
    assert rests == [["part 2", "part 3", "part 4"]]


def test_processes_are_limited_on_windows(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def executor(workers: int, **options: Any) -> None:
        asked.append(workers)
        raise RuntimeError("far enough")

    monkeypatch.setattr(flow, "ProcessPoolExecutor", executor)
    monkeypatch.setattr(sys, "platform", "win32")
    work = PartitionTask(Evaluator(METRICS).evaluation, Counting(100))

    with pytest.raises(RuntimeError, match="far enough"):
        next(flow.count_in_processes(work, work.reader.partitions(), 100))

    assert asked == [61]


@pytest.mark.parametrize("mode", MODES)
def test_no_partitions_give_empty_report(site: Path, mode: str) -> None:
    report = evaluated(Counting(0), mode)

    assert report.warnings == ("no datums were counted",)
