"""Tests of the remedies for files that no reader recognizes."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from valor_core.results import Report


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("id,y_true,y_pred\na,cat,dog\nb,dog,dog\n")
    (tmp_path / "masks").mkdir()
    (tmp_path / "masks" / "a.png").touch()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "eval.yaml").touch()
    (tmp_path / "several").mkdir()
    (tmp_path / "several" / "a.yaml").touch()
    (tmp_path / "several" / "b.yaml").touch()
    (tmp_path / "mixed").mkdir()
    Report(results=()).save(tmp_path / "mixed" / "report.json")
    (tmp_path / "mixed" / "data.json").write_text('{"images": []}')
    (tmp_path / "mixed" / "eval.json").write_text('{"metrics": ["F1"]}')
    found = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}]
    (tmp_path / "found.json").write_text(json.dumps(found))
    (tmp_path / "nothing.json").write_text("[]")
    (tmp_path / "truth.json").write_text('{"images": [], "annotations": [], "categories": []}')
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message", "remedy"),
    [
        (
            ["preds.csv", "F1"],
            "F1: no such file",
            "Pass metrics with -m, separated by commas: -m F1",
        ),
        (
            ["https://example.com/preds.csv", "-m", "F1"],
            "https://example.com/preds.csv: expected a file, got a URL",
            "Download it and pass the file.",
        ),
        (
            ["project", "-m", "F1"],
            "project: not recognized by any reader",
            "Pass a config in it: valor run project/eval.yaml",
        ),
        (
            ["several"],
            "several: not recognized by any reader",
            "Pass a config in it: valor run several/a.yaml, or valor run several/b.yaml",
        ),
        (
            ["mixed"],
            "mixed: not recognized by any reader",
            "Pass a config in it: valor run mixed/eval.json",
        ),
        (
            ["mixed/report.json", "-m", "F1"],
            "mixed/report.json: expected a config, found a report",
            "Show it with: valor view mixed/report.json",
        ),
        (
            ["preds.csv", "-m", "F1", "--set", "task.x=1"],
            "task must be a string, got {'x': 1}",
            "",
        ),
        (
            ["masks", "-m", "IOU"],
            "masks: not recognized by any reader of the task segmentation",
            "If it has predictions, pass the folder of ground truths before it: "
            "valor run GROUNDTRUTHS masks",
        ),
        (
            ["nothing.json", "-m", "F1"],
            "nothing.json: expected rows, found none",
            "Check the program that wrote it.",
        ),
        (
            ["found.json", "-m", "mAP"],
            "found.json: no reader of the task detection recognizes these columns: "
            "'image_id', 'category_id', 'bbox', 'score'",
            "If it has predictions, pass the file of ground truths before it: "
            "valor run GROUNDTRUTHS found.json",
        ),
        (
            ["truth.json", "-m", "mAP"],
            "truth.json: expected a config or a list of items, found a table of "
            "'images', 'annotations', 'categories'",
            "If it has ground truths, also pass the predictions: valor run truth.json PREDICTIONS",
        ),
        (
            ["truth.json", "truth.json", "-m", "mAP"],
            "truth.json and truth.json: not recognized by any reader of the task detection",
            "Pass two files, ground truths before predictions.",
        ),
        (
            ["preds.csv", "-m", "F1", "--task", "clasification"],
            "task 'clasification': unknown",
            "Did you mean 'classification'?",
        ),
        (
            ["preds.csv", "-m", "F1", "--task", "detection"],
            "preds.csv: no reader of the task detection recognizes these columns: "
            "'id', 'y_true', 'y_pred'",
            "If it has predictions, pass the file of ground truths before it: "
            "valor run GROUNDTRUTHS preds.csv",
        ),
        (
            ["preds.csv", "-m", "F1", "--reader", "predictd"],
            "reader 'predictd': unknown",
            "Did you mean 'predicted'?",
        ),
        (
            ["project/eval.yaml", "preds.csv"],
            "run: expected one config, got also preds.csv",
            "Name the data in the config, or on top of it: --set data.path=../preds.csv",
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_remedy_fits_likely_mistake(valor, arguments, message, remedy):
    result = valor("run", *arguments)

    assert result.exit_code == 2
    assert result.stderr.splitlines()[:2] == [f"valor: {message}", *filter(None, [remedy])]


@pytest.mark.parametrize("names", ["Accuracy,F1", "Accuracy;F1", "Accuracy F1", " Accuracy,  F1,"])
@pytest.mark.usefixtures("folder")
def test_metric_names_are_separated_by_commas_semicolons_or_spaces(valor, names):
    result = valor("run", "preds.csv", "-m", names, "--json")

    assert {one["type"] for one in json.loads(result.stdout)["results"]} == {"Accuracy", "F1"}


@pytest.mark.usefixtures("folder")
def test_file_instead_of_command_suggests_run(valor):
    result = valor("preds.csv")

    assert result.stderr == "valor: unknown command 'preds.csv'\nWrite: valor run preds.csv\n"


@pytest.mark.parametrize("word", ["help", "version"])
def test_command_named_like_option_suggests_option(valor, word):
    assert valor(word).stderr == f"valor: unknown command '{word}'\nDid you mean '--{word}'?\n"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("report", "report.json"), ("report.HTML", "report.html"), ("report.docx", "report.html")],
)
@pytest.mark.usefixtures("folder")
def test_unsupported_report_suffix_suggests_name(valor, name, remedy):
    result = valor("run", "preds.csv", "-m", "F1", "-o", name)

    assert result.stderr == (
        "valor: output: expected .json, .csv, .html, .md, .pdf, .png, .svg, .txt or .xml, "
        f"got {name}\n"
        f"Name it {remedy}, for example.\n"
    )


@pytest.mark.usefixtures("folder")
def test_format_as_reader_is_the_reader_that_recognizes_the_columns(folder, valor):
    (folder / "preds.csv").write_text("y_true,y_pred\ncat,cat\ndog,cat\n")

    result = valor("run", "preds.csv", "-m", "Accuracy", "--reader", "csv", "--json")

    report = json.loads(result.stdout)
    assert report["config"]["data"]["reader"] == "classification.predicted"
    assert report["results"][0]["value"] == 0.5


def test_config_in_another_folder_whose_reader_is_a_format_names_readers(folder, valor):
    (folder / "below").mkdir()
    (folder / "below" / "answers.csv").write_text("one,two\ncat,cat\n")
    (folder / "below" / "run.yaml").write_text(
        "task: classification\ndata: {reader: csv, path: answers.csv}\nmetrics: [Accuracy]\n"
    )

    result = valor("run", "below/run.yaml")

    assert "expected a reader for classification, got 'tables.table'" in result.stderr
    assert "Choose one of: lists, long, predicted, wide." in result.stderr


def test_text_reader_for_unknown_columns_of_labels_suggests_readers_of_task(folder, valor):
    (folder / "names.csv").write_text("one,two\ncat,cat\n")

    result = valor("run", "names.csv", "-m", "F1", "--task", "classification", "--reader", "csv")

    assert result.stderr.endswith(
        "expected a reader for classification, got 'tables.table'\n"
        "Choose one of: lists, long, predicted, wide.\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("short.csv", "label,score_a\na\n", "short.csv, row 2: expected 2 cells as in the header"),
        ("zero.csv", "", "zero.csv: expected records, found an empty file"),
        ("cut.jsonl", '{"label": "a"}\n{"label"\n', "cut.jsonl, line 2: expected one JSON object"),
        ("cut.json", '[{"label": "a"},', "cut.json"),
        ("table.xlsx", "PK", "table.xlsx: expected a table such as CSV, found an Excel workbook"),
        ("preds", "label\na\n", "preds: expected a file with a supported suffix, found ''"),
    ],
)
def test_damaged_table_differs_from_unrecognized_table(folder, valor, name, text, message):
    (folder / name).write_text(text)

    result = valor("run", name, "-m", "F1")

    assert result.exit_code == 2
    assert result.stderr.startswith(f"valor: {message}")
    assert "no reader knows" not in result.stderr


def _config(folder, text):
    (folder / "c.yaml").write_text(f"task: classification\n{text}")
    return ("run", "c.yaml", "-q")


_DATA = "data: {reader: predicted, path: preds.csv, label: y_true, prediction: y_pred}\n"


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        (
            f"{_DATA.replace('data', 'dataset', 1)}metrics: [F1]\n",
            (),
            "c.yaml: data: expected a table, found none\nRename dataset to data.",
        ),
        (
            f"{_DATA.replace('preds', '~/preds')}metrics: [F1]\n",
            (),
            "~/preds.csv: no such file\nWrite the absolute path instead of ~.",
        ),
        (
            f"{_DATA}metrics: F1\n",
            ("--set", "metrics[0].average=macro"),
            "--set metrics[0].average: expected a list with entry 0, found 'F1'\n"
            "Make it a list in the config: [F1]",
        ),
        (
            f"{_DATA}metrics: F1\nlabel_map: cat=dog\n",
            (),
            "c.yaml: label_map: expected a table of labels, got 'cat=dog'\n"
            "Write it as: label_map: {tabby: cat}",
        ),
        (
            f"{_DATA}metrics: F1\nrequire: {{F1: '> 0.5'}}\n",
            (),
            "F1 > 0.5: expected one number, found 5\n"
            "Write one of: F1/cat, F1/dog, F1/micro, F1/macro, F1/weighted.",
        ),
    ],
)
def test_nearly_correct_config_shows_correction(folder, valor, text, settings, message):
    result = valor(*_config(folder, text), *settings)

    assert result.stderr.endswith(f"valor: {message}\n")


@pytest.mark.parametrize("packed", ["results", "samples"])
def test_suggested_command_extracts_list_from_json_file(folder, valor, packed):
    rows = [{"y_true": "cat", "y_pred": "cat"}]
    (folder / "log.json").write_text(json.dumps({"version": 1, "log": {packed: rows}}))

    refused = valor("run", "log.json", "-m", "Accuracy")
    command = shlex.split(refused.stderr.splitlines()[1].partition("file: ")[2])
    subprocess.run([sys.executable, *command[1:]], check=True)

    assert valor("run", "log-rows.json", "-m", "Accuracy").exit_code == 0


def test_suggested_commands_convert_promptfoo_results(folder, valor):
    row = {"vars": {"question": "Who?"}, "response": {"output": "Ann"}, "target": "Ann"}
    (folder / "eval.json").write_text(json.dumps({"evalId": "a", "results": {"results": [row]}}))
    file = "eval.json"

    for copied in ("eval-rows.json", "eval-rows-flat.json"):
        refused = valor("run", file, "-m", "text.ExactMatch")
        command = shlex.split(refused.stderr.splitlines()[1].partition("file: ")[2])
        subprocess.run([sys.executable, *command[1:]], check=True)
        file = copied

    assert valor("run", file, "-m", "text.ExactMatch").exit_code == 0


def test_excel_workbook_shows_conversion_to_csv(folder, valor):
    (folder / "preds.xlsx").write_bytes(b"PK")

    lines = valor("run", "preds.xlsx", "-m", "F1").stderr.splitlines()

    assert lines[0] == "valor: preds.xlsx: expected a table such as CSV, found an Excel workbook"
    assert lines[2] == "Then: valor init preds.csv"


@pytest.mark.parametrize("value", ["5", "[1]", "true"])
def test_metrics_that_are_not_names_are_rejected(folder, valor, value):
    result = valor("run", "preds.csv", "--set", f"metrics={value}")

    assert result.exit_code == 2
    assert "bug" not in result.stderr
    assert result.stderr.startswith("valor: metrics")


def test_two_tables_without_common_column_ask_for_one(folder, valor):
    (folder / "truth.csv").write_text("id,label\n1,cat\n")
    (folder / "found.csv").write_text("photo,y_pred\n1,cat\n")

    result = valor("run", "truth.csv", "found.csv", "-m", "Accuracy")

    assert result.stderr.splitlines() == [
        "valor: truth.csv and found.csv: no reader recognizes these columns: 'id', 'label' and "
        "'photo', 'y_pred'",
        "Rename a column so that both tables have the uids of the items under one name, such as "
        "id.",
    ]


def test_suggested_command_names_columns_of_truth_file_and_prediction_file(folder, valor):
    (folder / "truth.csv").write_text("key,what\n1,cat\n2,dog\n")
    (folder / "found.csv").write_text("key,guess\n2,dog\n1,dog\n")

    failed = valor("run", "truth.csv", "found.csv", "-m", "Accuracy")

    command = failed.stderr.splitlines()[1].partition("valor ")[2]
    for column in ("key", "what", "guess"):
        command = command.replace("COLUMN", column, 1)
    worked = valor(*shlex.split(command), "--json")
    assert json.loads(worked.stdout)["results"][0]["value"] == 0.5


def test_files_of_two_models_without_uids_are_not_joined(folder, valor):
    rows = [f"{label},{label}" for label in ("cat", "dog") * 10]
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("\n".join(["y_true,y_pred", *rows]))

    result = valor("run", "a.csv", "b.csv", "-m", "Accuracy")

    assert "expected parts of one table, found the same true labels in both" in result.stderr
    assert "valor compare a.json b.json" in result.stderr


@pytest.mark.parametrize(
    ("row", "metrics"),
    [
        ({"id": "a", "question": "q", "answer": "x", "reference": "x"}, "ExactMatch,TokenF1,ROUGE"),
        ({"prediction": "x", "reference": "x"}, "ExactMatch,TokenF1,ROUGE"),
    ],
)
def test_answers_without_metrics_get_a_command_that_works(folder, valor, row, metrics):
    (folder / "answers.jsonl").write_text(json.dumps(row))

    failed = valor("run", "answers.jsonl")

    command = failed.stderr.splitlines()[1].partition("valor ")[2]
    assert command == f"run answers.jsonl --metrics {metrics}"
    assert valor(*shlex.split(command)).exit_code == 0


def test_numbers_in_answers_name_the_line(folder, valor):
    (folder / "answers.jsonl").write_text(
        '{"question": "q", "answer": "x", "reference": "x"}\n'
        '{"question": "q", "answer": 7, "reference": "7"}\n'
    )

    result = valor("run", "answers.jsonl", "-m", "ExactMatch")

    assert result.stderr.splitlines() == [
        "valor: answers.jsonl, line 2, field 'answer': expected a string, found 7",
        "Write it as a string: '7'",
    ]


def test_empty_references_are_reported(folder, valor):
    (folder / "answers.jsonl").write_text(
        '{"answer": "x", "reference": "x"}\n{"answer": "x", "reference": ""}\n'
    )

    result = valor("run", "answers.jsonl", "-m", "ExactMatch", "--json")

    assert json.loads(result.stdout)["warnings"] == [
        "1 line with an empty text in 'reference' (first: answers.jsonl:2)"
    ]


DATA_SECTIONS = {
    "preds.csv": "preds.csv",
    "two files": "[truth.csv, found.csv]",
    "path": "{path: preds.csv}",
    "format": "{reader: csv, path: preds.csv}",
    "two sides": "{groundtruths: truth.csv, predictions: found.csv}",
}


@pytest.mark.parametrize("name", DATA_SECTIONS)
def test_files_as_data_of_a_config_get_the_complete_section(folder, valor, name):
    (folder / "preds.csv").write_text("id,y_true,y_pred\na,cat,dog\nb,dog,dog\n")
    (folder / "truth.csv").write_text("id,y_true\na,cat\nb,dog\n")
    (folder / "found.csv").write_text("id,y_pred\nb,dog\na,dog\n")
    config = folder / "run.yaml"
    config.write_text(f"metrics: [Accuracy]\ndata: {DATA_SECTIONS[name]}\n")

    failed = valor("run", "run.yaml")

    section, _, task = failed.stderr.splitlines()[1].partition("data: ")[2].partition(" and task: ")
    config.write_text(f"metrics: [Accuracy]\ntask: {task}\ndata: {section}\n")
    worked = valor("run", "run.yaml", "--json")
    assert json.loads(worked.stdout)["results"][0]["value"] == 0.5


@pytest.mark.parametrize(
    ("name", "content", "remedy"),
    [
        ("odd.csv", "one,two\ncat,dog\n", "no reader recognizes these columns: 'one', 'two'"),
        ("preds.xlsx", "PK", "expected a table such as CSV, found an Excel workbook"),
    ],
)
def test_unknown_file_as_data_of_a_config_names_its_problem(folder, valor, name, content, remedy):
    (folder / name).write_text(content)
    (folder / "run.yaml").write_text(f"metrics: [Accuracy]\ndata: {name}\n")

    result = valor("run", "run.yaml")

    assert result.stderr.splitlines()[1] == f"{name}: {remedy}"
    assert "NAME" not in result.stderr


def test_answers_of_two_models_lead_to_compare(folder, valor):
    for name, answer in (("a.jsonl", "x"), ("b.jsonl", "y")):
        row = {"id": "1", "question": "q", "answer": answer, "reference": "x"}
        (folder / name).write_text(json.dumps(row))

    failed = valor("run", "a.jsonl", "b.jsonl", "-m", "ExactMatch")

    commands = failed.stderr.splitlines()[1].removeprefix("To compare two models: ").split("; ")
    for command in commands:
        done = valor(*shlex.split(command)[1:])
        assert done.exit_code == 0, done.stderr
