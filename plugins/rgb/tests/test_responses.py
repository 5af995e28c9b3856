from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from valor_rgb.parameters.rules import ABILITIES
from valor_rgb.readers.responses import detected
from valor_testing import check_reader

from valor_core import Report, evaluate
from valor_core.errors import ConfigError, ParameterError, ReadError
from valor_core.specs import ReaderSpec, Registry

from .data_files import write_lines

ROWS = [
    {"id": 1, "prediction": "It is Paris.", "ans": [["Paris", "paris"]], "query": "?"},
    {"id": 2, "prediction": "Lyon", "ans": ["Paris"], "query": "?"},
]


def run(metrics: list[str], **data: Any) -> Report:
    return evaluate({"reader": "responses", **data}, metrics, task="rgb", items=True)


def test_the_output_of_the_papers_program_is_read(tmp_path: Path) -> None:
    rows = [{**row, "noise_rate": 0.4, "label": [1], "docs": ["d"], "factlabel": 0} for row in ROWS]
    path = write_lines(tmp_path / "prediction_en_noise0.4.json", rows)

    report = run(["NoiseRobustness"], path=path, ability="noise_robustness")

    assert report.find("NoiseRobustness", noise_ratio=0.4).value == 1 / 2


def test_files_of_one_noise_ratio_each_get_it_from_parameters(tmp_path: Path) -> None:
    clean = write_lines(tmp_path / "clean.jsonl", ROWS)
    noisy = write_lines(tmp_path / "noisy.jsonl", [ROWS[1]])

    report = run(
        ["NoiseRobustness", "Verdicts"],
        path=[clean, noisy],
        ability="noise_robustness",
        noise_ratio=[0.0, 0.8],
    )

    assert report.find("NoiseRobustness", noise_ratio=0.0).value == 1 / 2
    assert report.find("NoiseRobustness", noise_ratio=0.8).value == 0.0
    # Both files have a row 2.
    assert [row.uid for row in report.items[0].rows] == ["clean/1", "clean/2", "noisy/2"]


def test_files_of_one_ability_each_get_it_from_parameters(tmp_path: Path) -> None:
    noise = write_lines(tmp_path / "noise.jsonl", ROWS)
    refused = tmp_path / "refused.csv"
    refused.write_text("uid,output\na,I cannot answer.\nb,Paris\n")

    report = run(
        ["NoiseRobustness"], path=noise, ability="noise_robustness", columns={"response": "query"}
    )
    other = run(
        ["NegativeRejection"],
        path=refused,
        ability="negative_rejection",
        columns={"response": "output"},
    )
    both = run(
        ["NoiseRobustness", "NegativeRejection"],
        path=[noise, write_lines(tmp_path / "b.json", [{"response": "I do not know."}])],
        ability=["noise_robustness", "negative_rejection"],
    )

    assert report.find("NoiseRobustness", noise_ratio=None).value == 0.0
    assert other["NegativeRejection"].value["rejection_rate"] == 1 / 2
    assert both["NegativeRejection"].value["rejection_rate"] == 1.0
    assert both.results[0].value == 1 / 2


def test_row_overrides_the_parameters_of_its_file(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"uid": "a", "response": "Paris", "answers": "Paris", "noise_ratio": 0.2},
        {"uid": "b", "response": "Paris", "answers": "Paris"},
        {"uid": "c", "response": "Paris", "ability": "negative_rejection"},
    ]

    report = run(
        ["NoiseRobustness"],
        path=write_lines(tmp_path / "a.jsonl", rows),
        ability="noise_robustness",
        noise_ratio=0.6,
    )

    assert [one.parameters.get("noise_ratio") for one in report] == [0.2, 0.6, None]
    assert dict(report.results[0].left_out) == {"of another ability": 1}


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (
            {},
            ReadError,
            r"a\.jsonl: expected a field 'ability' of what each response tests, the fields are .*\n"
            r"Name it for all rows, with the reader rgb.responses: ability: noise_robustness$",
        ),
        (
            {"ability": "noise"},
            ParameterError,
            r"^data\.ability.* must be one of 'noise_robustness', ",
        ),
        (
            {"ability": ["noise_robustness", "negative_rejection"]},
            ParameterError,
            r"^data\.ability must be one for all files or one for each of 1, got 2$",
        ),
        (
            {"noise_ratio": [0.2, 0.4]},
            ParameterError,
            r"^data\.noise_ratio must be one for all files or one for each of 1, got 2$",
        ),
        (
            {"columns": {"reponse": "a"}},
            ParameterError,
            r"^data\.columns\.reponse: unknown field\nDid you mean 'response'\?$",
        ),
        (
            {"ability": "noise_robustness", "columns": {"response": "output"}},
            ReadError,
            r"a\.jsonl: expected a field 'output' for 'response', the fields are",
        ),
    ],
)
def test_inconsistent_parameters_are_rejected(
    tmp_path: Path, data: Any, error: type[Exception], message: str
) -> None:
    path = write_lines(tmp_path / "a.jsonl", ROWS)

    with pytest.raises(error, match=message):
        run(["NoiseRobustness"], path=path, **data)


