from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from cases import for_each
from sklearn.base import clone
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from valor_hosts import scorer

from valor_core import metric
from valor_core.errors import ConfigError, ReportError, SchemaError

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
SOME = np.arange(len(Y)) % 3 != 0
TWO = Y != 0


@pytest.fixture(scope="module")
def model() -> LogisticRegression:
    return LogisticRegression(C=0.01, max_iter=500).fit(X[SOME], NAMES[SOME])


@for_each(
    "ours, theirs",
    [
        (scorer("F1", average="macro"), "f1_macro"),
        (scorer("Recall", average="micro"), "recall_micro"),
        (scorer("Accuracy"), "accuracy"),
        (scorer("Accuracy", balanced=True), "balanced_accuracy"),
        (scorer("MatthewsCorrelation"), "matthews_corrcoef"),
        (scorer("LogLoss"), "neg_log_loss"),
        (scorer("mROCAUC", response_method="predict_proba"), "roc_auc_ovr"),
    ],
    ids=repr,
)
def check_score(ours: Any, theirs: str, model: LogisticRegression) -> None:
    expected = get_scorer(theirs)(model, X, NAMES)

    assert ours(model, X, NAMES) == pytest.approx(expected, rel=1e-12)


def test_scorers_agree_with_those_of_scikit_learn(model: LogisticRegression) -> None:
    check_score(model=model)


@for_each(
    "name, parameters, methods",
    [
        ("F1", {"average": "macro"}, ("predict",)),
        ("Accuracy", {}, ("predict",)),
        ("CohenKappa", {"weights": "linear"}, ("predict",)),
        ("top2", {}, ("decision_function", "predict_proba")),
        ("mROCAUC", {}, ("decision_function", "predict_proba")),
        ("AveragePrecision", {"average": "macro"}, ("decision_function", "predict_proba")),
        ("mROCAUC", {"bins": 10}, ("predict_proba",)),
        ("F1", {"average": "macro", "score_thresholds": 0.3}, ("predict_proba",)),
        ("LogLoss", {}, ("predict_proba",)),
        ("BrierScore", {}, ("predict_proba",)),
        ("ece", {"value": "CalibrationError/ece"}, ("predict_proba",)),
    ],
)
def check_method(name: str, parameters: dict[str, Any], methods: tuple[str, ...]) -> None:
    assert scorer(name, **parameters).response_method == methods


def test_scorer_detects_response_method_of_metric() -> None:
    check_method()


def test_scorer_negates_metric_whose_lower_numbers_are_better(model: LogisticRegression) -> None:
    assert scorer("LogLoss")(model, X, NAMES) < 0
    assert scorer("F1", average="macro")(model, X, NAMES) > 0


def test_model_selection_accepts_scorers() -> None:
    chosen = scorer("F1", average="macro")
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())

    scores = cross_val_score(pipeline, X, Y, scoring=chosen, error_score="raise")
    both = cross_validate(pipeline, X, Y, scoring={"f1": chosen, "loss": scorer("LogLoss")})
    search = GridSearchCV(pipeline, {"logisticregression__C": [1e-6, 1.0]}, scoring=chosen)
    search = clone(search).fit(X, Y)

    assert scores == pytest.approx(cross_val_score(pipeline, X, Y, scoring="f1_macro"), rel=1e-12)
    assert both["test_f1"] == pytest.approx(scores)
    assert (both["test_loss"] < 0).all()
    assert search.best_params_ == {"logisticregression__C": 1.0}


def test_scorer_is_picklable_and_comparable() -> None:
    chosen = scorer("F1", average="macro")

    assert pickle.loads(pickle.dumps(chosen)) == chosen == clone(chosen, safe=False)
    assert eval(repr(chosen)) == chosen


def test_scorer_uses_decision_values_of_two_classes() -> None:
    model = LinearSVC(random_state=0, C=1e-4).fit(X[TWO], Y[TWO])

    found = scorer("ROCAUC", value="ROCAUC/2")(model, X[TWO], Y[TWO])

    assert found == pytest.approx(get_scorer("roc_auc")(model, X[TWO], Y[TWO]), rel=1e-12)


