from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve

from valor_core import Failed, Undefined, evaluate
from valor_core.results import DetailColumns, ItemRows, Numbers
from valor_core.schemas.text.batch import Text
from valor_core.scoring.decorator import FunctionMetricSpec
from valor_core.specs import Range

NAN = float("nan")
ITEMS = [Text("q1", response="a"), Text("q2", response="b"), Text("q3", response="c")]
UIDS = np.array(["q1", "q2", "q3"])


def spec_of(answer: Any) -> FunctionMetricSpec:
    return FunctionMetricSpec(
        name="mylab.Answer",
        task="text",
        summary="An answer",
        implementation="mylab.answer:score",
        higher_is_better=None,
        range=Range(),
        batched=True,
        score=lambda batch, parameters, resources: answer,
    )


def rows_of(answer: Any) -> Any:
    (table,) = evaluate(ITEMS, [spec_of(answer)], items=True).items
    return table.rows


def numbers(values: Any, codes: Any = (0, 0, 0), gaps: Any = ()) -> Numbers:
    return Numbers(np.array(values, float), np.array(codes, np.uint8), gaps)


GAPS = (Undefined("no words"), Failed("odd"))


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        (np.array([1, 0, 1]), [1.0, 0.0, 1.0]),
        (np.array([True, False, True]), [1.0, 0.0, 1.0]),
        (numbers([1, 9, 9], [0, 1, 2], GAPS), [1.0, *GAPS]),
        ({"a": np.array([1, 2, 3])}, [{"a": 1.0}, {"a": 2.0}, {"a": 3.0}]),
        (
            {"a": np.array([1, 2, 3]), "b": numbers([1, 9, 9], [0, 1, 2], GAPS)},
            [{"a": 1.0, "b": 1.0}, {"a": 2.0, "b": GAPS[0]}, {"a": 3.0, "b": GAPS[1]}],
        ),
        (
            ItemRows(UIDS, {"a": numbers([1, 2, 3]), "": numbers([9, 9, 9], [2, 2, 1], GAPS)}),
            [GAPS[1], GAPS[1], GAPS[0]],
        ),
        (
            numbers([1, NAN, float("inf")]),
            [
                1.0,
                Failed("expected a finite number from mylab.Answer, got nan"),
                Failed("expected a finite number from mylab.Answer, got inf"),
            ],
        ),
        (numbers([1, NAN, 2], [0, 1, 0], GAPS), [1.0, GAPS[0], 2.0]),
    ],
)
def test_columns_become_rows(answer: Any, values: list[Any]) -> None:
    rows = rows_of(answer)

    assert [row.value for row in rows] == values
    assert [row.uid for row in rows] == ["q1", "q2", "q3"]


def test_missing_number_is_zero_in_column() -> None:
    rows = rows_of(numbers([1, NAN, 7], [0, 1, 1], GAPS))

    assert rows.numbers[""].values.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "details",
    [
        DetailColumns({"edits": np.array([4, 5])}, np.array([0, 2])),
        {0: {"edits": 4}, 2: {"edits": np.int64(5)}},
    ],
)
def test_columns_keep_details(details: Any) -> None:
    rows = rows_of(ItemRows(UIDS, {"": numbers([1, 2, 3])}, details))

    assert [(row.uid, row.value, row.details.get("edits")) for row in rows] == [
        ("q1", 1.0, 4),
        ("q2", 2.0, None),
        ("q3", 3.0, 5),
    ]


def test_rows_copy_the_arrays_of_a_metric() -> None:
    values, codes, edits = np.ones(3), np.zeros(3, np.uint8), np.array([1, 2, 3])
    details = DetailColumns({"edits": edits}, np.arange(3))
    rows = rows_of(ItemRows(UIDS, {"": Numbers(values, codes)}, details))

    values[:], codes[:], edits[:] = 7, 1, 7

    assert [(row.value, row.details["edits"]) for row in rows] == [(1, 1), (1, 2), (1, 3)]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({}, "expected columns by name from mylab.Answer, got []"),
        ({1: np.ones(3)}, "expected columns by name from mylab.Answer, got [1]"),
        (
            {"": np.ones(3), "a": np.ones(3)},
            "expected a name for every number from mylab.Answer, got '' among others",
        ),
        (
            {"a": [1, 2, 3]},
            "expected 3 numbers in an array from mylab.Answer['a'], got [1, 2, 3]",
        ),
        (
            {"a": np.ones(2)},
            "expected 3 numbers in an array from mylab.Answer['a'], got array of float64, "
            "shape (2,)",
        ),
        (
            {"a": np.ones(3), "b": Numbers(np.ones(2), np.zeros(2, np.uint8))},
            "expected 3 values in an array from mylab.Answer['b'], got array of float64, "
            "shape (2,)",
        ),
        (
            Numbers(np.ones(3), np.zeros(3, np.int64)),  # type: ignore[arg-type]
            "expected 3 unsigned codes from mylab.Answer, got array of int64, shape (3,)",
        ),
        (
            numbers([1, 2, 3], [0, 1, 2], GAPS[:1]),
            "expected codes up to 1 from mylab.Answer, got 2",
        ),
        (
            numbers([1, 2, 3], [0, 1, 0], ("no words",)),
            "expected reasons from mylab.Answer, got 'no words'",
        ),
        (
            ItemRows(UIDS[:2], {"": numbers([1, 2, 3])}),
            "expected 3 rows from mylab.Answer, got 2",
        ),
        (
            ItemRows(UIDS[::-1], {"": numbers([1, 2, 3])}),
            "expected rows from mylab.Answer in the order of the items",
        ),
        (
            ItemRows(UIDS, {"": numbers([1, 2, 3])}, {3: {"edits": 1}}),
            "details: expected positions below 3, got 3",
        ),
        (
            ItemRows(
                UIDS, {"": numbers([1, 2, 3])}, DetailColumns({"n": np.ones(1)}, np.array([3]))
            ),
            "details: expected positions below 3, got 3",
        ),
        (
            ItemRows(
                UIDS, {"": numbers([1, 2, 3])}, DetailColumns({"n": np.array([NAN])}, np.array([0]))
            ),
            "details['n'][0] must be finite, got nan",
        ),
        (
            ItemRows(UIDS, {"": numbers([1, 2, 3])}, {0: {"reply": object}}),
            "details['reply'] must be numbers, strings, lists and mappings, got <class 'object'>",
        ),
    ],
)
def test_invalid_columns_fail_only_that_metric(answer: Any, error: str) -> None:
    other = evolve(spec_of(np.ones(3)), name="mylab.Other")

    report = evaluate(ITEMS, [spec_of(answer), other], items=True)

    assert [row.value for row in report.items[0].rows] == [Failed(error)] * 3
    assert report["Other"].value == 1.0