def test_a_cell_that_does_not_fit_is_named(tmp_path: Path) -> None:
    rows = [*ROWS, {"id": 3, "prediction": 4, "ans": "Paris"}]
    path = write_lines(tmp_path / "a.jsonl", rows)

    with pytest.raises(ReadError, match="line 3, field 'prediction': expected a text, got 4"):
        run(["NoiseRobustness"], path=path, ability="noise_robustness")


def test_a_list_of_objects_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ROWS))

    report = run(["NoiseRobustness"], path=path, ability="noise_robustness", noise_ratio=0.2)

    assert report.find("NoiseRobustness", noise_ratio=0.2).value == 1 / 2


def test_the_reader_keeps_every_law_of_readers(tmp_path: Path) -> None:
    paths = [write_lines(tmp_path / name, ROWS) for name in ("a.json", "b.jsonl")]
    spec = Registry().find(ReaderSpec, "rgb.responses")

    check_reader(spec, {"path": list(map(str, paths)), "ability": "noise_robustness"})


IN_MEMORY = [
    {"response": "It is Paris.", "answer": "Paris", "noise_ratio": 0.2, "city": "Paris"},
    {"response": "Lyon", "answer": "Paris", "noise_ratio": 0.2, "city": "Lyon"},
]


def test_rows_in_memory_that_name_their_ability_need_no_reader(tmp_path: Path) -> None:
    rows = [{**row, "ability": "noise_robustness"} for row in IN_MEMORY]
    path = write_lines(tmp_path / "rows.jsonl", rows)

    for data in (rows, pd.DataFrame(rows), {"reader": "responses", "path": str(path)}):
        report = evaluate(data, ["NoiseRobustness"], task="rgb", slices=["city"])

        assert report.find("NoiseRobustness", noise_ratio=0.2).value == 1 / 2
        assert [len(part) > 0 for part in report.slices] == [True, True]
    assert evaluate(rows, ["NoiseRobustness"]).counts["read"] == 2


def test_tables_in_memory_get_their_ability_from_parameters() -> None:
    report = run(
        ["Verdicts"],
        path=[IN_MEMORY, IN_MEMORY[:1]],
        ability=["noise_robustness", "information_integration"],
    )

    rows = report.items[0].rows
    assert [row.uid for row in rows] == ["table 0/0", "table 0/1", "table 1/0"]


@pytest.mark.parametrize(
    "more", [{}, {"ability": "noise"}, {"ability": [3]}, {"output": "x", "response": None}]
)
def test_rows_in_memory_without_an_ability_suggest_the_reader(more: Any) -> None:
    with pytest.raises(
        ConfigError, match="data: no reader recognizes these columns: 'response', 'answer',"
    ):
        evaluate([{**IN_MEMORY[0], **more}], ["NoiseRobustness"], task="rgb")


def test_unknown_ability_is_rejected_with_its_row() -> None:
    rows = [{**row, "ability": "noise_robustness"} for row in IN_MEMORY]

    with pytest.raises(ReadError, match="expected one of noise_robustness, negative_rejection,"):
        evaluate([*rows, {**rows[0], "ability": "noise"}], ["NoiseRobustness"], task="rgb")


def test_files_that_name_abilities_are_recognized_with_the_metrics_of_all(tmp_path: Path) -> None:
    first, second = (
        write_lines(tmp_path / f"{ability}.jsonl", [{**IN_MEMORY[0], "ability": ability}])
        for ability in ("counterfactual_robustness", "noise_robustness")
    )
    other = write_lines(tmp_path / "other.jsonl", [{"ability": "noise_robustness"}])

    found = detected([first, second])

    assert found is not None
    assert found.data == {"path": [str(first), str(second)]}
    assert len(found.metrics) == len(ABILITIES) == 4  # later rows may be of the other two
    assert detected([first, other]) is None
    assert detected([first, tmp_path / "missing.jsonl"]) is None
