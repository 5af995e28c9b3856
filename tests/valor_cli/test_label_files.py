"""Tests of label files in readers and in recorded configs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from valor_cli.program.program import program

from valor_core import evaluate
from valor_core.errors import ReadError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> int:
    return CliRunner().invoke(program, arguments, prog_name="valor").exit_code


def masks(folder: str) -> None:
    for side in ("gt", "pr"):
        Path(folder, side).mkdir(parents=True)
        np.save(f"{folder}/{side}/a.npy", np.array([[0, 1], [2, 0]], np.uint8))


def test_label_file_is_relative_to_config_and_to_report() -> None:
    masks("set")
    Path("set/class_names.txt").write_text("organ\ntumor\n")
    data = {"reader": "npy", "groundtruths": "gt", "predictions": "pr"}
    config = {"task": "segmentation", "data": data | {"labels": "class_names.txt"}}
    config |= {"metrics": ["IOU"], "output": "../out/report.json"}
    Path("set/config.json").write_text(json.dumps(config))
    Path("out").mkdir()
    assert run("run", "set/config.json", "-q") == 0
    report = json.loads(Path("out/report.json").read_text())
    assert {one["parameters"]["label"] for one in report["results"]} == {"organ", "tumor"}
    assert report["config"]["data"]["labels"] == "../set/class_names.txt"
    assert run("rerun", "out/report.json") == 0


def test_listed_labels_are_recorded_unchanged() -> None:
    masks("set")
    data = {
        "reader": "npy",
        "groundtruths": "gt",
        "predictions": "pr",
        "labels": ["organ", "x.txt"],
    }
    config = {"task": "segmentation", "data": data, "metrics": ["IOU"], "output": "../report.json"}
    Path("set/config.json").write_text(json.dumps(config))
    assert run("run", "set/config.json", "-q") == 0
    report = json.loads(Path("report.json").read_text())
    assert report["config"]["data"]["labels"] == ["organ", "x.txt"]


def test_label_file_names_score_columns() -> None:
    Path("scores.csv").write_text("uid,label,score_1,score_2\na,cat,0.9,0.1\nb,dog,0.2,0.8\n")
    Path("names.txt").write_text("cat\ndog\n")
    data = {"reader": "wide", "path": "scores.csv", "labels": "names.txt"}
    assert evaluate(data, ["Accuracy"], "classification")["Accuracy"].value == 1.0


def test_labelme_label_file_is_rejected() -> None:
    masks(".")
    Path("labels.txt").write_text("__ignore__\n_background_\norgan\n")
    data = {"reader": "npy", "groundtruths": "gt", "predictions": "pr", "labels": "labels.txt"}
    with pytest.raises(ReadError, match="expected the label of the value 1 first"):
        evaluate(data, ["IOU"], "segmentation")
    Path("labels.txt").write_text("_background_\norgan\n")
    with pytest.raises(ReadError, match="expected the label of the value 1 first"):
        evaluate(data, ["IOU"], "segmentation")
