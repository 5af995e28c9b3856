from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from valor_cli.program.program import program

from valor_core.results import Report

EXAMPLE = Path(__file__).parents[3] / "examples" / "rgb"
WRITTEN = ("en.json", "en_int.json", "en_fact.json", "responses.jsonl")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = Path(shutil.copytree(EXAMPLE, tmp_path / "rgb"))
    monkeypatch.chdir(copied)
    return copied


def test_the_example_shows_a_table_and_a_curve_of_accuracy_by_noise(folder: Path) -> None:
    said = CliRunner().invoke(program, ["run", "config.yaml", "-o", "a.json", "-o", "a.html"])

    assert said.exit_code == 0, said.output
    assert (
        "noise ratio  accuracy     low    high  total  correct  incorrect  rejected" in said.stdout
    )
    report = Report.load(folder / "a.json")
    levels = [
        report.find("NoiseRobustness", noise_ratio=r).value for r in (0.0, 0.2, 0.4, 0.6, 0.8)
    ]
    assert levels == sorted(levels, reverse=True)
    assert levels[0] == 1.0 > levels[-1]
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert 'aria-label="NoiseRobustness: accuracy by noise ratio, 5 points"' in page


def test_its_files_are_what_its_scripts_write(folder: Path) -> None:
    for name in WRITTEN:
        (folder / name).unlink()

    runpy.run_path(str(folder / "write.py"), run_name="__main__")
    CliRunner().invoke(program, ["rgb", "prompts", "config.yaml", "-o", "prompts.jsonl"])
    runpy.run_path(str(folder / "answer.py"), run_name="__main__")

    for name in WRITTEN:
        assert (folder / name).read_bytes() == (EXAMPLE / name).read_bytes()


def test_every_prompt_has_a_response(folder: Path) -> None:
    said = CliRunner().invoke(program, ["rgb", "prompts", "config.yaml"])

    asked = {json.loads(line)["uid"] for line in said.stdout.splitlines()}
    answered = (folder / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    assert asked == {json.loads(line)["uid"] for line in answered}
