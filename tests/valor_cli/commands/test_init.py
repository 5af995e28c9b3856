"""Tests of ``valor init``: written configs, and questions about missing settings."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys

import pytest
from valor_cli.config import parse


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text("id,y_true,y_pred\na,cat,dog\nb,dog,dog\n")
    (tmp_path / "odd.csv").write_text("one,two\ncat,dog\n")
    row = {"question": "q", "response": "a b", "references": ["a"], "contexts": ["a b"]}
    (tmp_path / "qa.jsonl").write_text(f"{json.dumps(row)}\n")
    (tmp_path / "out.txt").write_text("a\nb\n")
    (tmp_path / "ref.txt").write_text("a\nc\n")
    for name, scores in (("labels", ""), ("found", " 0.9")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"0 0.5 0.5 0.2 0.2{scores}\n")
    (tmp_path / "empty").mkdir()
    return tmp_path


END = "\x04"
"""End of the input, which Ctrl-D types."""


def typed(arguments, answers):
    """Run a command in a pseudo-terminal with typed answers; return its exit code and screen."""
    mine, its = pty.openpty()
    code = "from valor_cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, close_fds=True) as process:
        os.close(its)
        text = "".join(answer if answer == END else f"{answer}\n" for answer in answers)
        os.write(mine, text.encode())
        screen = b""
        while select.select([mine], [], [], 60)[0]:
            try:
                part = os.read(mine, 65536)
            except OSError:  # end of the output of a closed terminal on Linux
                break
            if not part:
                break
            screen += part
        else:
            process.kill()
            screen += b"\n(waits for another answer)"
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
        ["init"], ["odd.csv", "classification", "one", "two", "Acuracy", "Accuracy, F1", ""]
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


QUESTIONS = {
    "file": ((), (), "Which file has the predictions? (or two files)"),
    "task": (("odd.csv",), (), "Which task? (classification, text)"),
    "truth": (("odd.csv",), ("classification",), "Column of the true label"),
    "prediction": (("odd.csv",), ("classification", "one"), "Column of the predicted label"),
    "reader": (("out.txt", "ref.txt"), (), "Which reader?"),
    "names": (("labels", "found"), (), "names (data.yaml"),
    "judge": (("qa.jsonl", "-m", "llm.Faithfulness"), (), "Which client of the judge?"),
    "address": (("qa.jsonl", "-m", "llm.Faithfulness"), ("openai",), "base_url (Address"),
    "metrics": (("preds.csv",), (), "Which metrics?"),
    "required": (("preds.csv",), ("Accuracy",), "Which results are required?"),
}
"""Arguments, answers before a question, and its beginning."""

CASES = [
    pytest.param(*QUESTIONS[name], last, id=f"{name}-{called}")
    for name in QUESTIONS
    for last, called in (("Acuracy", "wrong"), ("", "empty"), (END, "end"))
    if not (last == "" and name in ("metrics", "required"))  # with a default
    if not (last == "Acuracy" and name in ("names", "address"))  # any text is valid
]


@pytest.mark.parametrize(("arguments", "before", "question", "last"), CASES)
def test_init_ends_after_three_invalid_answers(folder, arguments, before, question, last):
    code, screen = typed(["init", *arguments], [*before, *[last] * (1 if last == END else 3)])

    assert code == 2, screen
    found = "the end of the input" if last == END else "none that fits in 3 tries"
    (line,) = [one for one in screen.splitlines() if one.startswith("valor: ")]
    assert line.startswith("valor: init: expected an answer to ")
    assert question in line
    assert line.endswith(f", got {found}")
    assert "Name it instead: valor init DATA" in screen
    assert ("Ctrl-C ends without a config." in screen) == (last != END)
    assert not (folder / "valor.yaml").exists()


def test_init_lists_only_readers_of_the_files(folder):
    code, screen = typed(["init", "out.txt", "ref.txt"], ["png", "lines", "BLEU", ""])

    assert code == 0, screen
    assert "  text.lines  " in screen
    assert "classification." not in screen
    assert "expected a reader of these files, detection.yolo, text.lines, got 'png'" in screen
    assert parse("valor.yaml")["data"] == {
        "reader": "text.lines",
        "responses": "out.txt",
        "references": "ref.txt",
    }


def test_init_without_a_reader_for_the_files_asks_nothing(folder):
    (folder / "image.bin").write_bytes(b"\xff\xfe\x00\x80")

    code, screen = typed(["init", "image.bin"], [])

    assert code == 2, screen
    assert "Which" not in screen


def test_init_asks_again_for_metrics_of_another_task(folder):
    code, screen = typed(["init", "preds.csv"], ["ROUGE", "detection.AP", "F1", ""])

    assert code == 0, screen
    assert "'text.ROUGE' is for the task text." in screen
    assert "detection.AP: expected a metric of the task classification, got one" in screen
    assert parse("valor.yaml")["metrics"] == ["F1"]


def test_init_asks_for_required_results(folder, valor):
    answers = ["", "Accuracy >= 90", "Accuracy >= 0.9, F1/macro >= 0.1"]
    code, screen = typed(["init", "preds.csv"], answers)

    assert code == 0, screen
    assert 'Write it as: ">= 0.9"' in screen
    assert parse("valor.yaml")["require"] == {"Accuracy": ">= 0.9", "F1/macro": ">= 0.1"}
    assert valor("run", "valor.yaml", "-q").exit_code == 1


def test_init_asks_for_the_client_of_a_judge(folder, valor):
    code, screen = typed(["init", "qa.jsonl"], ["llm.Faithfulness", "lexical", ""])

    assert code == 0, screen
    assert parse("valor.yaml")["judge"] == {"client": {"name": "lexical"}}
    assert valor("run", "valor.yaml", "-q").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("preds.csv", "-m", "Accuracy", "--require", "Accuracy >= 0.5"),
        ("preds.csv", "-m", "Accuracy"),
        ("out.txt", "ref.txt", "--task", "text", "--reader", "lines", "-m", "BLEU"),
    ],
)
def test_init_with_all_answers_as_options_asks_nothing(folder, valor, arguments):
    code, screen = typed(["init", *arguments], [])

    assert code == 0, screen
    assert "?" not in screen
    assert valor("run", "valor.yaml", "-q").exit_code == 0


def test_init_asks_before_it_replaces_a_config(folder):
    (folder / "valor.yaml").write_text("task: text\n")
    arguments = ["init", "preds.csv", "-m", "Accuracy"]

    for answers in (["no"], [""], ["what"] * 3, [END]):
        code, screen = typed(arguments, answers)
        assert code == 2, screen
        assert (folder / "valor.yaml").read_text() == "task: text\n"
    assert typed(arguments, ["yes"])[0] == 0
    assert parse("valor.yaml")["metrics"] == ["Accuracy"]


def test_init_writes_no_config_that_cannot_run(folder, valor):
    (folder / "preds.csv").write_text("id,y_true,y_score\na,cat,high\n")

    for arguments in (
        ("preds.csv", "--task", "classification", "--reader", "wide", "-m", "Accuracy"),
        ("odd.csv", "--task", "classification", "--reader", "predicted", "-m", "Accuracy"),
    ):
        result = valor("init", *arguments)
        assert result.exit_code == 2
        assert not (folder / "valor.yaml").exists()


def test_suggested_command_quotes_a_path_with_spaces(folder, valor):
    result = valor("init", "preds.csv", "-m", "Accuracy", "-o", "my run.yaml")

    assert "Run it with: valor run 'my run.yaml'\n" in result.stderr
