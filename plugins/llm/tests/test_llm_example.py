"""The example: judged by the lexical client, and by a local server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from mock_endpoint import MockEndpoint
from valor_cli.program.program import program

from valor_core.results import Report

EXAMPLE = Path(__file__).parents[3] / "examples" / "llm"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = Path(shutil.copytree(EXAMPLE, tmp_path / "llm"))
    monkeypatch.chdir(copied)
    return copied


def test_the_example_runs_without_a_model_and_says_so(folder: Path) -> None:
    said = CliRunner().invoke(program, ["run", "config.yaml", "-o", "a.json", "-o", "a.html"])

    assert said.exit_code == 0, said.output
    assert "Warning: judge: lexical rules, no language model" in said.output
    report = Report.load(folder / "a.json")
    # By hand: two responses are not supported at all, three to a half, and the other seven are or
    # claim nothing: (7 + 3 / 2) / 12.
    assert report["Faithfulness"].value == pytest.approx(8.5 / 12)
    assert report["Toxicity"].value == pytest.approx(1 / 12)  # one response insults, q09
    assert "judge: lexical rules, no language model" in (folder / "a.html").read_text("utf-8")
    page = (folder / "gallery" / "index.html").read_text(encoding="utf-8")
    assert page.index("<b>q02</b>") < page.index("<b>q03</b>")
    assert "3 is not in: A loan can be renewed 2 times" in page


def test_the_example_runs_with_a_server_and_asks_nothing_twice(
    folder: Path, endpoint: MockEndpoint
) -> None:
    command = [
        *("run", "local-server.yaml", "-o", "a.json"),
        *("--set", f"judge.client.base_url={endpoint.base_url}"),
        *("--set", "judge.client.model=mock"),
    ]

    said = CliRunner().invoke(program, command)

    assert said.exit_code == 0, said.output
    asked = endpoint.counters["requests"]
    report = json.loads((folder / "a.json").read_text("utf-8"))
    assert asked == report["facts"]["judge"]["calls"] > len(ITEMS)
    assert "no language model" not in said.output

    assert CliRunner().invoke(program, command).exit_code == 0
    assert endpoint.counters["requests"] == asked


ITEMS = (EXAMPLE / "answers.jsonl").read_text(encoding="utf-8").splitlines()
