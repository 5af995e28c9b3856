"""Rows of items in a report: by name, as records and as data frames."""

from __future__ import annotations

import pickle
import re

import pytest

from valor_core import Report, evaluate
from valor_core.errors import ReportError

TABLE = {
    "y_true": ["cat", "dog", "dog"],
    "y_pred": ["cat", "cat", "dog"],
    "site": ["north", "south", "north"],
    "uid": ["a", "b", "c"],
}


@pytest.fixture(scope="module")
def report() -> Report:
    metrics = ["Accuracy", "F1", {"name": "F1", "average": "macro"}]
    return evaluate(TABLE, metrics, items=True, slices=["site"])


def test_rows_of_a_metric_are_found_by_its_name(report: Report) -> None:
    accuracy = report.items["accuracy"]

    assert accuracy is report.items[0] is report.items["classification.Accuracy"]
    assert {row.uid: row.value for row in accuracy} == {"a": 1, "b": 0, "c": 1}
    assert len(accuracy) == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Acuracy", "items: no rows of 'Acuracy'\nDid you mean 'Accuracy'?"),
        ("ROC", "items: no rows of 'ROC'\nAvailable: Accuracy, F1."),
        (
            "F1",
            "items: expected one table of 'F1', found 2\n"
            "Choose one by its position: report.items[1]",
        ),
    ],
)
def test_other_names_suggest_what_works(report: Report, name: str, message: str) -> None:
    with pytest.raises(ReportError, match=f"^{re.escape(message)}$"):
        report.items[name]


def test_report_without_items_says_how_to_get_them() -> None:
    with pytest.raises(ReportError, match="Evaluate with items=True"):
        evaluate(TABLE, ["Accuracy"]).items["Accuracy"]


def test_frame_has_numbers_details_and_slices(report: Report) -> None:
    frame = report.items["Accuracy"].to_frame()

    assert frame.index.tolist() == ["a", "b", "c"]
    columns = ["value", "truth", "prediction", "score", "wrong", "slices.site"]
    assert frame.columns.tolist() == columns
    assert frame.loc["b"].tolist() == [0.0, "dog", "cat", 1.0, "predicted cat, true dog", "south"]
    every = report.items.to_frame()
    assert len(every) == 9
    assert every["metric"].unique().tolist() == ["classification.Accuracy", "classification.F1"]


def test_frame_of_missing_numbers_has_reasons() -> None:
    items = [{"uid": "q1", "response": "a", "references": []}]
    (record,) = evaluate(items, ["text.ExactMatch"], items=True).items[0].to_records()

    assert (record["value"], record["reason"]) == (None, "no references")
    assert evaluate([], ["text.ExactMatch"], items=True).items.to_frame().empty


def test_tables_survive_files_and_pickles(report: Report) -> None:
    assert pickle.loads(pickle.dumps(report)).items == report.items
    loaded = Report.from_dict(report.to_dict())
    assert loaded.items == report.items
    assert loaded.items["Accuracy"].to_records() == report.items["Accuracy"].to_records()
