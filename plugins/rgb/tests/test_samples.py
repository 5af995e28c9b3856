from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_files import Table
from valor_rgb import RGBBatch, RGBSample
from valor_rgb.samples.batch import FIELDS, from_table

from valor_core import evaluate
from valor_core.errors import ReadError, SchemaError
from valor_core.schemas import Datums


@pytest.mark.parametrize(
    ("given", "answers"),
    [
        ("Paris", (("Paris",),)),
        (["Paris"], (("Paris",),)),
        (["Ann", "1998"], (("Ann",), ("1998",))),
        ([["2 May", "May 2"]], (("2 May", "May 2"),)),
        (["Ann", ["2 May", "May 2"]], (("Ann",), ("2 May", "May 2"))),
        ([1998, ["98"]], (("1998",), ("98",))),
        (1998, (("1998",),)),
        ([], ()),
        (None, ()),
    ],
)
def test_answers_have_three_shapes(given: Any, answers: Any) -> None:
    assert RGBSample("a", "noise_robustness", answers=given).answers == answers
    assert RGBSample("a", "noise_robustness", answers=answers).answers == answers


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("answers", 0.5, "or a list of lists of texts, got 0.5"),
        ("answers", [["a", ["b"]]], "expected a text, a list of texts"),
        ("answers", True, "or a list of lists of texts, got True"),
        ("answers", "\ud83d", "expected Unicode text, got '\\ud83d'"),
        ("false_answer", {"a": 1}, "false_answer: expected a text"),
        ("noise_ratio", 1.5, "expected a number from 0 to 1, got 1.5"),
        ("noise_ratio", float("nan"), "expected a number from 0 to 1, got nan"),
        ("noise_ratio", "0.5", "expected a number from 0 to 1, got '0.5'"),
        ("noise_ratio", True, "expected a number from 0 to 1, got True"),
        ("closed_book", "yes", "expected true or false, got 'yes'"),
        ("response", 3, "expected a text, got 3"),
        ("contexts", 3, "expected texts, got 3"),
        ("contexts", ["a", 3], "expected texts, got 3 among them"),
    ],
)
def test_field_of_another_type_is_rejected(field: str, value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        RGBSample("a", "noise_robustness", **{field: value})


def test_unknown_ability_suggests_the_four() -> None:
    with refused(SchemaError):
        RGBSample("a", "noise_robustnes")


def test_a_batch_has_what_its_samples_have() -> None:
    samples = [
        RGBSample("a", "noise_robustness", "x", "y", noise_ratio=0.2, metadata={"file": "en"}),
        RGBSample("b", "counterfactual_robustness", closed_book=True, query="?", contexts=["c"]),
    ]

    batch = RGBBatch.of(samples)

    found = list(batch.items())
    assert found[0] == samples[0]
    assert found[1].metadata == {"file": None}
    assert list(batch.select(np.array([1])).items()) == found[1:]
    assert batch.renumber(5).datums.uids.tolist() == [5, 6]
    assert batch.relabel({}) is batch


def test_a_batch_checks_its_cells_and_names_the_item() -> None:
    columns: dict[str, Any] = {name: [None] for name in FIELDS} | {"ability": ["noise_robustness"]}

    with pytest.raises(SchemaError, match="item 'a', noise_ratio: expected a number from 0 to 1"):
        RGBBatch(Datums(["a"]), **columns | {"noise_ratio": [2]})
    with pytest.raises(SchemaError, match="expected 1 rows, got 2"):
        RGBBatch(Datums(["a"]), **columns | {"response": ["x", "y"]})
    with pytest.raises(SchemaError, match="item 'a', response: expected Unicode text"):
        RGBBatch(Datums(["a"]), **columns | {"response": ["\ud83d"]})


def test_labels_cannot_be_renamed() -> None:
    with pytest.raises(ReadError, match="batch 0: label_map: expected none"):
        evaluate(
            [RGBSample("a", "noise_robustness", "x", "y")],
            ["NoiseRobustness"],
            label_map={"cat": "dog"},
        )


def test_a_narrow_noise_ratio_is_the_decimal_that_it_was_written_as() -> None:
    cells: dict[str, Any] = {
        "ability": ["noise_robustness"],
        "response": ["x"],
        "noise_ratio": np.array([0.2], np.float32),
    }

    (sample,) = from_table(Table(cells, "a.parquet")).items()

    assert sample.noise_ratio == 0.2
    assert RGBSample("a", "noise_robustness", noise_ratio=np.float32(0.2)).noise_ratio == 0.2


def test_a_plain_table_has_our_names_or_those_of_the_papers_program(tmp_path: Path) -> None:
    ours = tmp_path / "ours.csv"
    ours.write_text(
        "uid,ability,response,answers,noise_ratio,closed_book,city\n"
        'a,noise_robustness,[Paris],"[""Paris"", [""1998"", ""98""]]",0.2,,x\n'
        "b,counterfactual_robustness,Rome,Rome,,true,\n"
    )
    theirs = tmp_path / "theirs.jsonl"
    theirs.write_text(
        '{"id": 7, "ability": "noise_robustness", "prediction": "Paris", "ans": "Paris", '
        '"noise_rate": 0.2, "docs": ["d"], "label": [1]}\n'
    )

    report = evaluate(
        {"reader": "csv", "path": ours}, ["Verdicts"], task="rgb", items=True, slices=["city"]
    )
    other = evaluate({"reader": "jsonl", "path": theirs}, ["NoiseRobustness"], task="rgb")

    first, second = report.items[0].rows
    assert (first.details["noise_ratio"], second.details["noise_ratio"]) == (0.2, None)
    assert (first.details["closed_book"], second.details["closed_book"]) == (False, True)
    assert [first.value["correct"], second.value["correct"]] == [0.0, 1.0]  # 1998 is missing
    assert other.find("NoiseRobustness", noise_ratio=0.2).value == 1.0


def test_a_list_of_references_is_of_spellings_and_one_of_answers_of_parts() -> None:
    cells: dict[str, Any] = {"actual_output": ["Paris"], "ability": ["noise_robustness"]}

    for name, answers in (
        ("references", (("Paris", "paris"),)),
        ("expected_output", (("Paris", "paris"),)),
        ("answers", (("Paris",), ("paris",))),
    ):
        (sample,) = from_table(Table(cells | {name: [["Paris", "paris"]]}, "a.jsonl")).items()
        assert sample.answers == answers
        assert sample.response == "Paris"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"response": ["x"]}, "expected a column 'ability' of what"),
        ({"ability": ["noise_robustness"]}, "expected a column 'response'"),
        ({"ability": ["noise"], "response": ["x"]}, "expected one of noise_robustness"),
        (
            {"ability": ["noise_robustness"], "response": ["x"], "noise_ratio": ["high"]},
            "expected a number, found 'high'",
        ),
        (
            {"ability": ["noise_robustness"], "response": ["x"], "answers": ["[1"]},
            "expected JSON, Expecting ',' delimiter",
        ),
        (
            {"ability": ["noise_robustness"], "response": ["x"], "closed_book": ["perhaps"]},
            "expected true or false, got 'perhaps'",
        ),
    ],
)
def test_a_cell_that_does_not_fit_is_named(cells: Any, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        from_table(Table(cells, "a.csv", is_text=True))
