"""The metrics against scikit-learn, on random data of every kind that both can read.

Values agree to 1e-12: both round a few sums and quotients, Valor less often. Log loss and Brier
score of float32 scores agree to a relative 1e-6, as scikit-learn adds them up in float32.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn import metrics as sk
from valor_classification.readers.arrays import from_arrays

from valor_core.results.results import Results
from valor_core.schemas.classification import Classification, ClassificationBatch

from .support import by_label, results_of, value_of

ANIMALS = ("dog", "cat", "bee", "ant", "fox", "owl", "hen", "eel", "yak", "bat")
THRESHOLDS = (0.0, 0.125, 0.3, 0.35, 0.5, 0.75, 1.0)


@frozen(eq=False)
class Data:
    """True classes and the scores of every class, columns in the order of `labels`."""

    labels: NDArray[Any]
    truths: NDArray[Any]
    scores: NDArray[Any]

    @property
    def batch(self) -> ClassificationBatch:
        return from_arrays(self.truths, self.scores, labels=self.labels.tolist())

    @property
    def predicted(self) -> NDArray[Any]:
        return self.labels[self.scores.argmax(axis=1)]

    @property
    def ordered(self) -> NDArray[Any]:
        """Labels in Valor's order and, as it were, in scikit-learn's."""
        return np.sort(self.labels)

    @property
    def with_truth(self) -> NDArray[Any]:
        return np.unique(self.truths)

    def scores_of(self, label: Any) -> NDArray[Any]:
        column: NDArray[Any] = self.scores[:, self.labels == label][:, 0]
        return column

    @property
    def ordered_scores(self) -> NDArray[Any]:
        return self.scores[:, np.argsort(self.labels)]


def make(
    classes: int, *, dtype: Any, ties: bool, strings: bool, absent: bool, count: int = 120
) -> Data:
    """Scores that add up to one and lean to the truth; with ties they are eighths."""
    absent = absent and classes > 2
    rng = np.random.default_rng([classes, ties, strings, absent])
    truths = rng.integers(0, classes - 1 if absent else classes, count)
    shares = rng.random((count, classes)) + 0.7 * np.eye(classes)[truths]
    shares /= shares.sum(axis=1, keepdims=True)
    scores = np.stack([rng.multinomial(8, row) / 8 for row in shares]) if ties else shares
    labels = np.array(ANIMALS[:classes]) if strings else np.arange(classes)
    return Data(labels, labels[truths], scores.astype(dtype))


CASES = {
    ", ".join(
        [
            f"{classes} classes",
            np.dtype(dtype).name,
            "ties" if ties else "distinct",
            "strings" if strings else "integers",
            *(["one absent"] if absent and classes > 2 else []),
        ]
    ): make(classes, dtype=dtype, ties=ties, strings=strings, absent=absent)
    for classes in (2, 3, 10)
    for dtype, ties, strings, absent in (
        (np.float64, False, False, False),
        (np.float64, True, True, False),
        (np.float32, False, True, True),
        (np.float32, True, False, True),
    )
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def data(request: pytest.FixtureRequest) -> Data:
    case: Data = request.param
    return case


def close(found: Any, wanted: Any) -> None:
    assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def labelled(results: Results, labels: Any) -> list[Any]:
    """Values in the order of some labels, nan where there is none."""
    values = by_label(results)
    return [math.nan if values[str(one)] is None else values[str(one)] for one in labels]


# Predictions


def test_accuracy(data: Data) -> None:
    close(value_of(data.batch, "Accuracy"), sk.accuracy_score(data.truths, data.predicted))


def test_balanced_accuracy(data: Data) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
        wanted = sk.balanced_accuracy_score(data.truths, data.predicted)
    close(value_of(data.batch, "Accuracy", balanced=True), wanted)


@pytest.mark.parametrize("k", [2, 4, 9])
def test_top_k_accuracy_without_ties(k: int) -> None:
    data = CASES["10 classes, float32, distinct, strings, one absent"]

    wanted = sk.top_k_accuracy_score(data.truths, data.ordered_scores, k=k, labels=data.ordered)

    close(value_of(data.batch, "Accuracy", top_k=k), wanted)


def test_top_k_ties_go_to_the_first_listed() -> None:
    batch = from_arrays([0, 1, 2], [[0.2, 0.4, 0.4]] * 3)

    # 1 and 2 tie for the first place; 0 is third
    assert value_of(batch, "Accuracy") == 1 / 3
    assert value_of(batch, "Accuracy", top_k=2) == 2 / 3
    assert value_of(batch, "Accuracy", top_k=3) == 1.0


@pytest.mark.parametrize("zero_division", [0.0, 1.0, None])
def test_precision_recall_and_f(data: Data, zero_division: float | None) -> None:
    results = results_of(
        data.batch,
        *({"name": name, "zero_division": zero_division} for name in ("Precision", "Recall", "F1")),
        {"name": "FBeta", "beta": 0.5, "zero_division": zero_division},
    )

    for name, position, beta in (
        ("Precision", 0, 1),
        ("Recall", 1, 1),
        ("F1", 2, 1),
        ("FBeta", 2, 0.5),
    ):
        found = results[name]

        def wanted(labels: Any, average: Any, position: int = position, beta: float = beta) -> Any:
            return sk.precision_recall_fscore_support(
                data.truths,
                data.predicted,
                beta=beta,
                labels=labels,
                average=average,
                zero_division=math.nan if zero_division is None else zero_division,
            )[position]

        close(labelled(found, data.ordered), wanted(data.ordered, None))
        close(found.find(average="micro").value, wanted(data.ordered, "micro"))
        close(found.find(average="macro").value, wanted(data.with_truth, "macro"))
        close(found.find(average="weighted").value, wanted(data.ordered, "weighted"))


def test_macro_over_all_labels_where_asked_for(data: Data) -> None:
    choice = {"name": "F1", "average": ["macro"], "include_prediction_only_labels": True}

    wanted = sk.f1_score(
        data.truths, data.predicted, labels=data.ordered, average="macro", zero_division=0
    )

    close(results_of(data.batch, choice).value, wanted)


@pytest.mark.parametrize(
    ("normalize", "of_sklearn"),
    [("none", None), ("truth", "true"), ("prediction", "pred"), ("all", "all")],
)
def test_confusion_matrix(data: Data, normalize: str, of_sklearn: Any) -> None:
    value = value_of(data.batch, "ConfusionMatrix", normalize=normalize)

    found = [list(row.values()) for row in value["confusion_matrix"].values()]

    close(
        found,
        sk.confusion_matrix(data.truths, data.predicted, labels=data.ordered, normalize=of_sklearn),
    )


def test_matthews_correlation(data: Data) -> None:
    close(
        value_of(data.batch, "MatthewsCorrelation"),
        sk.matthews_corrcoef(data.truths, data.predicted),
    )


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_kappa(data: Data, weights: str) -> None:
    wanted = sk.cohen_kappa_score(
        data.truths,
        data.predicted,
        labels=data.ordered,
        weights=None if weights == "none" else weights,
    )

    order = None if weights == "none" else [str(label) for label in data.ordered]

    close(value_of(data.batch, "CohenKappa", weights=weights, order=order), wanted)


# Ranking


def test_roc_auc_of_each_class_and_their_mean(data: Data) -> None:
    results = results_of(
        data.batch, "ROCAUC", "mROCAUC", {"name": "mROCAUC", "average": "weighted"}
    )

    wanted = [sk.roc_auc_score(data.truths == c, data.scores_of(c)) for c in data.with_truth]
    weights = [np.count_nonzero(data.truths == c) for c in data.with_truth]

    close(labelled(results["ROCAUC"], data.with_truth), wanted)
    close(results["mROCAUC"].find(average="macro").value, np.mean(wanted))
    close(results["mROCAUC"].find(average="weighted").value, np.average(wanted, weights=weights))


def test_average_precision(data: Data) -> None:
    results = results_of(
        data.batch, {"name": "AveragePrecision", "average": ["none", "macro", "weighted"]}
    )

    wanted = [
        sk.average_precision_score(data.truths == c, data.scores_of(c)) for c in data.with_truth
    ]
    weights = [np.count_nonzero(data.truths == c) for c in data.with_truth]

    close(labelled(results["AveragePrecision"], data.with_truth), wanted)
    close(results.find(average="macro").value, np.mean(wanted))
    close(results.find(average="weighted").value, np.average(wanted, weights=weights))


def test_class_without_positives_is_undefined_and_excluded(data: Data) -> None:
    results = results_of(data.batch, "ROCAUC", "AveragePrecision", "mROCAUC", "ROCCurve")

    absent = [str(one) for one in data.ordered if one not in data.with_truth]

    for label in absent:
        reason = f"no ground truths of {label!r}"
        assert results["ROCAUC", label].only.undefined == reason
        assert results["AveragePrecision", label].only.undefined == reason
        assert results["ROCCurve"].value[label] == {"undefined": reason}
    assert sum(results["mROCAUC"].only.left_out.values()) == len(absent)


def test_a_class_without_negatives_is_undefined_never_0_or_1() -> None:
    batch = from_arrays([1, 1], [0.25, 0.75])

    results = results_of(batch, "ROCAUC", "mROCAUC", "AveragePrecision")

    assert results["ROCAUC", "1"].only.undefined == "no items without ground truth '1'"
    assert results["mROCAUC"].only.undefined == "no labels with a value"
    # without negatives every prediction is right
    assert results["AveragePrecision", "1"].value == 1.0


@pytest.mark.parametrize("drop", [True, False])
def test_roc_curve(data: Data, drop: bool) -> None:
    curves = value_of(data.batch, "ROCCurve", drop_intermediate=drop)

    for label in data.with_truth:
        fpr, tpr, thresholds = sk.roc_curve(
            data.truths == label, data.scores_of(label), drop_intermediate=drop
        )
        curve = curves[str(label)]
        close(curve["fpr"], fpr)
        close(curve["tpr"], tpr)
        assert curve["thresholds"] == [None, *thresholds[1:].tolist()]


def test_counts_at_thresholds(data: Data) -> None:
    curves = value_of(data.batch, "PrecisionRecallCurve", score_thresholds=THRESHOLDS)

    for label in data.labels:
        is_true, scores = data.truths == label, data.scores_of(label)
        for threshold in THRESHOLDS:
            passes = scores >= scores.dtype.type(threshold)
            (tn, fp), (fn, tp) = sk.confusion_matrix(is_true, passes, labels=[False, True])
            point = curves[str(label)][repr(threshold)]
            assert [point[name] for name in ("tn", "fp", "fn", "tp")] == [tn, fp, fn, tp]
            close(point["accuracy"], sk.accuracy_score(is_true, passes))
            close(point["precision"], sk.precision_score(is_true, passes, zero_division=0))
            close(point["recall"], sk.recall_score(is_true, passes, zero_division=0))
            close(point["f1_score"], sk.f1_score(is_true, passes, zero_division=0))


# Probabilities


def tolerance_of(data: Data) -> dict[str, float]:
    return {"rtol": 1e-6 if data.scores.dtype == np.float32 else 1e-12}


def test_log_loss(data: Data) -> None:
    wanted = sk.log_loss(data.truths, data.ordered_scores, labels=data.ordered)

    assert_allclose(value_of(data.batch, "LogLoss"), wanted, **tolerance_of(data))


@pytest.mark.parametrize("half", [True, False, None])
def test_brier_score(data: Data, half: bool | None) -> None:
    scores = data.ordered_scores[:, 1] if len(data.labels) == 2 else data.ordered_scores
    wanted = sk.brier_score_loss(
        data.truths,
        scores,
        scale_by_half="auto" if half is None else half,
        **({"pos_label": data.ordered[1]} if scores.ndim == 1 else {"labels": data.ordered}),
    )

    found = value_of(data.batch, "BrierScore", scale_by_half=half)

    assert_allclose(found, wanted, **tolerance_of(data))


@pytest.mark.parametrize("bins", [1, 4, 10, 15])
def test_calibration_error_against_its_definition(data: Data, bins: int) -> None:
    best = data.scores.max(axis=1)
    right = data.predicted == data.truths
    upper = (np.arange(1, bins + 1) / bins).astype(best.dtype)
    index = np.array([np.flatnonzero(score <= upper)[0] for score in best])
    gaps, weights = [], []
    for one in np.unique(index):
        members = index == one
        gaps.append(abs(right[members].mean() - best[members].astype(float).mean()))
        weights.append(members.mean())

    value = value_of(data.batch, "CalibrationError", bins=bins)

    close(value["ece"], np.dot(gaps, weights))
    close(value["mce"], max(gaps))
    assert [one["count"] for one in value["bins"]] == np.bincount(index, minlength=bins).tolist()


# Multilabel


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def indicator(request: pytest.FixtureRequest) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(5)
    truths = rng.random((150, 4)) < [0.5, 0.3, 0.1, 0.7]
    truths[:5] = False
    scores = np.round(0.6 * rng.random((150, 4)) + 0.3 * truths, 2)
    return truths.astype(int), scores.astype(request.param)


def test_multilabel_precision_recall_and_f1(indicator: tuple[NDArray[Any], NDArray[Any]]) -> None:
    truths, scores = indicator
    shared = {"hardmax": False, "score_thresholds": [0.4]}
    passes = scores >= scores.dtype.type(0.4)

    results = results_of(
        from_arrays(truths, scores),
        *({"name": name} | shared for name in ("Precision", "Recall", "F1")),
    )

    for name, position in (("Precision", 0), ("Recall", 1), ("F1", 2)):
        for average in (None, "micro", "macro", "weighted"):
            wanted = sk.precision_recall_fscore_support(
                truths, passes, average=average, zero_division=0
            )[position]
            if average is None:
                close(labelled(results[name], range(4)), wanted)
            else:
                close(results[name].find(average=average).value, wanted)


def test_multilabel_accuracy_of_sets(indicator: tuple[NDArray[Any], NDArray[Any]]) -> None:
    truths, scores = indicator
    batch = from_arrays(truths, scores)
    passes = scores >= scores.dtype.type(0.4)
    shared = {"hardmax": False, "score_thresholds": [0.4]}

    close(value_of(batch, "Accuracy", **shared), sk.accuracy_score(truths, passes))
    close(
        value_of(batch, "Accuracy", multilabel="hamming", **shared),
        1 - sk.hamming_loss(truths, passes),
    )
    close(
        value_of(batch, "Accuracy", multilabel="jaccard", **shared),
        sk.jaccard_score(truths, passes, average="samples", zero_division=1.0),
    )


def test_multilabel_ranking(indicator: tuple[NDArray[Any], NDArray[Any]]) -> None:
    truths, scores = indicator

    results = results_of(from_arrays(truths, scores), "ROCAUC", "mROCAUC", "AveragePrecision")

    close(labelled(results["ROCAUC"], range(4)), sk.roc_auc_score(truths, scores, average=None))
    close(results["mROCAUC"].value, sk.roc_auc_score(truths, scores, average="macro"))
    wanted = sk.average_precision_score(truths, scores, average=None)
    close(labelled(results["AveragePrecision"], range(4)), wanted)


# Lists of some of the labels


FILL = -1.0


@frozen(eq=False)
class Listed:
    """Items that list some labels, and the same with all others filled in below."""

    items: list[Classification]
    truths: NDArray[Any]
    filled: NDArray[Any]

    @property
    def predicted(self) -> NDArray[Any]:
        best = np.where((self.filled > FILL).any(axis=1), self.filled.argmax(axis=1), 99)
        return np.array([*ANIMALS[:5], "~none"])[np.minimum(best, 5)]


@pytest.fixture(params=[True, False], ids=["ties", "distinct"])
def listed(request: pytest.FixtureRequest) -> Listed:
    rng = np.random.default_rng(11)
    scores = rng.random((140, 5))
    scores = np.round(scores, 1) if request.param else scores
    filled = np.where(rng.random((140, 5)) < 0.45, scores, FILL)
    truths = np.array(ANIMALS[:5])[rng.integers(0, 5, 140)]
    items = [
        Classification(
            f"item {i}",
            truths[i],
            {label: s for label, s in zip(ANIMALS, row.tolist(), strict=False) if s > FILL},
        )
        for i, row in enumerate(filled)
    ]
    return Listed(items, truths, filled)


def test_ranking_of_lists_is_that_of_scores_filled_in_below(listed: Listed) -> None:
    results = results_of(listed.items, "ROCAUC", "AveragePrecision")

    for index, label in enumerate(ANIMALS[:5]):
        is_true, scores = listed.truths == label, listed.filled[:, index]
        close(results["ROCAUC", label].value, sk.roc_auc_score(is_true, scores))
        close(results["AveragePrecision", label].value, sk.average_precision_score(is_true, scores))


@pytest.mark.parametrize("drop", [True, False])
def test_roc_curve_of_lists_ends_with_the_unlisted(listed: Listed, drop: bool) -> None:
    curves = value_of(listed.items, "ROCCurve", drop_intermediate=drop)

    for index, label in enumerate(ANIMALS[:5]):
        fpr, tpr, thresholds = sk.roc_curve(
            listed.truths == label, listed.filled[:, index], drop_intermediate=drop
        )
        close(curves[label]["fpr"], fpr)
        close(curves[label]["tpr"], tpr)
        assert curves[label]["thresholds"] == [None, *thresholds[1:-1].tolist(), None]


def test_predictions_of_lists(listed: Listed) -> None:
    results = results_of(
        listed.items,
        "Accuracy",
        {"name": "Recall", "average": ["none"]},
        "ConfusionMatrix",
        "MatthewsCorrelation",
        "CohenKappa",
    )

    labels = sorted(ANIMALS[:5])
    truths, predicted = listed.truths, listed.predicted
    close(results["Accuracy"].value, sk.accuracy_score(truths, predicted))
    recalls = sk.recall_score(truths, predicted, labels=labels, average=None)
    close(labelled(results["Recall"], labels), recalls)
    close(results["MatthewsCorrelation"].value, sk.matthews_corrcoef(truths, predicted))
    close(results["CohenKappa"].value, sk.cohen_kappa_score(truths, predicted))
    table = sk.confusion_matrix(truths, predicted, labels=[*labels, "~none"])
    matrix = results["ConfusionMatrix"].value
    rows = [list(row.values()) for row in matrix["confusion_matrix"].values()]
    assert_array_equal(rows, table[:5, :5])
    assert list(matrix["unmatched_ground_truths"].values()) == table[:5, 5].tolist()


def test_one_score_of_two_classes_will_do() -> None:
    data = CASES["2 classes, float64, distinct, integers"]
    alone = from_arrays(data.truths, data.scores[:, 1])

    results = results_of(alone, "ROCAUC", "LogLoss", "BrierScore")

    close(results["ROCAUC", "1"].value, sk.roc_auc_score(data.truths, data.scores[:, 1]))
    close(results["LogLoss"].value, sk.log_loss(data.truths, data.scores[:, 1]))
    close(results["BrierScore"].value, sk.brier_score_loss(data.truths, data.scores[:, 1]))
