from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from valor_cli.program.program import program

from valor_core.results import Report

EXAMPLE = Path(__file__).parents[3] / "examples" / "segmentation"


def test_the_example_runs_and_shows_its_worst_tiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("gallery"))
    monkeypatch.chdir(folder)

    outcome = CliRunner().invoke(program, ["run", "config.yaml", "-o", "report.json"])

    assert outcome.exit_code == 0, outcome.output
    report = Report.load(folder / "report.json")
    assert report.find("BoundaryIOU", label="flower").value > 0.5
    assert "<img" in (folder / "gallery" / "index.html").read_text(encoding="utf-8")
    assert len(list((folder / "gallery").glob("*-china_*.png"))) == 6
