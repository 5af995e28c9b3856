"""Rows of items from the command line, a config, a file and Python are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from valor_cli.program.program import program
from valor_report import load_report

from valor_core import Report, evaluate

ROOT = Path(__file__).parents[4]
EXAMPLES = {
    "digits": ("classification", ["Accuracy", "F1", "LogLoss", "BrierScore"]),
    "detection": ("detection", ["F1", "mAP", "Counts"]),
    "segmentation": ("segmentation", ["mIOU", "Accuracy"]),
    "text": ("text", ["ROUGE", "TokenF1", "CorpusBLEU", "text.MeanWER"]),
    "llm": ("text", ["llm.Faithfulness"]),
    "rgb": ("rgb", ["NoiseRobustness", "NegativeRejection"]),
}


def records(report: Report) -> list[Any]:
    return json.loads(json.dumps([table.to_dict() for table in report.items]))


@pytest.mark.parametrize("name", EXAMPLES)
def test_rows_are_the_same_everywhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task, metrics = EXAMPLES[name]
    config = ROOT / "examples" / name / "config.yaml"
    chosen = ["-m", ",".join(metrics), "--set", "gallery=null", "--set", "require={}", "-q"]

    def run(*options: str) -> Report:
        result = CliRunner().invoke(
            program, ["run", str(config), *chosen, *options, "-o", "r.json"]
        )
        assert result.exit_code == 0, result.output
        return load_report("r.json")

    option, key = run("--items"), run("--set", "items=true")
    file = run("--items", "rows.jsonl")
    section = json.loads(Path("r.json").read_text())["config"]
    python = evaluate(
        section["data"],
        metrics,
        task,
        slices=section.get("slices") or (),
        resources=section.get("resources") or {k: section[k] for k in ("judge",) if k in section},
        items=True,
    )

    assert len(option.items) == (1 if name == "rgb" else len(metrics))  # both read rgb.Verdicts
    assert not [one for one in option.warnings if one.startswith("items:")]
    assert records(option) == records(key) == records(file) == records(python)
    for table in option.items:
        assert all(row.details.keys() >= {"truth", "prediction"} for row in table)
