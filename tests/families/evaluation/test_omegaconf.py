from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from valor_core import Evaluator, evaluate
from valor_core.errors import ValorError

TRUTHS, PREDICTIONS = ["a", "b", "a"], ["a", "b", "b"]
KEYS = ("data", "metrics", "label_map", "slices", "require", "engine")


def config(text: str) -> Any:
    return OmegaConf.create(text)


def test_config_of_omegaconf_gives_report_of_plain_config(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("uid,label,score_cat,score_dog\n1,cat,0.9,0.1\n2,dog,0.8,0.2\n")
    chosen = config(
        """
        folder: ${oc.env:FOLDER}
        average: [macro, micro]
        data: {reader: wide, path: "${folder}/a.csv"}
        metrics:
          - Accuracy
          - {name: F1, average: "${average}"}
        label_map: {cat: pet}
        slices: []
        require: {Accuracy: ">= 0.4"}
        engine: {name: local, workers: 1}
        """
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOLDER", str(tmp_path))
        report = evaluate(**{key: chosen[key] for key in KEYS})
        plain = OmegaConf.to_container(chosen, resolve=True)

    assert isinstance(plain, dict)
    assert report == evaluate(**{key: plain[key] for key in KEYS})
    assert json.loads(report.to_json())["config"]["label_map"] == [
        [["class", "cat"], ["class", "pet"]]
    ]
    assert report.ok


def test_metrics_may_follow_predictions() -> None:
    chosen = config("metrics: [Accuracy, {name: F1, average: macro}]").metrics

    report = evaluate(TRUTHS, PREDICTIONS, chosen)

    assert report == evaluate(TRUTHS, PREDICTIONS, ["Accuracy", {"name": "F1", "average": "macro"}])


def test_lists_of_omegaconf_inside_of_plain_tables_are_parameters() -> None:
    averages = config("[macro, micro]")

    report = evaluate(TRUTHS, PREDICTIONS, [{"name": "F1", "average": averages}])

    assert [one.parameters["average"] for one in report] == ["macro", "micro"]


def test_sections_of_resources_may_be_of_omegaconf() -> None:
    text = (
        "judge: {client: {name: openai, model: m, base_url: 'http://localhost', headers: {a: b}}}"
    )
    sections = config(text)
    plain = {"judge": OmegaConf.to_container(sections.judge)}

    def bound(resources: Any) -> dict[str, Any]:
        return Evaluator(["llm.Bias"], resources=resources).evaluation.describe()

    assert bound(sections) == bound({"judge": sections.judge}) == bound(plain)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[Accuracy, {name: F1, average: '???'}]", "metrics[1].average: cannot be read, Missing"),
        ("['???', F1]", "metrics[0]: cannot be read, MissingMandatoryValue"),
        (
            "[{name: F1, average: '${nowhere}'}]",
            "metrics[0].average: cannot be read, Interpolation",
        ),
    ],
)
def test_value_that_omegaconf_cannot_read_is_located(text: str, error: str) -> None:
    for call in (lambda chosen: evaluate(TRUTHS, PREDICTIONS, chosen), Evaluator):
        with pytest.raises(ValorError, match=re.escape(error)):
            call(config(text))


def test_missing_path_of_data_is_located() -> None:
    with pytest.raises(ValorError, match=r"data\.path: cannot be read, MissingMandatoryValue"):
        evaluate(config("{reader: wide, path: '???'}"), ["Accuracy"])


def test_reference_of_valor_in_omegaconf_suggests_its_own() -> None:
    with pytest.raises(ValorError, match=r"oc\.env:NAME"):
        Evaluator(config("[{name: F1, average: '${env:AVERAGE}'}]"))
