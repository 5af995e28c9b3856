"""Tests of asynchronous metrics on a cluster: budgets, progress and interrupted runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from cluster_readers import Deadly

from valor_core import NotRun, Report, evaluate
from valor_core.resources.journal import journal_path
from valor_core.schemas.text import Text, TextBatch

ITEMS = [Text(f"q{i:02}", response=f"answer {i}") for i in range(24)]
posix = pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are a matter of POSIX")


def graded(judge: Any, data: Any = ITEMS, section: Any = None, **options: Any) -> Report:
    resources = {"judge": judge.section(**(section or {}))}
    return evaluate(data, "courtroom.Grade", "text", resources=resources, items=True, **options)


def parts(size: int) -> list[TextBatch]:
    return [TextBatch.of(ITEMS[i : i + size]) for i in range(0, len(ITEMS), size)]


def test_budget_is_divided_among_workers(judge: Any) -> None:
    report = graded(
        judge, parts(3), {"budget": 21, "width": 2}, engine={"name": "dask", "workers": 2}
    )

    assert report.facts["judge"]["calls"] == sum(judge.asked.values()) <= 21
    assert report.counts["not_run"] >= 24 - 21 // 2
    assert report.stopped in {"budget of 11 calls is spent", "budget of 10 calls is spent"}


def test_replacement_worker_gets_no_budget(judge: Any, tmp_path: Path) -> None:
    reader = Deadly(tuple(parts(2)), tmp_path, once=(1,))
    opened = tmp_path / "opened"

    def run(budget: int, folder: Path) -> Report:
        section = {"budget": budget, "width": 2, "opened": str(folder / "opened")}
        options = {"engine": {"name": "dask", "workers": 1}, "state": tmp_path / "state.npz"}
        return graded(judge, reader, section, **options)

    report = run(5, tmp_path)

    assert opened.read_text().count("open") == 2
    assert sum(judge.asked.values()) == 4
    assert report.counts["not_run"] >= 22
    assert report.stopped == "budget of 0 calls is spent"
    # Replies paid for by the dead worker are in the journal.
    assert run(100, tmp_path).ok
    assert set(judge.asked.values()) == {1}


def test_judged_report_equals_serial_report(
    judge: Any, site: Path, cluster: Any, tmp_path: Path
) -> None:
    cluster.start_workers(2, first=str(site))
    told: list[tuple[int, int, int]] = []
    engine = {"name": "dask", "scheduler": cluster.scheduler}

    report = graded(
        judge, section={"width": 1}, engine=engine, progress=lambda *how_far: told.append(how_far)
    )

    here = graded(judge)
    assert report.results == here.results
    assert [row.value for row in report.items[0].rows] == [row.value for row in here.items[0].rows]
    # With one partition, progress before the last item can only come from the cluster's events.
    counts = [items for _, _, items in told]
    assert counts == sorted(counts)
    assert len(set(counts)) > 2
    assert told[-1] == (1, 1, 24)


def wait_for(condition: Callable[[], bool], why: Callable[[], object] = str) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, why()
        time.sleep(0.01)


def configured(judge: Any, site: Path, folder: Path, engine: dict[str, Any]) -> list[str]:
    """Return the command of a slow run."""
    lines = (json.dumps({"uid": item.uid, "response": item.response}) for item in ITEMS)
    (folder / "items.jsonl").write_text("".join(f"{line}\n" for line in lines))
    config = {
        "task": "text",
        "data": {"reader": "jsonl", "path": str(folder / "items.jsonl"), "partition_bytes": 200},
        "metrics": ["courtroom.Grade"],
        "judge": judge.section(width=1),
        "engine": engine,
        "items": True,
        "state": str(folder / "state.npz"),
        "output": "report.json",
    }
    (folder / "config.json").write_text(json.dumps(config))
    start = f"import sys; sys.path.insert(0, {str(site)!r})\n"
    command = [sys.executable, "-c", f"{start}from valor_cli import main; main()"]
    return [*command, "run", "config.json"]


def group(number: int) -> list[str]:
    """Return the living processes of a group."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == number and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline()))
        except (ProcessLookupError, psutil.Error):
            continue
    return found


@posix
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGINT,
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.nightly),
    ],
)
def test_interrupted_run_leaves_no_process_and_resumes(
    judge: Any, site: Path, tmp_path: Path, how: signal.Signals
) -> None:
    command = configured(judge, site, tmp_path, {"name": "dask", "workers": 2})
    journal = journal_path(tmp_path / "state.npz")

    program = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 5)
    os.killpg(program.pid, how) if how != signal.SIGKILL else program.kill()
    _, errors = program.communicate(timeout=60)
    wait_for(lambda: not group(program.pid), lambda: group(program.pid))
    finished = {json.loads(line)["uid"] for line in journal.read_text().splitlines() if line}

    if how != signal.SIGKILL:
        assert program.returncode == 130, errors
        assert "Traceback" not in errors
        assert "Error" not in errors
        assert "valor: run: stopped after" in errors
        report = Report.load(tmp_path / "report.json")
        assert report.interrupted
        scored = {row.uid for row in report.items[0].rows if not isinstance(row.value, NotRun)}
        assert scored == finished
        assert len(scored) < 24
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    repeated = {text.split()[0] for text, count in judge.asked.items() if count > 1}
    assert not repeated & finished
    assert Report.load(tmp_path / "report.json").results == graded(judge).results


@posix
@pytest.mark.usefixtures("interruptible")
def test_interrupted_run_leaves_running_cluster_intact(
    judge: Any, site: Path, cluster: Any, tmp_path: Path
) -> None:
    from distributed import Client

    cluster.start_workers(2, first=str(site))
    engine = {"name": "dask", "scheduler": cluster.scheduler}
    command = configured(judge, site, tmp_path, engine)

    program = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: sum(judge.asked.values()) >= 5)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)

    assert program.returncode == 130, errors
    assert "Traceback" not in errors
    report = Report.load(tmp_path / "report.json")
    assert report.interrupted
    assert sum(not isinstance(row.value, NotRun) for row in report.items[0].rows) < 24
    assert all(process.poll() is None for process in cluster.processes)
    with Client(cluster.scheduler, set_as_default=False) as client:
        tasks, plugins = client.run_on_scheduler(_left)
    assert (tasks, plugins) == (0, 0)


def _left(dask_scheduler: Any) -> tuple[int, int]:
    own = [name for name in dask_scheduler.worker_plugins if name.startswith("valor")]
    return len(dask_scheduler.tasks), len(own)
