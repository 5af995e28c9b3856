from __future__ import annotations

import json

import pytest

from valor_core.results import Report

CONFIG = """
data:
  reader: shoutlab.lines
  path: lines.txt
metrics:
  - shoutlab.Loudness
output: report.json
runs:
  plain:
  half:
    metrics[0].floor: 0.5
  gone: {data.path: gone.txt}
"""


@pytest.fixture
def several(lab):
    (lab / "several.yaml").write_text(CONFIG)
    return lab


def test_each_run_has_a_report_and_a_row_of_the_last_table(several, valor):
    result = valor("run", "several.yaml", "--only", "plain", "--only", "half")

    assert result.exit_code == 0, result.stderr
    reports = {name: Report.load(f"report-{name}.json") for name in ("plain", "half")}
    assert {name: one["Loudness"].value for name, one in reports.items()} == {
        "plain": 0.6,
        "half": 0.5,
    }
    assert reports["half"].config["run"] == "half"
    assert "Run plain (1 of 2)\n\n2 items\n" in result.stdout
    assert result.stdout.endswith(
        "Runs\nfloor varies by run\n\n"
        "run    Loudness\n-----  --------\nplain    0.6000\nhalf     0.5000\n"
    )


def test_failed_run_does_not_stop_the_others(several, valor):
    result = valor("run", "several.yaml", "--set", 'runs.last={"metrics[0].floor": 0.25}')

    assert result.exit_code == 2
    assert Report.load("report-last.json").config["run"] == "last"
    assert not (several / "report-gone.json").exists()
    assert "gone.txt" in result.stderr
    assert "gone    failed¹\n" in result.stdout


def test_bug_of_a_plugin_in_one_run_does_not_stop_the_others(several, valor, monkeypatch):
    from valor_cli.commands import run

    carried_out = run.carry_out

    def carry_out(request, unwritten, *, quiet):
        return (
            {}["points"] if request.run == "plain" else carried_out(request, unwritten, quiet=quiet)
        )

    monkeypatch.setattr(run, "carry_out", carry_out)
    result = valor("run", "several.yaml", "--only", "plain", "--only", "half")

    assert result.exit_code == 2
    assert "valor: plain: KeyError: 'points'; this is a bug in" in result.stderr
    assert "Show the traceback with: VALOR_TRACEBACK=1 valor …" in result.stderr
    assert "plain   failed¹\nhalf     0.5000\n" in result.stdout


def test_files_of_two_runs_differ_not_only_in_case(several, valor):
    text = CONFIG.partition("runs:")[0] + "runs: [small, Small]\n"
    (several / "several.yaml").write_text(text)

    result = valor("run", "several.yaml")

    assert result.exit_code == 2
    assert "report-Small.json is also written by the run small" in result.stderr


def test_traceback_of_a_failed_run_is_shown_on_request(several, valor):
    result = valor("run", "several.yaml", "--only", "gone", "--traceback")

    assert result.exit_code == 2
    assert "Traceback (most recent call last):" in result.stderr


def test_exit_code_is_the_highest_of_all_runs(several, valor):
    arguments = ("run", "several.yaml", "--only", "plain", "--only", "half", "-q")
    require = "runs.half.require.Loudness"

    assert valor(*arguments).exit_code == 0
    unmet = valor(*arguments, "--set", f"{require}=> 0.9")
    assert unmet.exit_code == 1
    assert unmet.stderr == "valor: half: Loudness > 0.9: 0.5, not met\n"
    assert unmet.stdout == ""


def test_all_configs_and_files_are_checked_before_the_first_run(several, valor):
    for setting, error in (
        (
            "runs.half.output=report-plain.json",
            "report-plain.json is also written by the run plain",
        ),
        ("runs.half.output=a.doc", "output: expected .json"),
        ("runs.gone.metrics=shoutlab.Loudnes", "(run gone): metrics[0]: metric "),
    ):
        result = valor("run", "several.yaml", "--set", setting)
        assert result.exit_code == 2
        assert error in result.stderr
        assert not list(several.glob("*.json"))


def test_input_that_another_run_writes_is_rejected(several, valor):
    result = valor("run", "several.yaml", "--set", "runs.gone.data.path=report-half.json")

    assert "data.path: expected an input, report-half.json is written by the run half" in (
        result.stderr
    )
    assert result.exit_code == 2


def test_json_has_every_report(several, valor):
    result = valor("run", "several.yaml", "--json")

    runs = json.loads(result.stdout)["runs"]
    assert list(runs) == ["plain", "half", "gone"]
    assert Report.from_dict(runs["half"])["Loudness"].value == 0.5
    assert "gone.txt" in runs["gone"]["error"]


def test_interrupted_run_is_the_last(several, valor):
    (several / "lines.txt").write_text("Hello\nSTOP\n")

    result = valor("run", "several.yaml", "-q")

    assert result.exit_code == 130
    assert "valor: plain: run: stopped" in result.stderr
    assert not (several / "report-half.json").exists()


def test_saved_config_is_that_of_one_run(several, valor):
    refused = valor("run", "several.yaml", "--save-config", "kept.yaml")
    kept = valor("run", "several.yaml", "--save-config", "kept.yaml", "--only", "half", "-q")

    assert "expected one run, got 3" in refused.stderr
    assert kept.exit_code == 0
    assert valor("run", "kept.yaml", "--json").exit_code == 0


def test_rerun_repeats_one_run(several, valor):
    valor("run", "several.yaml", "--only", "half", "-q")

    result = valor("rerun", "report-half.json", "-o", "again.json")

    assert result.exit_code == 0, result.stderr
    assert Report.load("again.json") == Report.load("report-half.json")


def test_missing_file_names_its_run(several, valor):
    result = valor("run", "several.yaml", "--only", "plain", "--only", "gone", "-q")

    assert "valor: run gone: gone.txt: cannot be read\n" in result.stderr


def test_invalid_config_of_a_run_names_it_before_the_first_run(several, valor):
    text = CONFIG.replace("gone: {data.path: gone.txt}", "gone: {metrics: [Nope]}")
    (several / "several.yaml").write_text(text)

    result = valor("run", "several.yaml")

    assert result.exit_code == 2
    assert result.stderr.startswith("valor: several.yaml (run gone): ")
    assert result.stdout == ""


def test_merged_report_names_the_runs_of_its_states(several, valor):
    (several / "more.txt").write_text("SHOUT\n")
    settings = {"runs": {"first": {}, "more": {"data.path": "more.txt", "data.numbered_from": 2}}}
    text = CONFIG.partition("runs:")[0]
    (several / "several.yaml").write_text(f"{text}{json.dumps(settings)[1:-1]}\n")

    states = ("state-first.npz", "state-more.npz")
    assert valor("run", "several.yaml", "-q", "--state", "state.npz").exit_code == 0
    valor("merge", states[0], "-q", "-o", "first.json")
    valor("merge", *states, "-q", "-o", "both.json")

    assert Report.load("first.json").config["run"] == "first"
    assert Report.load("both.json").config["runs"] == ["first", "more"]
    assert Report.load("both.json").counts["read"] == 3
