"""Two tables of ground truths and predictions, one-hot columns, scores of predicted labels."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from valor_core import evaluate
from valor_core.errors import ConfigError, ParameterError, ReadError
from valor_core.results import Failed

from .files import read, written

LABELS = ["cat", "dog", "fox"]


def frames(count: int = 60, seed: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    """True labels, and scores of each label in another order of the items."""
    rng = np.random.default_rng(seed)
    photos = [f"img{number}.jpg" for number in range(count)]
    truths = pd.DataFrame({"photo": photos, "y_true": rng.choice(LABELS, count)})
    scores = pd.DataFrame(rng.dirichlet([1, 1, 1], count), columns=[f"score_{x}" for x in LABELS])
    scores.insert(0, "photo", photos)
    return truths, scores.sample(frac=1, random_state=seed)


def in_order(truths: pd.DataFrame, scores: pd.DataFrame) -> Any:
    """Scores in the order of the true labels."""
    return scores.set_index("photo").loc[truths.photo].to_numpy()


def test_truth_file_and_file_of_probabilities_are_joined_by_photo(tmp_path) -> None:
    truths, scores = frames()
    files = tmp_path / "truth.csv", tmp_path / "probs.parquet"
    truths.to_csv(files[0], index=False)
    scores.to_parquet(files[1])

    report = evaluate(*files, ["LogLoss", "mROCAUC"])

    expected = in_order(truths, scores)
    assert report["LogLoss"].value == pytest.approx(log_loss(truths.y_true, expected))
    average = roc_auc_score(truths.y_true, expected, multi_class="ovr")
    assert report["mROCAUC"].value == pytest.approx(average)
    assert report.results == evaluate(*files[::-1], ["LogLoss", "mROCAUC"]).results


def test_two_frames_of_labels_and_probabilities_equal_one_joined_frame() -> None:
    truths, scores = frames()

    two = evaluate(truths, scores, ["Accuracy", "LogLoss", "BrierScore", "F1"])
    one = evaluate(truths.merge(scores, on="photo"), ["Accuracy", "LogLoss", "BrierScore", "F1"])

    assert two.results == one.results


def test_photos_without_probabilities_count_as_missed_and_are_listed(tmp_path) -> None:
    truths, scores = frames(4)
    files = tmp_path / "truth.csv", tmp_path / "probs.csv"
    truths.to_csv(files[0], index=False)
    scores[scores.photo != "img1.jpg"].to_csv(files[1], index=False)

    report = evaluate(*files, ["Accuracy", "Counts"])

    counts = report.find("Counts")
    assert sum(one.value["tp"] + one.value["fn"] for one in counts) == 4
    assert report.warnings == (
        f"1 row with a ground truth whose item is not in {files[1]} (first: {files[0]}:3)",
    )


def test_submission_with_the_competitions_own_column_is_compared_with_the_truth(tmp_path) -> None:
    truth = pd.DataFrame({"PassengerId": range(892, 952), "Survived": [0, 1, 1] * 20})
    found = truth.assign(Survived=[0, 1, 0] * 20).sample(frac=1, random_state=1)
    files = tmp_path / "truth.csv", tmp_path / "submission.csv"
    truth.to_csv(files[0], index=False)
    found.to_csv(files[1], index=False)

    report = evaluate(*files, ["Accuracy", "ConfusionMatrix"])

    assert report["Accuracy"].value == 2 / 3
    assert report["ConfusionMatrix"].value["confusion_matrix"]["1"] == {"0": 20, "1": 20}


def test_two_files_whose_items_differ_name_one_of_each(tmp_path) -> None:
    truths = written(tmp_path, "truth.csv", "photo,y_true", "a.jpg,cat", "b.jpg,dog")
    found = written(tmp_path, "preds.csv", "photo,y_pred", "a,cat", "b,dog")

    message = (
        f"{found}, row 2, column 'photo': expected an item of {truths}, such as 'a.jpg', found "
        "'a'; no item is in both"
    )
    with pytest.raises(ReadError, match=re.escape(message)) as caught:
        evaluate(truths, found, ["Accuracy"])
    assert caught.value.remedy is not None


def test_a_photo_twice_among_the_predictions_names_both_rows(tmp_path) -> None:
    truths = written(tmp_path, "truth.csv", "photo,y_true", "a,cat", "b,dog")
    found = written(tmp_path, "preds.csv", "photo,y_pred", "a,cat", "b,dog", "a,dog")

    with pytest.raises(ReadError, match="expected each uid once, found 'a' as in row 2") as caught:
        evaluate(truths, found, ["Accuracy"])
    assert caught.value.remedy == "Keep one row of each item."


@pytest.mark.parametrize(
    "name", ["confidence", "conf", "prob", "score", "probability", "Confidence", "pred_prob"]
)
def test_confidence_next_to_the_predicted_label_is_its_score(tmp_path, name: str) -> None:
    rows = ("cat,cat,0.75", "dog,cat,0.5")
    path = written(tmp_path, "t.csv", f"y_true,y_pred,{name}", *rows)

    report = evaluate(path, ["Accuracy", "CalibrationError"])

    # of two items, the one of 0.75 is right: the distances are 0.25 and 0.5
    assert report["CalibrationError"].value["ece"] == 0.375
    assert report["Accuracy"].value == 0.5


def test_confidences_in_the_file_of_predictions_are_scores(tmp_path) -> None:
    truths = written(tmp_path, "truth.csv", "photo,y_true", "a,cat", "b,dog")
    found = written(tmp_path, "preds.csv", "photo,y_pred,confidence", "b,cat,0.5", "a,cat,0.75")

    report = evaluate(truths, found, ["CalibrationError"])

    assert report["CalibrationError"].value["ece"] == 0.375


@pytest.mark.parametrize("metric", ["LogLoss", "BrierScore", "ROCAUC", "AveragePrecision"])
@pytest.mark.parametrize("partition_bytes", [1, 1 << 20])
def test_log_loss_of_confidences_names_the_columns_that_are_missing(
    tmp_path, metric: str, partition_bytes: int
) -> None:
    rows = ("y_true,y_pred,confidence", "cat,cat,0.75", "dog,cat,0.5")
    path = written(tmp_path, "t.csv", *rows)
    columns = {"label": "y_true", "prediction": "y_pred", "score": "confidence"}

    report = read("predicted", metric, path=path, partition_bytes=partition_bytes, **columns)

    for result in report.results:
        assert isinstance(result.value, Failed)
        assert result.value.reason == (
            "expected a score of each label, found only the one of the predicted label, in "
            "'confidence'; write a column of scores for each label: score_cat, score_dog; the "
            "score of the other label of a softmax of two is 1 minus that one"
        )


def test_log_loss_of_two_columns_of_scores_made_of_confidences(tmp_path) -> None:
    path = written(tmp_path, "t.csv", "y_true,score_cat,score_dog", "cat,0.75,0.25", "dog,0.5,0.5")

    report = evaluate(path, ["LogLoss"])

    expected = -(math.log(0.75) + math.log(0.5)) / 2
    assert float(report["LogLoss"]) == pytest.approx(expected, abs=1e-12)


def test_three_labels_with_confidences_name_columns_alone(tmp_path) -> None:
    rows = ("y_true,y_pred,confidence", "cat,cat,0.75", "dog,cow,0.5")

    (result,) = evaluate(written(tmp_path, "t.csv", *rows), ["LogLoss"]).results

    assert isinstance(result.value, Failed)
    assert result.value.reason.endswith("each label: score_cat, score_cow, score_dog")


def test_confidences_in_percent_stay_metadata_and_are_named(tmp_path) -> None:
    path = written(tmp_path, "t.csv", "y_true,y_pred,confidence", "cat,cat,75", "dog,cat,50")

    (result,) = evaluate(path, ["CalibrationError"]).results

    assert isinstance(result.value, Failed)
    assert result.value.reason == (
        "expected a score with each prediction, found 2 without; read those of 'confidence': set "
        "data.score to it"
    )


def test_confidences_are_also_a_field_to_slice_by(tmp_path) -> None:
    rows = ("y_true,y_pred,confidence", "cat,cat,0.75", "dog,cat,0.5", "dog,dog,0.75")
    path = written(tmp_path, "t.csv", *rows)

    report = evaluate(path, ["Accuracy"], slices=["confidence"])

    assert report.slice(confidence=0.75)["Accuracy"].value == 1
    assert report.slice(confidence=0.5)["Accuracy"].value == 0


def test_thresholds_apply_to_confidences(tmp_path) -> None:
    rows = ("y_true,y_pred,confidence", "cat,cat,0.75", "dog,dog,0.5")
    path = written(tmp_path, "t.csv", *rows)

    report = evaluate(path, [{"name": "Counts", "score_thresholds": 0.6}])

    values = {one.parameters["label"]: one.value for one in report.results}
    assert (values["cat"]["tp"], values["dog"]["tp"], values["dog"]["fn"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ("cat,cat,", "dog,dog,0.5"),
            "row 2, column 'confidence': expected the score of the predicted label, found none",
        ),
        (
            ('cat,"[""cat"", ""dog""]",0.5',),
            "row 2, column 'confidence': expected the score of one predicted label, found 2 labels",
        ),
    ],
)
def test_missing_confidence_names_its_row(tmp_path, rows, message: str) -> None:
    path = written(tmp_path, "t.csv", "y_true,y_pred,confidence", *rows)
    columns = {"label": "y_true", "prediction": "y_pred", "score": "confidence"}

    with pytest.raises(ReadError, match=re.escape(message)):
        read("predicted", path=path, **columns)


@pytest.mark.parametrize("true_prefix", ["", "true_", "y_true_", "label_"])
@pytest.mark.parametrize("prefix", ["score_", "prob_", "y_score_", "pred_"])
def test_one_hot_truth_next_to_probabilities_is_read(true_prefix: str, prefix: str) -> None:
    truths, scores = frames()
    expected = in_order(truths, scores)
    table = {f"{true_prefix}{label}": (truths.y_true == label).astype(int) for label in LABELS}
    table |= {f"{prefix}{label}": expected[:, i] for i, label in enumerate(LABELS)}

    report = evaluate(pd.DataFrame(table), ["Accuracy", "LogLoss"])

    best = np.array(LABELS)[expected.argmax(axis=1)]
    assert report["Accuracy"].value == accuracy_score(truths.y_true, best)
    assert report["LogLoss"].value == pytest.approx(log_loss(truths.y_true, expected))


@pytest.mark.parametrize("true_prefix", ["", "true_", "y_true_"])
def test_one_hot_truth_next_to_one_hot_predictions_is_read(tmp_path, true_prefix: str) -> None:
    truths, scores = frames()
    best = np.array(LABELS)[in_order(truths, scores).argmax(axis=1)]
    table = {f"{true_prefix}{label}": (truths.y_true == label).astype(int) for label in LABELS}
    table |= {f"pred_{label}": (best == label).astype(int) for label in LABELS}
    path = tmp_path / "t.csv"
    pd.DataFrame(table).to_csv(path, index=False)

    report = evaluate(path, ["Accuracy", "F1"])

    plain = evaluate(list(truths.y_true), list(best), ["Accuracy", "F1"])
    assert report.results == plain.results


def test_one_hot_truth_file_and_file_of_probabilities_have_the_same_columns(tmp_path) -> None:
    truths, scores = frames()
    files = tmp_path / "truth.csv", tmp_path / "probs.csv"
    one_hot = pd.DataFrame({label: (truths.y_true == label).astype(int) for label in LABELS})
    one_hot.assign(id=truths.photo).to_csv(files[0], index=False)
    scores.rename(columns=lambda name: name.removeprefix("score_")).rename(
        columns={"photo": "id"}
    ).to_csv(files[1], index=False)

    report = evaluate(*files, ["LogLoss"])

    expected = log_loss(truths.y_true, in_order(truths, scores))
    assert report["LogLoss"].value == pytest.approx(expected)


def test_two_one_hot_files_are_joined(tmp_path) -> None:
    truths = written(tmp_path, "t.csv", "id,cat,dog", "a,1,0", "b,0,1")
    found = written(tmp_path, "p.csv", "id,cat,dog", "b,1,0", "a,1,0")

    report = evaluate(truths, found, ["ConfusionMatrix"])

    matrix = report["ConfusionMatrix"].value["confusion_matrix"]
    assert matrix == {"cat": {"cat": 1, "dog": 0}, "dog": {"cat": 1, "dog": 0}}


def test_one_hot_predictions_with_several_labels_get_the_call_that_reads_them() -> None:
    table = {"true_cat": [1, 1], "true_dog": [0, 1], "pred_cat": [1, 1], "pred_dog": [1, 0]}

    with pytest.raises(ConfigError, match="expected one predicted label in each row, found 2"):
        evaluate(table, ["Accuracy"])


def test_two_in_a_column_of_0_and_1_names_the_cell(tmp_path) -> None:
    path = written(tmp_path, "t.csv", "is_cat,is_dog,score_cat,score_dog", "2,0,0.75,0.25")

    with pytest.raises(ReadError, match="row 2, column 'is_cat': expected 0 or 1, found 2"):
        read("wide", path=path, label_prefix="is_")
    with pytest.raises(ReadError, match="has no column that starts with 'no_'"):
        read("predicted", path=path, label_prefix="no_", prediction="is_cat")


def test_several_tables_of_truths_next_to_scores_are_rejected(tmp_path) -> None:
    with pytest.raises(ParameterError, match="path must name one table next to predictions, got 2"):
        read("wide", path=[tmp_path / "a.csv", tmp_path / "b.csv"], predictions=tmp_path / "p.csv")
