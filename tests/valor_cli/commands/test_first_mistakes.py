"""Mistakes of the first hour: each answer has a remedy that works when typed."""

from __future__ import annotations

import shlex

import pytest
from valor_cli import run as running

from valor_core.errors import MissingPluginError
from valor_core.specs import Registry


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("uid,label,prediction,site\na,cat,cat,n\nb,dog,cat,s\n")
    row = '{"query": "q", "response": "a", "contexts": ["a"]}\n'
    (tmp_path / "qa.jsonl").write_text(row)
    return tmp_path


@pytest.mark.parametrize(
    ("metric", "meant"), [("Dice", "F1"), ("jaccard", "IOU"), ("mIoU", "mIOU")]
)
def test_metric_of_segmentation_on_labels_names_both_tasks(folder, valor, metric, meant):
    result = valor("run", "preds.csv", "-m", metric)

    assert result.exit_code == 2
    assert result.stderr == (
        f"valor: preds.csv: metric {metric!r} is segmentation.{meant}, for data of the task "
        "segmentation, found data of classification\n"
        "Choose metrics of classification: --metrics Accuracy,Precision,Recall,F1\n"
    )
    assert valor("run", "preds.csv", "--metrics", "Accuracy,Precision,Recall,F1").exit_code == 0


def test_area_under_the_curve_of_precision_and_recall_is_average_precision(folder, valor):
    (folder / "scored.csv").write_text("uid,label,score_0,score_1\na,1,0.2,0.8\nb,0,0.7,0.3\n")

    for name in ("pr_auc", "PR-AUC", "auprc"):
        result = valor("run", "scored.csv", "-m", name)
        assert f"{name} (AveragePrecision)" in result.stdout


def test_metrics_as_a_table_are_written_as_a_list(folder, valor):
    head = "task: classification\ndata: {reader: predicted, path: preds.csv}\n"
    (folder / "run.yaml").write_text(f"{head}metrics: {{Accuracy: , F1: {{average: macro}}}}\n")

    result = valor("run", "run.yaml")

    remedy = result.stderr.splitlines()[1]
    assert remedy == "Write it as: metrics: [Accuracy, {name: F1, average: macro}]"
    (folder / "run.yaml").write_text(head + remedy.removeprefix("Write it as: "))
    assert valor("run", "run.yaml").exit_code == 0


def test_setting_in_yaml_is_written_in_json(folder, valor):
    arguments = ("run", "preds.csv", "-m", "Accuracy", "--set")

    result = valor(*arguments, "slices=[site]")

    assert result.exit_code == 2
    remedy = result.stderr.splitlines()[1].removeprefix("Put strings in double quotes: ")
    assert remedy == "--set 'slices=[\"site\"]'"
    assert valor(*arguments, shlex.split(remedy)[1]).exit_code == 0


def test_missing_judge_shows_the_section(folder, valor):
    result = valor("run", "qa.jsonl", "-m", "llm.Faithfulness")

    assert result.exit_code == 2
    assert result.stderr.splitlines()[1:] == [
        "Write it as: judge: {client: {name: anthropic, base_url: BASE_URL, model: MODEL}}",
        "Other names are: lexical, ollama, openai, recorded.",
    ]


@pytest.mark.parametrize(
    ("gallery", "wanted"), [({}, "detection"), ({"gallery": {"folder": "g"}}, "detection[plot]")]
)
def test_missing_plugin_is_installed_with_the_extras_of_the_config(monkeypatch, gallery, wanted):
    class WithoutDetection(Registry):
        @property
        def namespaces(self):
            return [name for name in super().namespaces if name != "detection"]

    values = {
        "task": "detection",
        "data": {"reader": "detection.coco", "groundtruths": "a", "predictions": "b"},
        "metrics": ["AP"],
        **gallery,
    }
    monkeypatch.setattr(running, "registry_of", lambda chosen, request: WithoutDetection())

    with pytest.raises(MissingPluginError) as caught:
        running.run_config(running.Request(values, running.Path(), "c.yaml: "))

    (command,) = str(caught.value).splitlines()[1:]
    assert shlex.split(command)[-1].endswith(f"plugins/{wanted}")
    assert "valor-detection" not in command
