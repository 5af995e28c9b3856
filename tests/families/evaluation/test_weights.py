"""Weights of items in all families: engines, intervals, configs, and metrics without weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from messages import refused
from valor_cli.program.program import program

from valor_core import Classification, Text, evaluate
from valor_core.errors import ConfigError
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

RANDOM = np.random.default_rng(7)
SCORES = RANDOM.random(60).round(2).tolist()
ITEMS = [
    Classification(
        f"q{i}",
        "cat" if i % 3 else "dog",
        {"cat": score, "dog": 1 - score},
        {"w": (i % 7) / 3, "site": i % 2},
    )
    for i, score in enumerate(SCORES)
]
METRICS = ["Accuracy", {"name": "F1", "average": "macro"}, "ROCAUC", "LogLoss"]


def test_workers_count_weights_to_the_same_bits(tmp_path: Path) -> None:
    rows = [
        {"uid": one.uid, "label": one.groundtruths[0].value, "w": one.metadata["w"]}
        | {f"score_{label.value}": score for label, score in one.predictions}
        for one in ITEMS
    ]
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    data = {"reader": "wide", "path": str(path), "prefix": "score_", "partition_bytes": 400}
    expected = evaluate(ITEMS, METRICS, weights="w")

    for engine in ({"name": "local", "workers": 2}, None):
        found = evaluate(data, METRICS, weights="w", engine=engine)
        assert found.results == expected.results


def test_intervals_are_of_weighted_numbers() -> None:
    plain = evaluate(ITEMS, METRICS, weights="w")
    report = evaluate(ITEMS, METRICS, weights="w", confidence=0.95)
    others = evaluate(ITEMS, METRICS, confidence=0.95)

    ends = (".low", ".high")
    flat = {key: number for key, number in report.flat().items() if not key.endswith(ends)}
    assert flat == plain.flat()
    low, high = report["Accuracy"].only.details["confidence"]["interval"]
    assert low < report["Accuracy"].value < high
    assert [low, high] != others["Accuracy"].only.details["confidence"]["interval"]


def test_metrics_of_images_have_no_weights() -> None:
    box = Box(0, 0, 10, 10)
    images = [Detection("im", [TrueObject("a", box)], [PredictedObject({"a": 0.5}, box)], {"w": 1})]

    with refused(ConfigError):
        evaluate(images, ["mAP", "F1"], weights="w")


@pytest.mark.parametrize("name", ["text.CorpusBLEU", "rgb.NegativeRejection", "segmentation.IOU"])
def test_metric_without_weights_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match=f"count weights of items, got {name}") as caught:
        evaluate([], [name], weights="w")

    assert caught.value.remedy == "Evaluate them without weights in another report."


def test_scores_of_texts_are_weighted() -> None:
    texts = [
        Text("a", response="the cat", references="the cat", metadata={"w": 3}),
        Text("b", response="a dog", references="the cat", metadata={"w": 1}),
    ]

    found = evaluate(texts, ["text.ExactMatch", "text.ROUGE"], weights="w")

    assert found["ExactMatch"].value == 3 / 4
    assert found["ROUGE"].value["rouge1"] == 3 / 4


def test_weights_of_config_and_command_line(tmp_path: Path) -> None:
    rows = ["label,prediction,w", "cat,cat,2", "cat,dog,0.5", "dog,dog,1.5"]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    config: dict[str, Any] = {
        "task": "classification",
        "data": {"reader": "predicted", "path": str(tmp_path / "p.csv")},
        "metrics": ["Accuracy"],
        "weights": "w",
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    arguments = [
        [str(tmp_path / "config.json")],
        [str(tmp_path / "p.csv"), "-m", "Accuracy", "--weights", "w"],
    ]

    for number, given in enumerate(arguments):
        output = tmp_path / f"{number}.json"
        result = CliRunner().invoke(program, ["run", *given, "-q", "-o", str(output)])
        assert result.exit_code == 0, result.output
        report = json.loads(output.read_text())
        assert report["results"][0]["value"] == 3.5 / 4
        assert report["config"]["weights"] == "w"
