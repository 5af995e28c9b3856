from __future__ import annotations

import json

import pytest

from valor_core.results import Report


@pytest.fixture
def saved(lab, valor):
    assert valor("run", "config.yaml", "-o", "report.json", "-q").exit_code == 0
    return lab


@pytest.mark.usefixtures("saved")
def test_rerun_finds_same_results(valor):
    result = valor("rerun", "report.json")

    assert result.exit_code == 0
    assert "Loudness  0.6000" in result.stdout
    assert result.stderr == "report.json: the same results as before\n"


def test_rerun_reports_worse_number(saved, valor):
    (saved / "lines.txt").write_text("hello\nHELP\n")

    result = valor("rerun", "report.json", "-o", "again.json")

    assert result.exit_code == 1
    assert "report.json: 1 number compared, 1 worse\n" in result.stderr
    assert Report.load("again.json")["Loudness"].value == 0.5


def test_rerun_lists_different_numbers(saved, valor):
    (saved / "lines.txt").write_text("hello\nHELP\n")

    table = valor("rerun", "report.json").stdout.partition("\nComparison\n")[2]

    assert [line.split() for line in table.splitlines() if "Loudness" in line] == [
        ["Loudness", "floor", "0.0", "0.6000", "0.5000", "-0.1000", "worse,", "no", "test"]
    ]
    assert "Comparison" not in valor("rerun", "report.json", "--quiet").stdout
    assert json.loads(valor("rerun", "report.json", "--json").stdout)["results"]


@pytest.mark.usefixtures("saved")
def test_rerun_accepts_settings_and_json(valor):
    result = valor("rerun", "report.json", "--set", "metrics[0].floor=0.5", "--json", "--quiet")

    assert '"value": 0.5' in result.stdout
    assert (
        result.stderr == "not comparable: shoutlab.Loudness: floor: 0.0, then 0.5\n"
        "report.json: 0 numbers compared, 1 only in the first, 1 only in the second\n"
    )


def test_unset_environment_variable_is_named_with_path(saved, valor, monkeypatch):
    monkeypatch.setenv("LINES", "lines.txt")
    valor("run", "config.yaml", "-o", "report.json", "-q", "--set", "data.path=${env:LINES}")
    monkeypatch.delenv("LINES")

    result = valor("rerun", "report.json")

    assert result.exit_code == 2
    assert result.stderr.startswith(
        "valor: report.json: config.data.path: the environment variable"
    )


def test_report_without_data_cannot_be_rerun(lab, valor):
    Report(results=()).save("bare.json")

    result = valor("rerun", "bare.json")

    assert result.exit_code == 2
    assert "Only reports of a config can be rerun." in result.stderr


def test_rerun_uses_directions_of_metric_modules(lab, valor):
    (lab / "mine.py").write_text(
        "import valor_core\n"
        "@valor_core.metric('mine.Length', task='text', higher_is_better=True)\n"
        "def length(item) -> float:\n"
        "    return len(item.response)\n"
    )
    own = ("--set", "modules=mine.py", "--set", 'metrics=["mine.Length"]')
    (lab / "out").mkdir()
    assert valor("run", "config.yaml", *own, "-o", "out/report.json").exit_code == 0
    (lab / "lines.txt").write_text("Hello\nHEL\n")

    result = valor("rerun", "out/report.json")

    assert result.exit_code == 1
    assert "1 number compared, 1 worse" in result.stderr


@pytest.mark.usefixtures("saved")
def test_rerun_keeps_the_name_that_the_config_used(valor):
    assert (
        valor("run", "config.yaml", "-m", "shoutlab.shouting", "-o", "a.json", "-q").exit_code == 0
    )

    result = valor("rerun", "a.json", "-o", "b.json")

    assert "shouting (Loudness)  0.6000" in result.stdout
    assert Report.load("b.json")["shouting"].only.asked == "shouting"
