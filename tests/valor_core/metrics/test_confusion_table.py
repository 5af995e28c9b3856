"""Confusion tables: values of confusion matrices that stay arrays."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from valor_core.results.confusion_table import ConfusionTable
from valor_core.results.report import Report
from valor_core.results.result import Result


def table(size: int, **more: Any) -> ConfusionTable:
    """Table with counts 5 and 2 in the first row, and one unmatched object per side."""
    last = size - 1
    return ConfusionTable(
        labels=[f"l{i}" for i in range(size)],
        rows=np.array([0, 0, last, size]),
        columns=np.array([0, 1, size, last]),
        numbers=np.array([5, 2, 1, 3]),
        **more,
    )


@pytest.mark.parametrize("size", [2, 100, 101, 1_001])
def test_value_has_all_cells_for_any_number_of_labels(size: int) -> None:
    value = Result(value=table(size)).value
    last = f"l{size - 1}"
    assert value["confusion_matrix"]["l0"] == {f"l{i}": [5, 2, 0][min(i, 2)] for i in range(size)}
    assert sum(value["confusion_matrix"][last].values()) == 0
    assert len(value["confusion_matrix"]) == size
    assert value["unmatched_ground_truths"][last] == 1
    assert value["unmatched_predictions"] == {f"l{i}": 3 * (i == size - 1) for i in range(size)}


def test_value_of_up_to_1000_labels_is_made_of_built_in_dictionaries() -> None:
    assert type(Result(value=table(1_000)).value["confusion_matrix"]) is dict


def test_json_of_up_to_100_labels_includes_zeros() -> None:
    record = Result(value=table(100)).to_dict()["value"]
    assert record["confusion_matrix"]["l5"] == dict.fromkeys((f"l{i}" for i in range(100)), 0)


def test_json_of_many_labels_omits_zeros() -> None:
    record = Result(value=table(101, more={"background": 7})).to_dict()["value"]
    assert record["confusion_matrix"] == {"l0": {"l0": 5, "l1": 2}} | {
        f"l{i}": {} for i in range(1, 101)
    }
    assert record["unmatched_ground_truths"] == {"l100": 1}
    assert record["unmatched_predictions"] == {"l100": 3}
    assert record["background"] == 7


@pytest.mark.parametrize("size", [2, 101, 1_001])
@pytest.mark.parametrize("with_examples", [False, True])
def test_loaded_report_has_the_same_cells(size: int, with_examples: bool) -> None:
    examples = {(0, 1): [{"datum_id": "a"}]} if with_examples else None
    report = Report(results=[Result(type="M", value=table(size, examples=examples))])
    loaded = Report.from_dict(json.loads(report.to_json()))
    assert loaded[0].value == report[0].value
    assert loaded.to_json() == report.to_json()


def test_cells_without_examples_have_empty_lists() -> None:
    held = table(2, examples={(0, 1): [{"datum_id": "a"}], (2, 1): [{"datum_id": "b"}]})
    assert held.plain() == {
        "confusion_matrix": {
            "l0": {
                "l0": {"count": 5, "examples": []},
                "l1": {"count": 2, "examples": [{"datum_id": "a"}]},
            },
            "l1": {"l0": {"count": 0, "examples": []}, "l1": {"count": 0, "examples": []}},
        },
        "unmatched_ground_truths": {
            "l0": {"count": 0, "examples": []},
            "l1": {"count": 1, "examples": []},
        },
        "unmatched_predictions": {
            "l0": {"count": 0, "examples": []},
            "l1": {"count": 3, "examples": [{"datum_id": "b"}]},
        },
    }


def test_table_without_any_cell_has_labels() -> None:
    none = np.zeros(0, np.int64)
    held = ConfusionTable(labels=["a", "b"], rows=none, columns=none, numbers=none)
    assert held.plain()["confusion_matrix"] == {"a": {"a": 0, "b": 0}, "b": {"a": 0, "b": 0}}


@pytest.mark.parametrize(
    "damage",
    [
        {"unmatched_predictions": None},
        {"unmatched_predictions": {"unknown": 1}},
        {"confusion_matrix": {f"l{i}": {"l0": "many"} for i in range(200)}},
        {"confusion_matrix": {f"l{i}": 3 for i in range(200)}},
        {"confusion_matrix": {f"l{i}": {"l0": {"examples": []}} for i in range(200)}},
    ],
)
def test_other_value_is_not_converted(damage: dict[str, Any]) -> None:
    value = table(200).to_json() | damage
    assert ConfusionTable.of_json(value) is None
    assert Result.from_dict({"type": "M", "value": value}).value == value


def test_tables_are_compared_by_their_cells() -> None:
    one, other = table(2_000), table(2_000)
    assert one == other
    changed = ConfusionTable(
        labels=one.labels, rows=one.rows, columns=one.columns, numbers=np.array([5, 2, 1, 4])
    )
    assert one != changed
    assert one != table(2_001)
    assert one != "something else"
