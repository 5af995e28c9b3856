"""Files of a judged run: readable by their owner alone, and damage is detected and named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mock_endpoint import MockEndpoint
from valor_cli.program.program import program

from valor_core import Report


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    items = [
        {"uid": f"q{number}", "response": f"It rains {number}.", "contexts": [f"Rain {number}."]}
        for number in range(4)
    ]
    Path("items.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in items))
    return tmp_path


def run(endpoint: MockEndpoint, **more: Any) -> Report:
    judge = {"client": {"name": "openai", "base_url": endpoint.base_url, "model": "m"}}
    judge |= more.pop("judge", {})
    config = {
        "task": "text",
        "data": {"reader": "jsonl", "path": "items.jsonl"},
        "metrics": ["llm.Faithfulness"],
        "judge": judge,
        "output": "report.json",
        **more,
    }
    Path("config.json").write_text(json.dumps(config))
    said = CliRunner().invoke(program, ["run", "config.json", "-q"], prog_name="valor")
    assert said.exit_code == 0, said.output
    return Report.load("report.json")


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
def test_every_file_that_repeats_judged_texts_is_made_for_its_owner_alone(
    folder: Path, endpoint: MockEndpoint
) -> None:
    run(
        endpoint,
        items=True,
        state="state.npz",
        output=["report.json", "report.html", "report.csv", "report.md"],
        gallery={"name": "llm.Verdicts", "folder": "gallery"},
        judge={"record": "replies.jsonl"},
    )
    made = {
        str(path.relative_to(folder)): path.stat().st_mode & 0o777
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("items.jsonl", "config.json")
    }
    assert {"report.html", "state.npz", "state.npz.rows.jsonl", "judge-cache.sqlite"} <= {*made}
    assert {"replies.jsonl", "gallery/index.html"} <= {*made}
    assert set(made.values()) == {0o600}


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
def test_report_without_items_and_a_file_that_was_there_keep_their_usual_modes(
    folder: Path, endpoint: MockEndpoint
) -> None:
    umask = os.umask(0)
    os.umask(umask)
    run(endpoint)
    assert Path("report.json").stat().st_mode & 0o777 == 0o666 & ~umask
    Path("report.json").chmod(0o640)
    run(endpoint, items=True)
    assert Path("report.json").stat().st_mode & 0o777 == 0o640


def test_verdict_with_a_flipped_bit_in_the_cache_is_asked_for_again_and_named(
    folder: Path, endpoint: MockEndpoint
) -> None:
    before = run(endpoint)["Faithfulness"].value
    for path in (Path("judge-cache.sqlite"), Path("judge-cache.sqlite-wal")):
        if path.exists():
            data = path.read_bytes()
            path.write_bytes(data.replace(b'\\"verdict\\"', b'\\"verdibt\\"'))
    report = run(endpoint)
    assert report["Faithfulness"].value == before
    (warning,) = [one for one in report.warnings if "damaged" in one]
    assert warning.endswith("judge-cache.sqlite: 4 damaged replies were asked for again")
    assert report.facts["judge"]["calls"] == 4
    assert not [one for one in run(endpoint).warnings if "damaged" in one]


def test_row_with_another_value_in_the_journal_is_scored_again_and_named(
    folder: Path, endpoint: MockEndpoint
) -> None:
    before = run(endpoint, state="state.npz")["Faithfulness"].value
    journal = Path("state.npz.rows.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    assert b'"value": 1.0' in lines[1] or b'"value": 0.0' in lines[1]
    lines[1] = lines[1].replace(b'"value": ', b'"value": 7')
    journal.write_bytes(b"".join(lines))
    Path("state.npz").unlink()

    report = run(endpoint, state="state.npz")

    assert report["Faithfulness"].value == before
    assert [one for one in report.warnings if "journal" in one] == [
        "the journal beside the state: 1 row damaged, out of range or contradictory "
        "(first: line 2), scored again"
    ]
