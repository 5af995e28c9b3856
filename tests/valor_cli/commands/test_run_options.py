"""Options of ``valor run`` that replace keys of a config."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from valor_core.results import Report


@pytest.fixture
def opened(monkeypatch) -> list[str]:
    addresses: list[str] = []

    def open(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", open)
    return addresses


@pytest.mark.usefixtures("lab")
def test_require_gates_a_run_without_an_edit_of_the_config(valor):
    met = valor("run", "config.yaml", "--require", "Loudness >= 0.5", "-q")
    assert (met.exit_code, met.stderr) == (0, "")

    unmet = valor("run", "config.yaml", "--require", "Loudness >= 0.9", "-q")
    assert unmet.exit_code == 1
    assert unmet.stderr == "valor: Loudness >= 0.9: 0.6, not met\n"


@pytest.mark.usefixtures("lab")
def test_require_is_added_to_the_conditions_of_the_config(valor):
    in_config = ("--set", 'require={"Loudness/floor:0.0": "<= 1"}')
    result = valor("run", "config.yaml", *in_config, "--require", "Loudness>=0.5", "--json")

    outcomes = json.loads(result.stdout)["requirements"]
    assert [(one["name"], one["condition"], one["met"]) for one in outcomes] == [
        ("Loudness/floor:0.0", "<= 1", True),
        ("Loudness", ">=0.5", True),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("Loudness",),
            "--require Loudness: expected a result and a comparison\n"
            "Write it as: --require 'Accuracy >= 0.5'\n",
        ),
        (
            ("Loudnes >= 0.5",),
            "require.Loudnes: no chosen metric is called 'Loudnes'\nDid you mean 'Loudness'?\n",
        ),
        (
            ("Loudness >= 90",),
            "require.Loudness: expected a number in 0 to 1, got '>= 90'\n"
            "Write it as: --require 'Loudness >= 0.9'\n",
        ),
        (
            ("Loudness < 90 %",),
            "require.Loudness: expected a comparison, got '< 90 %'\n"
            "Write it as: --require 'Loudness < 0.9'\n",
        ),
        (
            ("Loudness > 0.1", "Loudness < 0.9"),
            "--require Loudness < 0.9: expected one condition for Loudness, got also '> 0.1'\n"
            "Remove one of them.\n",
        ),
    ],
)
def test_invalid_requirement_is_rejected_before_the_run(lab, valor, options, message):
    given = [part for one in options for part in ("--require", one)]
    result = valor("run", "config.yaml", *given)

    assert result.exit_code == 2
    assert result.stderr.removeprefix("valor: ").removeprefix("config.yaml: ") == message


@pytest.mark.usefixtures("lab")
def test_slices_are_names_with_commas(valor):
    record = json.loads(valor("run", "config.yaml", "--slices", "first, last", "--json").stdout)

    assert record["config"]["slices"] == ["first", "last"]
    listed = valor("run", "config.yaml", "--slices", '[["first"]]', "--json").stdout
    assert [one["slice"] for one in json.loads(listed)["slices"]] == [
        one["slice"] for one in record["slices"] if "first" in one["slice"]
    ]


@pytest.mark.usefixtures("lab")
def test_slice_by_a_missing_field_suggests_the_nearest(valor):
    result = valor("run", "config.yaml", "--slices", "frist", "-q")

    assert result.exit_code == 2
    assert "no item has the metadata field 'frist'; did you mean 'first'?" in result.stderr
    empty = valor("run", "config.yaml", "--slices", ",")
    assert empty.stderr == (
        "valor: --slices: expected metadata fields, got ','\nWrite it as: --slices site,age\n"
    )


@pytest.mark.usefixtures("lab")
def test_worst_slices_follow_slices(valor):
    result = valor("run", "config.yaml", "--slices", "first", "--worst-slices", "2", "--json")

    assert json.loads(result.stdout)["config"]["slices"] == {"by": [["first"]], "worst": 2}


def test_open_shows_the_page_of_the_output(lab, valor, opened):
    result = valor("run", "config.yaml", "--open", "-o", "r.html", "-o", "r.json")

    assert result.exit_code == 0
    assert opened == [(Path.cwd() / "r.html").as_uri()]
    assert result.stderr == "report written to r.html\nreport written to r.json\n"


@pytest.mark.usefixtures("lab")
def test_open_without_a_page_writes_one_and_names_it(valor, opened, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = valor("run", "config.yaml", "--open")

    (address,) = opened
    page = Path(address.removeprefix("file://"))
    assert page.is_relative_to(tmp_path)
    assert result.stderr == f"report written to {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.usefixtures("lab")
def test_open_without_a_browser_prints_the_address(valor, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)

    result = valor("run", "config.yaml", "--open", "-o", "r.html", "-q")

    assert result.exit_code == 0
    assert result.stderr == (
        "valor: warning: found no browser for --open\n"
        f"Open it with: {(Path.cwd() / 'r.html').as_uri()}\n"
    )


def test_open_accepts_one_run(lab, valor, opened):
    (lab / "runs.yaml").write_text((lab / "config.yaml").read_text() + "\nruns: [small, large]\n")

    result = valor("run", "runs.yaml", "--open")
    assert result.exit_code == 2
    assert result.stderr == (
        "valor: --open: expected one run, got 2\nSelect one with: --only small\n"
    )
    assert valor("run", "runs.yaml", "--open", "--only", "large", "-o", "l.html").exit_code == 0
    assert opened == [(Path.cwd() / "l-large.html").as_uri()]


@pytest.mark.usefixtures("lab")
def test_rerun_has_the_same_options(valor, opened):
    assert valor("run", "config.yaml", "-o", "r.json", "-q").exit_code == 0

    options = ("--require", "Loudness >= 0.9", "--slices", "first", "-o", "b.json", "-o", "b.html")
    result = valor("rerun", "r.json", *options, "--open", "-q")

    assert result.exit_code == 1
    assert "valor: Loudness >= 0.9: 0.6, not met\n" in result.stderr
    assert [part[0].slice for part in Report.load("b.json").slices] == [{"first": "H"}]
    assert opened == [(Path.cwd() / "b.html").as_uri()]


def test_requirement_of_data_files_names_the_metric(tmp_path, valor):
    (tmp_path / "preds.csv").write_text("uid,label,prediction\na,cat,cat\nb,dog,cat\n")

    result = valor("run", str(tmp_path / "preds.csv"), "--require", "Accuracy >= 0.9")

    assert result.exit_code == 1
    assert "Accuracy  0.5000" in result.stdout
    assert result.stderr == "valor: Accuracy >= 0.9: 0.5, not met\n"


@pytest.mark.usefixtures("lab")
def test_items_lists_rows_in_the_report_or_writes_a_file(valor):
    report = json.loads(valor("run", "config.yaml", "--items", "--json").stdout)
    (table,) = report["items"]
    assert report["config"]["items"] is True

    result = valor("run", "config.yaml", "--items", "rows.jsonl", "--json")
    written = [json.loads(line) for line in Path("rows.jsonl").read_text().splitlines()]
    assert "items" not in json.loads(result.stdout)
    assert written == [
        {"metric": table["metric"], "parameters": table["parameters"], **row}
        for row in table["rows"]
    ]


@pytest.mark.usefixtures("lab")
def test_items_with_another_file_is_rejected(valor):
    result = valor("run", "--items", "config.yaml")

    assert (result.exit_code, result.stderr) == (
        2,
        "valor: --items: expected true or a name in .jsonl or .parquet, got 'config.yaml'\n"
        "Write it as: --items true\n",
    )
