"""Requirements that a number is not worse than in an earlier report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_cli.config.config_file import Request
from valor_cli.run import run_config

from valor_core import Report, Text, evaluate
from valor_core.errors import ConfigError


def answers(rights: Any, **options: Any) -> Report:
    items = [
        Text(f"q{i}", response="yes" if right else "no", references="yes")
        for i, right in enumerate(rights)
    ]
    return evaluate(items, ["text.ExactMatch"], **{"confidence": 0.95, **options})


@pytest.fixture(scope="module")
def rights() -> dict[str, Any]:
    random = np.random.default_rng(1)
    hard = random.random(300)
    return {
        "first": hard < 0.6,
        "noise": np.where(random.random(300) < 0.05, hard >= 0.6, hard < 0.61),
        "better": hard < 0.75,
        "worse": hard < 0.45,
    }


@pytest.fixture
def baseline(rights: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    answers(rights["first"]).save("base.json")
    return tmp_path / "base.json"


def outcome(report: Report) -> Any:
    (found,) = report.requirements
    return found


@pytest.mark.usefixtures("baseline")
def test_better_model_passes_and_worse_one_fails(rights: dict[str, Any]) -> None:
    require = {"ExactMatch": {"not_worse_than": "base.json"}}
    better, worse = (answers(rights[one], require=require) for one in ("better", "worse"))

    assert better.ok
    assert not worse.ok
    assert "cannot tell" not in str(outcome(worse))
    assert str(outcome(better)).startswith("ExactMatch not worse than base.json, alpha 0.05: 0.")
    assert str(outcome(better)).endswith(", met")


@pytest.mark.usefixtures("baseline")
def test_noise_is_undecided_and_gives_the_number_of_items_needed(rights: dict[str, Any]) -> None:
    report = answers(rights["noise"], require={"ExactMatch": {"not_worse_than": "base.json"}})

    assert not report.ok
    assert "cannot tell: " in str(outcome(report))
    assert " more items needed" in str(outcome(report))


@pytest.mark.usefixtures("baseline")
def test_margin_accepts_a_small_loss(rights: dict[str, Any]) -> None:
    require = {"ExactMatch": {"not_worse_than": "base.json", "margin": 0.2}}

    assert answers(rights["noise"], require=require).ok


@pytest.mark.usefixtures("baseline")
def test_same_model_passes(rights: dict[str, Any]) -> None:
    assert answers(rights["first"], require={"ExactMatch": {"not_worse_than": "base.json"}}).ok


@pytest.mark.usefixtures("baseline")
def test_outcome_is_kept_in_the_saved_report(rights: dict[str, Any]) -> None:
    report = answers(rights["better"], require={"ExactMatch": {"not_worse_than": "base.json"}})
    report.save("now.json")

    assert str(outcome(Report.load("now.json"))) == str(outcome(report))
    assert "baseline" not in report.to_dict()["requirements"][0]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ({"not_worse_than": "missing.json"}, {}),
        ({"not_worse_than": "base.json", "margin": -1}, {}),
        ({"not_worse_than": "base.json", "alpha": 0.5}, {}),
        ({"not_worse_then": "base.json"}, {}),
        ({"not_worse_than": "base.json"}, {"confidence": None}),
        ({"not_worse_than": "base.json"}, {"confidence": {"groups": 20}}),
        ({"not_worse_than": "plain.json"}, {}),
    ],
)
@pytest.mark.usefixtures("baseline")
def test_requirement_that_cannot_be_judged_is_rejected_before_the_run(
    rights: dict[str, Any], table: dict[str, Any], options: dict[str, Any]
) -> None:
    answers(rights["first"], confidence=None).save("plain.json")

    with refused(ConfigError):
        answers(rights["first"], require={"ExactMatch": table}, **options)


def test_metric_that_the_earlier_report_lacks_is_named(baseline: Path) -> None:
    report = evaluate(
        [Text("q", response="a", references="a"), Text("r", response="a", references="b")],
        ["text.ROUGE"],
        confidence=0.95,
        require={"ROUGE/rouge1": {"not_worse_than": str(baseline)}},
    )

    assert outcome(report).is_wrong


def test_path_in_a_config_is_relative_to_it_and_never_overwritten(
    rights: dict[str, Any], baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "\n".join(
        f"q{i},{'yes' if right else 'no'},yes" for i, right in enumerate(rights["first"])
    )
    (baseline.parent / "data.csv").write_text(f"uid,response,references\n{rows}\n")
    config = baseline.parent / "config.yaml"
    text = """
task: text
data: {reader: table, path: data.csv}
metrics: [ExactMatch]
confidence: 0.95
require: {ExactMatch: {not_worse_than: base.json}}
output: OUTPUT
"""
    config.write_text(text.replace("OUTPUT", "reports/now.json"))
    (baseline.parent / "other").mkdir()
    (baseline.parent / "reports").mkdir()
    monkeypatch.chdir(baseline.parent / "other")

    report = run_config(Request.from_file("../config.yaml"))

    assert report.ok
    assert report.config["require"]["ExactMatch"]["not_worse_than"] == "../base.json"
    config.write_text(text.replace("OUTPUT", "base.json"))
    with refused(ConfigError):
        run_config(Request.from_file("../config.yaml"))
