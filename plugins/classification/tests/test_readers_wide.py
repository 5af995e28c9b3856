"""Wide tables: which labels the scores are of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core.errors import ParameterError

from .files import METRICS, error, read, written
from .support import by_label, results_of

BINARY = ("uid,y,p", "a,1,0.75", "b,0,0.25", "c,0,0.625", "d,1,0.5")
"""Four items, the probability of label 1 alone."""

# A true label that no score is of


@pytest.mark.parametrize(
    ("label", "near"),
    [("A", "Did you mean 'a'? "), ("a ", "Did you mean 'a'? "), ("zebra", "")],
)
def test_a_true_label_without_scores_is_an_error_and_no_miss(
    tmp_path: Path, label: str, near: str
) -> None:
    rows = ("1,a,0.9,0.1", f"2,{label},0.9,0.1", "3,b,0.2,0.8", f"4,{label},0.5,0.5")
    path = written(tmp_path, "t.csv", "uid,label,score_a,score_b", *rows)

    assert error("wide", path=path) == (
        f"{path}, row 3, column 'label': expected a label that a column has scores of "
        f"('a', 'b'), found {label!r} (and 1 more)\n"
        f"{near}Name the columns' labels under data.labels, or set data.unscored_labels: true to "
        "count others as missed."
    )


def test_a_label_written_as_a_decimal_is_not_the_whole_number(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "uid,label,score_0,score_1", "a,0.0,0.9,0.1")

    assert "expected a label that a column has scores of ('0', '1'), found '0.0'\n" in error(
        "wide", path=path
    )


def test_a_column_called_score_is_not_taken_for_the_positive_label(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", *BINARY)

    assert error("wide", path=path, label="y", scores=["p"]) == (
        f"{path}, row 2, column 'y': expected a label that a column has scores of ('p'), "
        "found '1' (and 3 more)\n"
        "Name both labels, that of the probability last, under data.labels, or set "
        "data.unscored_labels: true to count others as missed."
    )


def test_labels_of_another_key_have_no_scores(tmp_path: Path) -> None:
    row = '{"uid": "a", "label": {"animal": "dog"}, "score_dog": 0.9, "score_cat": 0.1}'
    path = written(tmp_path, "t.jsonl", row)

    assert "found 'animal: dog'\n" in error("wide", path=path)
    assert read("wide", "Accuracy", path=path, key="animal")["Accuracy"].value == 1.0


def test_an_error_lists_the_first_labels_of_many(tmp_path: Path) -> None:
    names = ",".join(f"score_{i}" for i in range(23))
    path = written(tmp_path, "t.csv", f"uid,label,{names}", f"a,x,{','.join(['0.5'] * 23)}")

    assert "'19' (and 3 more)), found 'x'" in error("wide", path=path)


def test_labels_without_scores_are_missed_where_that_is_allowed(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "uid,label,score_dog", "a,owl,0.9", "b,,0.8")

    report = read("wide", "Counts", path=path, unscored_labels=True)

    assert by_label(report.results) == {
        "dog": {"tp": 0, "fp": 2, "fn": 0, "tn": 0},
        "owl": {"tp": 0, "fp": 0, "fn": 1, "tn": 1},
    }


def test_labels_that_are_renamed_later_are_allowed_as_well(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "uid,label,score_dog,score_cat", "a,tabby,0.2,0.8")
    options = {"label_map": {"tabby": "cat"}}

    report = read("wide", "Accuracy", path=path, unscored_labels=True, options=options)

    assert report["Accuracy"].value == 1.0


# Names of the labels, apart from the columns


@pytest.mark.parametrize("labels", [[0, 1], ["0", "1"]])
def test_one_column_has_the_probability_of_the_second_label_as_in_python(
    tmp_path: Path, labels: list[Any]
) -> None:
    path = written(tmp_path, "t.csv", *BINARY)
    batch = from_arrays([1, 0, 0, 1], [0.75, 0.25, 0.625, 0.5], uids=["a", "b", "c", "d"])

    report = read("wide", path=path, label="y", scores="p", labels=labels)

    assert report.results == results_of(batch, *METRICS)
    # the tie of d goes to the label listed first
    assert report["Accuracy"].value == 2 / 4


def test_probabilities_of_32_bits_stay_what_they_are(tmp_path: Path) -> None:
    frame = pd.DataFrame({"uid": ["a"], "y": [1], "p": [0.35]}).astype({"p": "float32"})
    frame.to_parquet(tmp_path / "t.parquet")
    metric = {"name": "Recall", "hardmax": False, "score_thresholds": 0.35}

    names = {"label": "y", "scores": "p", "labels": [0, 1]}
    report = read("wide", metric, path=tmp_path / "t.parquet", **names)

    assert report["Recall", "1"].value == 1.0


@pytest.mark.parametrize("score", ["1.5", "-0.25"])
def test_single_column_outside_0_and_1_is_rejected(tmp_path: Path, score: str) -> None:
    path = written(tmp_path, "t.csv", "uid,y,p", "a,1,0.5", f"b,0,{score}", f"c,0,{score}")

    assert error("wide", path=path, label="y", scores="p", labels=[0, 1]) == (
        f"{path}, row 3, column 'p': expected a probability in [0, 1], found {score} "
        "(and 1 more)\nWrite probabilities of the second label, or the scores of both in two "
        "columns."
    )


def test_labels_are_of_the_columns_in_their_order(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "uid,label,p0,p1", "a,cat,0.9,0.1", "b,dog,0.4,0.6")

    report = read("wide", "Accuracy", path=path, scores=["p1", "p0"], labels=["dog", "cat"])

    assert report["Accuracy"].value == 1.0


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "c"]])
def test_labels_are_as_many_as_columns(tmp_path: Path, labels: list[str]) -> None:
    path = written(tmp_path, "t.csv", "uid,label,score_0,score_1", "x,a,0.9,0.1")

    assert error("wide", path=path, labels=labels) == (
        f"{path}: expected a score column for each of {len(labels)} labels, found 'score_0', "
        "'score_1'\nName under data.labels the label of each column, or two labels for one column."
    )


def test_a_label_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"data\.labels must not repeat a value, got \['a', 'a'\]"
    ):
        read("wide", path=tmp_path / "t.csv", labels=["a", "a"])
