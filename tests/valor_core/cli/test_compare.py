from __future__ import annotations

import json

import pytest

from valor_core.report import Report
from valor_core.result import Result


@pytest.fixture
def reports(lab):
    for name, value in {"a.json": 0.5, "b.json": 0.75}.items():
        result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=value)
        Report(results=[result], counts={"read": 2}).save(name)


@pytest.mark.usefixtures("reports")
def test_it_says_what_is_better(valor):
    result = valor("compare", "a.json", "b.json")

    assert result.exit_code == 0
    assert "0.5000  0.7500     +0.2500  better" in result.stdout
    assert result.stderr == "1 number compared, 1 better\n"


@pytest.mark.usefixtures("reports")
def test_a_tolerance_makes_small_differences_the_same(valor):
    result = valor("compare", "a.json", "b.json", "--tolerance", "0.3")

    assert result.stderr == "1 number compared, 1 same\n"


@pytest.mark.usefixtures("reports")
def test_json_is_the_comparison(valor):
    record = json.loads(valor("compare", "a.json", "b.json", "--json").stdout)

    assert record["changes"][0]["verdict"] == "better"


@pytest.mark.usefixtures("lab")
def test_slices_are_compared(lab, valor):
    valor("run", "config.yaml", "-q", "--set", "slices=first", "-o", "a.json")
    (lab / "lines.txt").write_text("Hello\nHelp\n")
    valor("run", "config.yaml", "-q", "--set", "slices=first", "-o", "b.json")

    result = valor("compare", "a.json", "b.json")

    assert "Loudness  first:H  0.6000  0.2250     -0.3750  worse" in result.stdout
    assert result.stderr == "2 numbers compared, 2 worse\n"


@pytest.mark.usefixtures("reports")
def test_what_is_no_report_is_a_wrong_request(valor):
    result = valor("compare", "a.json", "config.yaml")

    assert result.exit_code == 2
    assert "config.yaml, line 1: expected a report as JSON" in result.stderr
