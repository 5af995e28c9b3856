"""Tests of ``valor run`` with data files and metrics instead of a config."""

from __future__ import annotations

import json

import pytest
from valor_cli.config import parse
from valor_cli.config.inferred.data_files import is_config


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("id,y_true,y_pred\na,cat,dog\nb,dog,dog\n")
    (tmp_path / "odd.csv").write_text("one,two\ncat,dog\n")
    return tmp_path


def test_table_of_predictions_is_evaluated_without_config(folder, valor):
    result = valor("run", "preds.csv", "--metrics", "Accuracy,F1", "--json")

    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["results"][0]["value"] == 0.5
    assert found["config"]["data"]["reader"] == "classification.predicted"


def test_saved_config_runs_from_another_folder(folder, valor, monkeypatch):
    (folder / "below").mkdir()

    saved = valor("run", "preds.csv", "-m", "Accuracy", "-q", "--save-config", "below/run.yaml")
    monkeypatch.chdir(folder / "below")
    again = valor("run", "run.yaml", "--json")

    assert saved.stderr == "config written to below/run.yaml\n"
    assert parse("run.yaml") == {
        "task": "classification",
        "data": {
            "reader": "classification.predicted",
            "path": "../preds.csv",
            "uid": "id",
            "label": "y_true",
            "prediction": "y_pred",
        },
        "metrics": ["Accuracy"],
    }
    assert json.loads(again.stdout)["results"][0]["value"] == 0.5


def test_metrics_option_replaces_metrics_of_config(folder, valor):
    valor("run", "preds.csv", "-m", "Accuracy", "-q", "--save-config", "run.json")

    result = valor("run", "run.json", "-m", "Recall", "--set", "metrics[0]=F1", "--json")

    assert {one["type"] for one in json.loads(result.stdout)["results"]} == {"F1"}


def test_custom_columns_are_set_on_command_line(folder, valor):
    result = valor(
        *("run", "odd.csv", "-m", "Accuracy", "--reader", "predicted", "--json"),
        *("--set", "data.label=one", "--set", "data.prediction=two"),
    )

    assert json.loads(result.stdout)["results"][0]["value"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["odd.csv", "-m", "F1"],
            "valor: odd.csv: no reader recognizes these columns: 'one', 'two'\n"
            "Specify the reader and its columns: valor run odd.csv -m F1 --task classification "
            "--reader predicted --set data.label=COLUMN --set data.prediction=COLUMN\n"
            "Or answer questions: valor init odd.csv\n",
        ),
        (
            ["preds.csv"],
            "valor: run: expected the names of metrics, got none\n"
            "Select metrics: valor run preds.csv --metrics Accuracy,Precision,Recall,F1\n"
            "See the installed ones with: valor list\n",
        ),
        (["pred.csv"], "valor: pred.csv: no such file\nDid you mean 'preds.csv'?\n"),
        (
            [],
            "valor: run: expected a config, or files of data, got nothing\n"
            "Make a config with: valor init\n",
        ),
        (
            ["preds.csv", "-m", "Acuracy"],
            "valor: metric 'Acuracy': unknown in the task 'classification'\n"
            "Did you mean 'Accuracy'?\n",
        ),
    ],
)
def test_missing_settings_are_listed_with_command(folder, valor, arguments, message):
    result = valor("run", *arguments)

    assert (result.exit_code, result.stderr) == (2, message)


@pytest.mark.parametrize(
    "text",
    [
        "metrics: [shoutlab.Loudness]\ndata: {reader: shoutlab.lines, path: lines.txt}\n",
        '{"metrics": ["shoutlab.Loudness"], "data": {"reader": "shoutlab.lines", '
        '"path": "lines.txt"}}',
        '# a comment\nmetrics = ["shoutlab.Loudness"]\n[data]\nreader = "shoutlab.lines"\n'
        'path = "lines.txt"\n',
    ],
    ids=["yaml", "json", "toml"],
)
@pytest.mark.usefixtures("lab")
def test_config_is_read_from_standard_input(valor, text):
    result = valor("run", "-", "--json", input=text)

    assert json.loads(result.stdout)["results"][0]["value"] == 0.6


@pytest.mark.usefixtures("lab")
def test_errors_name_standard_input(valor):
    result = valor("run", "-", input="metrics: [\n")

    assert result.exit_code == 2
    assert result.stderr.startswith("valor: standard input, line 2, column 1: expected YAML, ")


def test_single_json_object_is_config_and_json_list_is_data(tmp_path):
    table, rows = tmp_path / "table.json", tmp_path / "rows.json"
    table.write_text('{"metrics": ["AP"]}')
    rows.write_text('\n [{"uid": "a"}]')

    assert is_config([table])
    assert is_config([tmp_path / "missing.json"])
    assert not is_config([rows])
    assert not is_config([table, rows])


