"""Predicted labels without scores."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from valor_classification.readers.arrays import from_predicted

from valor_core import evaluate
from valor_core.errors import ParameterError, ReadError
from valor_core.schemas.classification import Classification

from .files import METRICS, error, read, written
from .support import by_label, results_of

TRUE = ["dog", "cat", "cat", "dog", "owl"]
PREDICTED = ["dog", "dog", "cat", "dog", "cat"]


def table(folder: Path, suffix: str) -> Path:
    path = folder / f"t{suffix}"
    frame = pd.DataFrame({"uid": list("abcde"), "label": TRUE, "prediction": PREDICTED})
    if suffix == ".parquet":
        frame.to_parquet(path, row_group_size=2)
    elif suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("partition_bytes", [1, 1 << 20])
def test_predicted_labels_are_those_of_from_predicted(
    tmp_path: Path, suffix: str, partition_bytes: int
) -> None:
    batch = from_predicted(TRUE, PREDICTED, uids=list("abcde"))

    report = read("predicted", path=table(tmp_path, suffix), partition_bytes=partition_bytes)

    assert report.results == results_of(batch, *METRICS)
    assert report["Accuracy"].value == 3 / 5


def test_columns_of_scikit_learn_and_no_uid(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 3, (2, 60))
    rows = [f"{t},{p}" for t, p in zip(true, predicted, strict=True)]
    path = written(tmp_path, "t.csv", "y_true,y_pred", *rows)

    names = {"label": "y_true", "prediction": "y_pred"}
    report = read("predicted", "F1", path=path, partition_bytes=50, **names)

    assert report.counts["read"] == 60
    assert report.find("F1", average="macro").value == f1_score(true, predicted, average="macro")


def test_labels_may_be_lists_or_nothing(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"uid": "a", "label": ["dog", "cat"], "prediction": ["cat", "owl"], "city": "Oslo"},
        {"uid": "b", "label": "dog", "prediction": None, "city": "Rome"},
        {"uid": "c", "label": [], "prediction": "dog", "city": "Oslo"},
    ]
    items = [
        Classification("a", ["dog", "cat"], {"cat": 1.0, "owl": 1.0}),
        Classification("b", "dog"),
        Classification("c", [], {"dog": 1.0}),
    ]
    path = written(tmp_path, "t.jsonl", *map(json.dumps, rows))
    choice = {"name": "Counts", "hardmax": False, "score_thresholds": 0.5}

    report = read("predicted", choice, path=path, options={"slices": ["city"]})

    assert report.results == results_of(items, choice)
    assert list(report.slice(city="Oslo")) == list(results_of([items[0], items[2]], choice))
    assert by_label(report.results)["dog"] == {"tp": 0, "fp": 1, "fn": 2, "tn": 0}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["uid,label,predicted", "a,dog,dog"], "Did you mean 'predicted'?"),
        (
            ["uid,label,prediction", "a,dog,dog", "a,cat,dog"],
            "row 3, column 'uid': expected each uid once, found 'a'",
        ),
        (
            ["uid,label,prediction", 'a,dog,"[""cat"", ""cat""]"'],
            "item 'a', predictions: expected each label once, found 'cat' twice",
        ),
        (
            ["uid,label,prediction", "a,dog,[0.5]"],
            "row 2, column 'prediction': expected a label as text or whole number, found 0.5",
        ),
    ],
)
def test_errors_of_predicted_labels_name_the_place(
    tmp_path: Path, lines: list[str], words: str
) -> None:
    assert words in error("predicted", path=written(tmp_path, "t.csv", *lines))


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_classes_that_pandas_made_floats_are_whole_numbers(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame({"y_true": [1, 0, 1], "y_pred": [1.0, 0.0, 0.0]})
    path = tmp_path / f"t{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    else:
        rows = frame.to_dict("records")
        text = "\n".join(map(json.dumps, rows)) if suffix == ".jsonl" else json.dumps(rows)
        path.write_text(text)

    report = read("predicted", path=path, label="y_true", prediction="y_pred")

    assert report["Accuracy"].value == 2 / 3
    assert evaluate(frame, ["Accuracy"])["Accuracy"].value == 2 / 3
    lists = evaluate(frame.y_true.tolist(), frame.y_pred.tolist(), ["Accuracy"])
    assert lists["Accuracy"].value == 2 / 3


def test_missing_class_next_to_float_classes_is_missing() -> None:
    report = evaluate({"y_true": [1.0, float("nan"), 0.0], "y_pred": [1, 1, 1]}, ["Accuracy"])

    assert report["Accuracy"].value == 1 / 2
    assert "1 row without a label in 'y_true'" in report.warnings[0]


def test_text_of_a_csv_stays_text_and_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y_true,y_pred\n1,1.0\n0,0\n")

    report = read("predicted", path=path, label="y_true", prediction="y_pred")

    assert report["Accuracy"].value == 1 / 2
    (warning,) = report.warnings
    assert "'1.0' (predicted) and '1' (true)" in warning


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "expected a label as text or whole number, found 1.5"),
        (True, "expected a label as text or whole number, found True"),
        (2.0**53, "expected a label as text or whole number, found 9007199254740992.0"),
        (float("inf"), "expected a label as text or whole number, found inf"),
    ],
)
def test_class_that_is_not_an_integer_is_rejected(value: Any, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        evaluate({"y_true": [value, 0], "y_pred": [1, 1]}, ["Accuracy"])


def test_items_of_one_file_alone_are_counted_with_their_rows(tmp_path: Path) -> None:
    truths = written(tmp_path, "t.csv", "uid,label,site", "a,cat,east", "b,dog,west", "c,cat,east")
    predictions = written(tmp_path, "p.csv", "uid,prediction,ink", "d,cat,dark", "b,dog,light")

    report = read(
        "predicted",
        "Counts",
        path=truths,
        predictions=predictions,
        options={"slices": ["site", "ink"]},
    )

    # cat: true of a and c, predicted of d; dog: true and predicted of b
    assert [one.value for one in report.results] == [
        {"tp": 0, "fp": 1, "fn": 2, "tn": 1},
        {"tp": 1, "fp": 0, "fn": 0, "tn": 3},
    ]
    assert report.slice(ink="light").find("Counts", label="dog")[0].value["tp"] == 1
    assert report.slice(site="east").find("Counts", label="cat")[0].value["fn"] == 2
    assert set(report.warnings) == {  # in the order of the paths
        f"1 row with a prediction whose item is not in {truths} (first: {predictions}:2)",
        f"2 rows with a ground truth whose item is not in {predictions} (first: {truths}:2)",
    }


def test_an_item_twice_in_the_predictions_is_named(tmp_path: Path) -> None:
    truths = written(tmp_path, "t.csv", "uid,label", "a,cat")
    predictions = written(tmp_path, "p.csv", "uid,prediction", "a,cat", "a,dog")

    with pytest.raises(
        ReadError, match="row 3, column 'uid': expected each uid once, found 'a' as in row 2"
    ):
        read("predicted", path=truths, predictions=predictions)
    with pytest.raises(ParameterError, match="path must name one table next to predictions, got 2"):
        read("predicted", path=[truths, tmp_path / "u.csv"], predictions=predictions)