@for_each(
    "model",
    [OneVsRestClassifier(LogisticRegression()), RandomForestClassifier(5, random_state=0)],
    ids=repr,
)
def check_multilabel(model: Any) -> None:
    data, labels = make_multilabel_classification(60, n_classes=3, random_state=0)
    model = clone(model).set_params(
        **({"random_state": 0} if "random_state" in model.get_params() else {})
    )
    model.fit(data[:40], labels[:40])
    of_sets = {"average": "macro", "hardmax": False, "score_thresholds": 0.5}

    by_label = scorer("F1", response_method="predict", **of_sets)(model, data[40:], labels[40:])
    ranked = scorer("mROCAUC", response_method="predict_proba")(model, data[40:], labels[40:])

    expected = get_scorer("f1_macro")(model, data[40:], labels[40:])
    assert by_label == pytest.approx(expected, rel=1e-12)
    expected = get_scorer("roc_auc_ovr")(model, data[40:], labels[40:])
    assert ranked == pytest.approx(expected, rel=1e-12)


def test_scorer_evaluates_multilabel_data() -> None:
    check_multilabel()


def test_scorer_accepts_decorated_metric(model: LogisticRegression) -> None:
    @metric("mylab.Hits", task="classification")
    def hits(item: Any) -> float:
        best, _ = max(item.predictions, key=lambda prediction: prediction[1])
        return float(item.groundtruths[0] == best)

    assert scorer(hits)(model, X, NAMES) == scorer("Accuracy")(model, X, NAMES)


def test_scorer_of_another_task_suggests_evaluate() -> None:
    for name, of_task in (("detection.AP", "detection"), ("llm.Faithfulness", "text")):
        with pytest.raises(ConfigError) as caught:
            scorer(name)
        assert str(caught.value) == (
            f"scorer: expected a metric of classification, {name} is one of {of_task}\n"
            f"Call evaluate(data, ['{name}']) for it. Others: valor list --task classification"
        )


def test_scorer_of_metric_without_numbers_for_labels_lists_those_for_scores() -> None:
    with pytest.raises(ConfigError, match=r"such as: scorer\('AP', value='AP/macro'"):
        scorer("AP")


def test_scorer_rejects_metric_without_direction() -> None:
    with pytest.raises(ConfigError, match="a metric with a direction, ConfusionMatrix has none"):
        scorer("ConfusionMatrix")


def test_scorer_rejects_metric_with_several_numbers() -> None:
    with pytest.raises(ConfigError, match=r"scorer\('F1'\): expected one number, found 6") as error:
        scorer("F1")

    assert error.value.remedy == "Choose one, such as: scorer('F1', value='F1/weighted')"
    assert eval(error.value.remedy.partition(": ")[2]).value == "F1/weighted"


def test_scorer_rejects_estimator_without_scores() -> None:
    model = LinearSVC().fit(X, Y)

    with pytest.raises(SchemaError, match=r"LogLoss.*: expected an estimator with predict_proba"):
        scorer("LogLoss")(model, X, Y)


def test_scorer_reports_reason_of_undefined_number(model: LogisticRegression) -> None:
    one = NAMES == "setosa"

    with pytest.raises(ReportError, match=r"scorer\('mROCAUC'\): expected a number, found none"):
        scorer("mROCAUC")(model, X[one], NAMES[one])


def test_parameters_need_a_name() -> None:
    with pytest.raises(ConfigError, match="scorer: expected a name with average, got 3"):
        scorer(3, average="macro")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["Accuracy", "LogLoss"])
def test_weights_are_those_of_scikit_learn(name: str) -> None:
    model = LogisticRegression(max_iter=500).fit(X, Y)
    weights = np.arange(len(Y)) / 7

    found = scorer(name)(model, X, Y, sample_weight=weights)

    expected = get_scorer({"Accuracy": "accuracy", "LogLoss": "neg_log_loss"}[name])
    assert found == pytest.approx(expected(model, X, Y, sample_weight=weights), rel=1e-12)


def test_invalid_weights_are_reported() -> None:
    model = LogisticRegression(max_iter=500).fit(X, Y)

    with pytest.raises(SchemaError, match="item 0: expected a finite weight of 0 or more"):
        scorer("Accuracy")(model, X, Y, sample_weight=-np.ones(len(Y)))


@pytest.mark.parametrize(
    ("method", "remedy"),
    [("predit", "Did you mean 'predict'"), ("proba", "set response_method='predict_proba'")],
)
def test_missing_method_suggests_another(method: str, remedy: str) -> None:
    model = LogisticRegression(max_iter=500).fit(X, Y)

    with pytest.raises(SchemaError, match=remedy):
        scorer("Accuracy", response_method=method)(model, X, Y)


def test_arrays_instead_of_estimator_show_the_call() -> None:
    with pytest.raises(SchemaError, match=r"\(model, X, y\)"):
        scorer("Accuracy")(X, Y, Y)
