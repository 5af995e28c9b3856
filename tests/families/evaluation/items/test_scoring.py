"""Metrics that wait for a slow judge in a separate process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judges import Judge

import valor_core
from valor_core import NotRun, evaluate
from valor_core.resources.journal import journal_path
from valor_core.schemas.text import Text

ITEMS = [Text(f"q{i:02}", response=f"answer {i}", metadata={"noise": i % 2}) for i in range(24)]


def graded(
    judge: Judge, metrics: Any = "courtroom.Grade", data: Any = ITEMS, **options: Any
) -> Any:
    section = judge.section(**options.pop("section", {}))
    return evaluate(data, metrics, resources={"judge": section}, items=True, **options)


async def _peak(port: int) -> int:
    """Maximum number of concurrent requests to the judge."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b'{"text": ""}\n')
    answer = json.loads(await reader.readline())
    writer.close()
    return int(answer["peak"])


class TestResuming:
    @pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are a matter of POSIX")
    @pytest.mark.usefixtures("interruptible")
    @pytest.mark.parametrize(
        ("engine", "how"),
        [
            ("serial", signal.SIGINT),
            ("serial", signal.SIGKILL),
            ("processes", signal.SIGTERM),
            ("processes", signal.SIGKILL),
            pytest.param("serial", signal.SIGTERM, marks=pytest.mark.nightly),
            pytest.param("serial", signal.SIGHUP, marks=pytest.mark.nightly),
            pytest.param("processes", signal.SIGINT, marks=pytest.mark.nightly),
            pytest.param("processes", signal.SIGHUP, marks=pytest.mark.nightly),
        ],
    )
    def test_killed_run_scores_no_finished_item_again(
        self, judge: Judge, courtroom: Path, tmp_path: Path, engine: str, how: signal.Signals
    ) -> None:
        items = "".join(
            json.dumps({"uid": item.uid, "response": item.response}) + "\n" for item in ITEMS
        )
        (tmp_path / "items.jsonl").write_text(items)
        config = {
            "task": "text",
            "data": {"reader": "jsonl", "path": "items.jsonl", "partition_bytes": 300},
            "metrics": ["courtroom.Grade"],
            "judge": judge.section(width=2),
            "engine": {"mode": engine, "workers": 2},
            "items": True,
            "state": "state.npz",
            "output": "report.json",
        }
        (tmp_path / "config.json").write_text(json.dumps(config))
        start = f"import sys; sys.path.insert(0, {str(courtroom)!r})\n"
        command = [sys.executable, "-c", f"{start}from valor_cli import main; main()"]
        command += ["run", "config.json"]

        program = subprocess.Popen(
            command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        journal = journal_path(tmp_path / "state.npz")
        _wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 5, program)
        os.killpg(program.pid, how)
        _, errors = program.communicate(timeout=60)
        finished = {json.loads(line)["uid"] for line in journal.read_text().splitlines() if line}
        before = judge.asked

        if how != signal.SIGKILL:
            report = valor_core.Report.load(tmp_path / "report.json")
            assert program.returncode == 130
            assert "valor: run: stopped after" in errors
            assert report.interrupted
            scored = {row.uid for row in report.items[0].rows if not isinstance(row.value, NotRun)}
            assert scored == finished
        again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

        assert again.returncode == 0, again.stderr
        repeated = {text.split()[0] for text, count in judge.asked.items() if count > 1}
        assert not repeated & finished
        assert 0 < sum(before.values()) < 48
        whole = valor_core.Report.load(tmp_path / "report.json")
        # Two calls for each item, and those that were under way at the signal.
        asked = sum(judge.asked.values())
        assert 2 * len(ITEMS) <= whole.facts["judge"]["calls"] <= asked + 4
        assert whole.results == graded(judge).results
        assert [row.value for row in whole.items[0].rows] == [
            row.value for row in graded(judge).items[0].rows
        ]


def _wait_for(condition: Callable[[], bool], program: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert program.poll() is None, program.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)
