"""Tests of ``valor init``: written configs, and questions about missing settings."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest
from valor_cli.config import parse


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("id,y_true,y_pred\na,cat,dog\nb,dog,dog\n")
    (tmp_path / "odd.csv").write_text("one,two\ncat,dog\n")
    return tmp_path


def typed(arguments, answers):
    """Run a command in a pseudo-terminal with typed answers; return its exit code and screen."""
    mine, its = pty.openpty()
    code = "from valor_cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, close_fds=True) as process:
        os.close(its)
        os.write(mine, "".join(f"{answer}\n" for answer in answers).encode())
        screen = b""
        while True:
            try:
                part = os.read(mine, 65536)
            except OSError:  # end of the output of a closed terminal on Linux
                break
            if not part:
                break
            screen += part
    os.close(mine)
    return process.returncode, screen.decode().replace("\r\n", "\n")


def test_init_without_terminal_writes_config_of_arguments(folder, valor):
    result = valor("init", "preds.csv", "-m", "Accuracy", "-o", "run.yaml")

    assert result.exit_code == 0
    assert result.stderr == (
        "Run it with: valor run run.yaml\nEditors complete it with: valor.schema.json\n"
    )
    assert json.loads(valor("run", "run.yaml", "--json").stdout)["results"][0]["value"] == 0.5


def test_init_writes_schema_for_editors_next_to_config(folder, valor):
    (folder / "configs").mkdir()

    result = valor("init", "preds.csv", "-m", "Accuracy", "-o", "configs/run.yaml", "--json")

    schema = folder / "configs" / "valor.schema.json"
    assert json.loads(result.stdout) == {
        "config": "configs/run.yaml",
        "schema": "configs/valor.schema.json",
    }
    text = (folder / "configs" / "run.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=valor.schema.json\ntask: ")
    assert schema.read_text() == valor("schema").stdout


def test_init_names_schema_in_json(folder, valor):
    valor("init", "preds.csv", "-m", "Accuracy", "-o", "run.json")

    written = json.loads((folder / "run.json").read_text())
    assert written["$schema"] == "./valor.schema.json"
    assert valor("run", "run.json", "--quiet").exit_code == 0


def test_init_replaces_schema_and_no_other_file(folder, valor):
    valor("init", "preds.csv", "-m", "Accuracy", "-o", "first.yaml")
    assert valor("init", "preds.csv", "-m", "Accuracy", "-o", "second.yaml").exit_code == 0
    (folder / "valor.schema.json").write_text("{}")

    result = valor("init", "preds.csv", "-m", "Accuracy", "-o", "third.yaml")

    assert (result.exit_code, result.stderr) == (
        2,
        "valor: init: valor.schema.json exists already and is not a schema of configs\n"
        "Rename that file, or write the config to another folder.\n",
    )
    assert not (folder / "third.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["preds.csv", "-o", "odd.csv"],
            "valor: init: odd.csv exists already\nSpecify another file, such as: -o other.yaml\n",
        ),
        (
            [],
            "valor: init: expected files of data, got nothing\n"
            "Name them: valor init predictions.csv --metrics Accuracy\n",
        ),
        (
            ["preds.csv", "-m", "F1", "-o", "run.toml"],
            "valor: config: expected a name in .yaml or .json, got 'run.toml'\n"
            "Name it run.yaml, for example.\n",
        ),
        (
            ["preds.csv", "-m", "F1", "-o", "absent/run.yaml"],
            "valor: absent/run.yaml: cannot be written, No such file or directory\n"
            "Create its folder with: mkdir -p absent\n",
        ),
        (
            ["preds.csv"],
            "valor: init: expected the names of metrics, got none\n"
            "Select metrics: valor init preds.csv --metrics Accuracy,Precision,Recall,F1\n"
            "See the installed ones with: valor list\n",
        ),
        (
            ["preds.csv", "-m", "F1,Acuracy"],
            "valor: metrics[1]: metric 'Acuracy': unknown in the task 'classification'\n"
            "Did you mean 'Accuracy'?\n",
        ),
    ],
)
def test_init_neither_overwrites_nor_guesses(folder, valor, arguments, message):
    result = valor("init", *arguments)

    assert (result.exit_code, result.stderr) == (2, message)
    assert (folder / "odd.csv").read_text() == "one,two\ncat,dog\n"


def test_init_suggests_options_that_the_command_has(folder, valor):
    lines = valor("init", "odd.csv", "-o", "new.yaml").stderr.splitlines()

    assert "--set" in lines[1]
    assert lines[1].partition(": ")[2].startswith("valor run odd.csv ")
    assert lines[-1] == "Or answer questions: valor init odd.csv"


def test_init_asks_for_missing_settings(folder):
    code, screen = typed(
        ["init"], ["odd.csv", "classification", "one", "two", "Acuracy", "Accuracy, F1"]
    )

    assert code == 0, screen
    assert "odd.csv has 2 columns: one, two" in screen
    assert "Did you mean 'Accuracy'?" in screen
    assert parse("valor.yaml") == {
        "task": "classification",
        "data": {
            "reader": "classification.predicted",
            "path": "odd.csv",
            "label": "one",
            "prediction": "two",
        },
        "metrics": ["Accuracy", "F1"],
    }


def test_run_at_terminal_asks_for_metrics(folder):
    code, screen = typed(["run", "preds.csv"], [""])

    assert code == 0, screen
    assert "Which metrics? (names, with commas between) [Accuracy, Precision, Recall, F1]" in screen
    assert "0.5000" in screen


def test_init_asks_for_columns_of_texts(folder):
    (folder / "a.json").write_text('[{"q": "Who?", "said": "Ann", "wanted": "Ann"}]')

    code, screen = typed(["init", "a.json", "-m", "text.ExactMatch"], ["said", "wanted"])

    assert code == 0, screen
    data = parse("valor.yaml")["data"]
    assert (data["reader"], data["columns"]["response"]) == ("tables.table", "said")


@pytest.mark.parametrize("answers", [["nonsense"] * 8, [""] * 8], ids=["wrong", "empty"])
def test_init_fails_after_five_invalid_answers(folder, answers):
    code, screen = typed(["init", "odd.csv"], answers)

    assert code == 2
    assert "Ctrl-C ends without a config." in screen
    assert "none that fits in 5 tries\nName it instead: valor init DATA" in screen


def test_suggested_command_quotes_a_path_with_spaces(folder, valor):
    result = valor("init", "preds.csv", "-m", "Accuracy", "-o", "my run.yaml")

    assert "Run it with: valor run 'my run.yaml'\n" in result.stderr