def test_table_of_texts_with_custom_columns_names_the_text_reader(folder, valor):
    (folder / "a.json").write_text('[{"q": "Who?", "said": "Ann", "wanted": "Ann"}]')
    refused = valor("run", "a.json", "-m", "text.ExactMatch")
    columns = ("--set", "data.columns.response=said", "--set", "data.columns.references=wanted")

    assert "--reader table --set data.columns.response=COLUMN" in refused.stderr
    assert "data.label" not in refused.stderr
    for reader in ("jsonl", "table", "core.table"):
        done = valor("run", "a.json", "-m", "text.ExactMatch", "--reader", reader, *columns)
        assert done.exit_code == 0, done.stderr


def test_metric_with_parameters_in_braces_is_one_metric(folder, valor):
    table = "{name: F1, average: [macro, micro]}"

    result = valor("run", "preds.csv", "-m", f"Accuracy, {table}", "--json")

    assert json.loads(result.stdout)["config"]["metrics"][1]["average"] == ["macro", "micro"]


def test_broken_braces_in_metrics_show_how_to_write_a_table(folder, valor):
    result = valor("run", "preds.csv", "-m", "{name: F1, average")

    assert result.stderr.splitlines()[1] == "Write a table as: -m '{name: F1, average: macro}'"


def test_metrics_and_reader_can_be_chosen_by_set(folder, valor):
    result = valor(
        *("run", "odd.csv", "--json", "--set", 'metrics=["Accuracy"]'),
        *("--set", "data.reader=predicted"),
        *("--set", "data.label=one", "--set", "data.prediction=two"),
    )

    assert json.loads(result.stdout)["results"][0]["value"] == 0


def test_missing_parameters_of_a_named_reader_are_listed_at_once(folder, valor):
    result = valor("run", "odd.csv", "--reader", "yolo", "-m", "AP")

    assert result.stderr.splitlines()[:2] == [
        "valor: odd.csv: detection.yolo also needs predictions and names",
        "Add: valor run odd.csv -m AP --reader yolo --set data.predictions=PREDICTIONS "
        "--set data.names=NAMES",
    ]


def test_file_for_reader_lists_sets_path(folder, valor):
    lines = '{"uid": "a", "groundtruths": "cat", "predictions": {"cat": 0.9, "dog": 0.1}}\n'
    (folder / "rows.jsonl").write_text(lines)

    result = valor("run", "rows.jsonl", "--reader", "lists", "-m", "Accuracy", "--json")

    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["results"][0]["value"] == 1.0


@pytest.mark.parametrize(
    ("name", "folder_shown"), [("none.parquet", "."), ("below/of/none.parquet", "below")]
)
def test_missing_file_shows_how_to_see_the_files(folder, valor, name, folder_shown):
    (folder / "below").mkdir()

    result = valor("run", name, "-m", "Accuracy")

    assert result.stderr.splitlines()[1] == f"See the files there with: ls {folder_shown}"


def test_file_given_twice_is_quoted_as_typed(folder, valor):
    result = valor("run", "preds.csv", "preds.csv", "-m", "Accuracy")

    assert "got ['preds.csv', 'preds.csv']" in result.stderr


def test_columns_to_name_include_the_references_that_exact_match_compares(folder, valor):
    result = valor("run", "odd.csv", "-m", "ExactMatch")

    settings = "--set data.columns.response=COLUMN --set data.columns.references=COLUMN"
    assert settings in result.stderr


DATA_YAML = "train: images/train\nval: images/val\nnames: [cat]\n"


def test_data_yaml_without_predictions_asks_for_their_folder(folder, valor):
    (folder / "data.yaml").write_text(DATA_YAML)

    result = valor("run", "data.yaml", "-m", "mAP50")

    assert result.stderr.splitlines() == [
        "valor: data.yaml: expected a config, found a YOLO data set",
        "Pass the folder of predictions, too: valor run data.yaml runs/detect/val/labels",
    ]


def test_data_yaml_with_other_json_asks_for_text_files(folder, valor):
    (folder / "data.yaml").write_text(DATA_YAML)
    (folder / "predictions.json").write_text("{}")

    result = valor("run", "data.yaml", "predictions.json", "-m", "mAP50")

    assert result.stderr.splitlines() == [
        "valor: data.yaml: expected a folder of predictions next to a YOLO data set, found "
        "predictions.json",
        "Write them with save_txt=True save_conf=True, and pass their folder: "
        "valor run data.yaml runs/detect/val/labels",
        "Or pass COCO's annotations before the predictions: "
        "valor run instances.json predictions.json",
    ]
