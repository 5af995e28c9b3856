"""Tables of labels are detected by their columns and evaluated without parameters."""

from __future__ import annotations

import pandas as pd
import pytest
import valor_classification
from valor_classification.readers import recognized

from valor_core import evaluate
from valor_core.errors import ConfigError

FILES = {
    "wide": "uid,label,score_cat,score_dog\na,cat,0.75,0.25\nb,dog,0.5,0.5\n",
    "wide, other prefix": "id,y_true,prob_cat,prob_dog\na,cat,0.75,0.25\nb,dog,0.5,0.5\n",
    "wide, columns called like labels": "image,target,cat,dog\na,cat,0.75,0.25\nb,dog,0.5,0.5\n",
    "wide, one probability": "id,Y True,y_score\na,0,0.25\nb,1,0.75\n",
    "wide, one probability of two texts": "y_true,y_score\nham,0.25\nspam,0.75\n",
    "wide, predictions are probabilities": "target,prediction\n0,0.25\n1,0.75\n",
    "predicted": "id,y_true,y_pred\na,cat,dog\nb,dog,dog\n",
    "predicted, whole numbers": "truth,prediction\n3,4\n5,5\n",
}
READERS = {
    "wide": recognized.wide,
    "predicted": recognized.predicted,
    "lists": recognized.lists,
    "long": recognized.long,
}


@pytest.mark.parametrize("name", FILES)
def test_a_table_is_known_by_the_one_reader_that_is_for_it(tmp_path, name):
    file = tmp_path / "table.csv"
    file.write_text(FILES[name])

    found = {reader: detected((file,)) for reader, detected in READERS.items()}

    assert [reader for reader, detected in found.items() if detected] == [name.partition(",")[0]]


@pytest.mark.parametrize("name", FILES)
def test_what_is_recognized_can_be_evaluated_with_the_metrics_that_come_with_it(tmp_path, name):
    file = tmp_path / "table.csv"
    file.write_text(FILES[name])
    reader = name.partition(",")[0]
    detected = READERS[reader]((file,))

    report = evaluate({"reader": reader, **detected.data}, detected.metrics, task="classification")

    assert report.counts["read"] == 2
    assert {result.type for result in report} >= {"Accuracy"}
    assert report.warnings == ()


@pytest.mark.parametrize("name", ["confidence", "conf", "pred_prob", "pred_score"])
@pytest.mark.parametrize(
    "rows", ["cat,0.25\ndog,0.75\n", "0,0.75\n1,0.5\n"], ids=["texts", "never below 0.5"]
)
def test_confidence_without_a_prediction_is_no_score_of_the_second_label(tmp_path, name, rows):
    file = tmp_path / "table.csv"
    file.write_text(f"y_true,{name}\n{rows}")

    assert [name for name, detected in READERS.items() if detected((file,))] == []


def test_confidence_of_0_and_1_below_a_half_is_the_score_of_1(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("y_true,confidence\n0,0\n1,0.75\n")

    assert recognized.wide((file,)).data["labels"] == ["0", "1"]


def test_lists_of_predictions_are_known_by_their_cells(tmp_path):
    file = tmp_path / "items.jsonl"
    file.write_text('{"id": "a", "label": "cat", "predictions": {"cat": 0.75, "dog": 0.25}}\n')

    detected = recognized.lists((file,))

    assert detected.data == {"path": str(file), "uid": "id", "groundtruths": "label"}
    assert recognized.predicted((file,)) is None
    report = evaluate({"reader": "lists", **detected.data}, detected.metrics, task="classification")
    assert report["Accuracy"].value == 1


@pytest.mark.parametrize("order", [1, -1])
def test_two_long_tables_are_known_in_any_order(tmp_path, order):
    truths, scores = tmp_path / "truths.csv", tmp_path / "scores.csv"
    truths.write_text("id,label\na,cat\nb,dog\n")
    scores.write_text("id,label,confidence\na,cat,0.75\nb,dog,0.5\n")

    detected = recognized.long((truths, scores)[::order])

    assert detected.data == {
        "groundtruths": str(truths),
        "predictions": str(scores),
        "uid": "id",
        "score": "confidence",
    }
    report = evaluate({"reader": "long", **detected.data}, ["Accuracy"], task="classification")
    assert report["Accuracy"].value == 1


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",
        "label,size\ncat,3\n",
        "",
        "label,score\ncat,0.5\ndog,0.5\nemu,1\n",
        "label,score\ncat,0.5\ndog,0.5\n",
        "y_true,y_score\ncat,0.5\ndog,0.5\nemu,1\n",
    ],
)
def test_a_table_of_something_else_is_known_by_no_reader(tmp_path, text):
    file = tmp_path / "table.csv"
    file.write_text(text)

    assert [detected((file,)) for detected in READERS.values()] == [None] * 4


@pytest.mark.parametrize("order", [1, -1])
def test_true_labels_and_predictions_of_two_files_are_joined_by_their_common_column(
    tmp_path, order
):
    truths, predictions = tmp_path / "truths.csv", tmp_path / "predictions.csv"
    truths.write_text("photo,y_true\na,cat\nb,dog\n")
    predictions.write_text("photo,y_pred\nb,dog\na,dog\n")

    detected = recognized.predicted((truths, predictions)[::order])

    assert detected.data == {
        "path": str(truths),
        "predictions": str(predictions),
        "uid": "photo",
        "label": "y_true",
        "prediction": "y_pred",
    }
    report = evaluate(truths, predictions, ["Accuracy"])
    assert (report["Accuracy"].value, report.warnings) == (1 / 2, ())


def test_submission_with_the_columns_of_the_truth_is_the_second_file(tmp_path):
    truths, predictions = tmp_path / "a.csv", tmp_path / "b.csv"
    truths.write_text("id,label\n1,cat\n2,dog\n")
    predictions.write_text("id,label\n2,cat\n1,cat\n")

    report = evaluate(truths, predictions, ["ConfusionMatrix"])

    matrix = report["ConfusionMatrix"].value["confusion_matrix"]
    assert matrix["dog"] == {"cat": 1, "dog": 0}


@pytest.mark.parametrize(
    ("truths", "predictions"),
    [
        ("photo,y_true\na,cat\n", "image,y_pred\na,dog\n"),
        ("y_true\ncat\n", "y_pred\ndog\n"),
        ("a,b,y_true\n1,2,cat\n", "a,b,y_pred\n1,2,cat\n"),
    ],
)
def test_two_files_without_one_common_column_are_not_joined(tmp_path, truths, predictions):
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    for file, text in zip(files, (truths, predictions), strict=True):
        file.write_text(text)

    assert recognized.predicted(files) is None


def test_one_hot_multilabel_predictions_get_the_call_that_reads_them(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("cat,dog,score_cat,score_dog\n1,0,1,0\n0,1,1,1\n")

    with pytest.raises(ConfigError, match="expected one predicted label in each row") as caught:
        evaluate(file, ["Accuracy"])

    call = caught.value.remedy.partition("0.5: ")[2]
    names = {"df": pd.read_csv(file), "valor_classification": valor_classification}
    choice = {"name": "Counts", "hardmax": False, "score_thresholds": 0.5}
    values = {one.parameters["label"]: one.value for one in evaluate(eval(call, names), [choice])}
    assert values["cat"] == {"tp": 1, "fp": 1, "fn": 0, "tn": 0}
