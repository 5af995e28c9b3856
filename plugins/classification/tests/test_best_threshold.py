"""Best thresholds: worked examples, scikit-learn, thresholds of a saved report, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import TunedThresholdClassifierCV
from valor_classification.readers.arrays import from_arrays, from_predicted

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas import Label
from valor_core.schemas.classification import Classification

from .support import PETS, REGISTRY, failure_of, results_of

NAME = "BestThreshold"


def best(data: Any, label: str, /, **parameters: Any) -> Any:
    """Value of one label, or the reason why it has none."""
    found = results_of(data, {"name": NAME, **parameters}).find(label=label).only
    return found.value if found.undefined is None else found.undefined


def threshold(data: Any, label: str, /, **parameters: Any) -> float | str:
    value = best(data, label, **parameters)
    return value if isinstance(value, str) else value["threshold"]


# PETS, true positives in capitals; two of seven items are true, and items without a score rank last
#   dog: A 0.9, d 0.55, B 0.4, c 0.3, f 0.2    at 0.9: tp 1, fp 0; at 0.4: tp 2, fp 1
#   cat: e 0.8, C 0.7, b 0.6, D 0.45, a 0.1    at 0.7: tp 1, fp 1; at 0.45: tp 2, fp 2


def test_greatest_f1_and_the_numbers_there() -> None:
    # dog: at 0.9 F1 = 2 / (2 + 0 + 1) = 2/3, at 0.4 F1 = 4 / (4 + 1 + 0) = 4/5
    assert best(PETS, "dog") == {
        "threshold": 0.4,
        "precision": 2 / 3,
        "recall": 1.0,
        "f1": 4 / 5,
        "specificity": 4 / 5,
        "tp": 2,
        "fp": 1,
        "fn": 0,
        "tn": 4,
    }
    # cat: at 0.7 F1 = 2 / (2 + 1 + 1) = 1/2, at 0.45 F1 = 4 / (4 + 2 + 0) = 2/3
    assert best(PETS, "cat")["f1"] == 2 / 3


def test_smaller_beta_prefers_precision() -> None:
    # dog: at 0.9 1.25 / (1.25 + 0 + 0.25) = 5/6, at 0.4 2.5 / (2.5 + 1) = 5/7
    found = best(PETS, "dog", beta=0.5)

    assert (found["threshold"], found["f_beta"]) == (0.9, 5 / 6)
    assert list(found)[:2] == ["threshold", "f_beta"]


def test_greatest_recall_with_a_minimum_precision() -> None:
    precise = {"objective": "recall_at_precision", "minimum": 0.9}

    assert threshold(PETS, "dog", **precise) == 0.9  # 0.4 has a precision of 2/3
    assert threshold(PETS, "dog", objective="recall_at_precision", minimum=0.5) == 0.4
    assert threshold(PETS, "cat", **precise) == (
        "no threshold of 'cat' has a precision of at least 0.9; the greatest is 0.5"
    )


def test_greatest_precision_with_a_minimum_recall() -> None:
    least = {"objective": "precision_at_recall", "minimum": 0.5}

    assert threshold(PETS, "dog", **least) == 0.9
    # both thresholds of cat have a precision of 1/2; the recall at 0.45 is greater
    assert threshold(PETS, "cat", **least) == 0.45
    found = threshold([*PETS, Classification("h", "dog")], "dog", **least | {"minimum": 0.75})
    assert found == "no threshold of 'dog' has a recall of at least 0.75; the greatest is 0.6667"


def test_greatest_recall_with_a_minimum_specificity() -> None:
    # dog: at 0.4 four of five others are below; cat: at 0.7 four of five, at 0.45 three
    strict = {"objective": "recall_at_specificity", "minimum": 0.8}

    assert threshold(PETS, "dog", **strict) == 0.4
    assert threshold(PETS, "cat", **strict) == 0.7
    assert threshold(PETS, "cat", **strict | {"minimum": 0.81}) == (
        "no threshold of 'cat' has a specificity of at least 0.81; the greatest is 0.8"
    )


def test_greatest_youden_index() -> None:
    # dog: 1/2 + 1 - 1 at 0.9, 1 + 4/5 - 1 at 0.4; cat: 1/2 + 4/5 - 1 at 0.7, 1 + 3/5 - 1 at 0.45
    assert best(PETS, "dog", objective="youden")["youden"] == pytest.approx(4 / 5, rel=1e-15)
    assert best(PETS, "cat", objective="youden")["threshold"] == 0.45


def test_least_cost() -> None:
    # dog: 3 at 0.9, 1 at 0.4
    found = best(PETS, "dog", objective="cost", false_positive_cost=1, false_negative_cost=3)
    assert (found["threshold"], found["cost"]) == (0.4, 1.0)
    # dog: 1 at 0.9, 5 at 0.4; cat: 5 + 1 at 0.7, 10 at 0.45, and 2 if nothing is predicted
    costs = {"objective": "cost", "false_positive_cost": 5}
    assert threshold(PETS, "dog", **costs) == 0.9
    assert threshold(PETS, "cat", **costs) == (
        "predicting nothing of 'cat' costs 2, every threshold 6 or more"
    )


def test_highest_of_equal_optima_is_chosen() -> None:
    # dog: one error at 0.9, a false negative, and one at 0.4, a false positive
    assert threshold(PETS, "dog", objective="cost") == 0.9


def test_costs_are_compared_as_decimals() -> None:
    # 3 * 0.1 at 0.9 and 1 * 0.3 at 0.5 are equal, although 3 * 0.1 is more in floating point
    scores = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.5}
    items = [Classification(uid, "x" if uid != "b" else "y", {"x": s}) for uid, s in scores.items()]
    costs = {"false_positive_cost": 0.3, "false_negative_cost": 0.1}

    assert 3 * 0.1 > 0.3
    assert threshold(items, "x", objective="cost", **costs) == 0.9


def test_one_threshold_for_all_labels() -> None:
    # 6 of 28 pairs of item and label are true; at 0.4: dog 0.9, 0.55, 0.4, cat 0.8, 0.7, 0.6, 0.45
    found = results_of(PETS, NAME).find(average="micro").value

    assert (found["threshold"], found["tp"], found["fp"], found["fn"], found["tn"]) == (
        *(0.4, 4, 3, 2),
        28 - 9,
    )
    assert found["f1"] == 8 / (8 + 3 + 2)


@pytest.mark.parametrize(
    ("label", "objective", "reason"),
    [
        ("bee", "f_beta", "no prediction of 'bee' is a true positive"),
        ("eel", "f_beta", "no ground truths of 'eel'"),
        ("pet", "youden", "no items without ground truth 'pet'"),
    ],
)
def test_label_without_threshold_has_a_reason(label: str, objective: str, reason: str) -> None:
    items = [
        Classification("a", ["bee", "pet"], {"pet": 0.9, "eel": 0.3}),
        Classification("b", ["pet"], {"pet": 0.4}),
    ]

    assert threshold(items, label, objective=objective) == reason


def test_specificity_is_null_if_every_item_has_the_label() -> None:
    items = [Classification("a", "pet", {"pet": 0.9}), Classification("b", "pet", {"pet": 0.4})]

    assert best(items, "pet")["specificity"] is None
    assert best(items, "pet")["threshold"] == 0.4


def test_predictions_without_scores_fail() -> None:
    batch = from_predicted(["dog"], ["dog"])

    assert "expected a score with each prediction" in str(failure_of(batch, NAME, average="micro"))


# Random sets, with and without ties, against scikit-learn.

OBJECTIVES: dict[str, dict[str, Any]] = {
    "f1": {},
    "f2": {"beta": 2.0},
    "recall at precision": {"objective": "recall_at_precision", "minimum": 0.6},
    "precision at recall": {"objective": "precision_at_recall", "minimum": 0.7},
    "recall at specificity": {"objective": "recall_at_specificity", "minimum": 0.8},
    "youden": {"objective": "youden"},
    "cost": {"objective": "cost", "false_positive_cost": 0.7, "false_negative_cost": 1.9},
}


def of_sklearn(
    truth: NDArray[Any], score: NDArray[Any], weights: Any = None, **chosen: Any
) -> tuple[float, float]:
    """Optimum of all points of scikit-learn's curves, and the highest threshold with it."""
    name, minimum = chosen.get("objective", "f_beta"), chosen.get("minimum", 0.0)
    precision, recall, cuts = sk.precision_recall_curve(truth, score, sample_weight=weights)
    fpr, tpr, levels = sk.roc_curve(truth, score, sample_weight=weights, drop_intermediate=False)
    weights = np.ones(len(truth)) if weights is None else weights
    positives, negatives = weights @ truth, weights @ (1 - truth)
    precision, recall, specificity = precision[:-1], recall[:-1], 1 - fpr[1:]
    if name in ("f_beta", "recall_at_precision", "precision_at_recall"):
        square = chosen.get("beta", 1.0) ** 2
        with np.errstate(invalid="ignore"):
            f = (1 + square) * precision * recall / (square * precision + recall)
        gains = {
            "f_beta": np.nan_to_num(f),
            "recall_at_precision": np.where(precision >= minimum, recall, -1),
            "precision_at_recall": np.where(recall >= minimum, precision, -1),
        }[name]
    else:
        cuts, tpr = levels[1:], tpr[1:]
        gains = {
            "recall_at_specificity": np.where(specificity >= minimum - 1e-12, tpr, -1),
            "youden": tpr + specificity - 1,
            "cost": -chosen.get("false_positive_cost", 1) * (1 - specificity) * negatives
            - chosen.get("false_negative_cost", 1) * (1 - tpr) * positives,
        }[name]
    greatest = gains.max()
    optima = cuts[np.isclose(gains, greatest, rtol=0, atol=1e-12)]
    return float(greatest), float(optima.min() if name == "precision_at_recall" else optima.max())


def of_valor(value: dict[str, Any], chosen: dict[str, Any]) -> float:
    name = chosen["objective"]
    key = {
        "f_beta": "f_beta" if chosen.get("beta", 1) != 1 else "f1",
        "youden": "youden",
        "cost": "cost",
    }
    found: float = value[key.get(name, name.partition("_at_")[0])]
    return -found if name == "cost" else found


def random_set(seed: int, dtype: Any = np.float64) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    count, width = int(rng.integers(8, 80)), int(rng.integers(2, 5))
    truths = np.append(np.arange(width), rng.integers(0, width, count - width))
    scores = rng.random((count, width)) + rng.random() * np.eye(width)[truths]
    scores /= scores.sum(axis=1, keepdims=True)
    return truths, (scores.round(1) if seed % 2 else scores).astype(dtype)


def compare(truths: NDArray[Any], scores: NDArray[Any], weights: Any = None) -> int:
    """Compare all objectives, and return the number of thresholds."""
    batch = from_arrays(truths, scores, metadata={"weight": weights} if weights is not None else {})
    choices = [{"name": NAME, **chosen} for chosen in OBJECTIVES.values()]
    results = results_of(batch, *choices, weights="weight" if weights is not None else None)
    width = scores.shape[1]
    places: dict[str, tuple[Any, ...]] = {
        str(label): ((truths == label).astype(int), scores[:, label], weights)
        for label in range(width)
    }
    repeated = None if weights is None else np.repeat(weights, width)
    places["all"] = np.eye(width, dtype=int)[truths].ravel(), scores.ravel(), repeated
    compared = 0
    for one in results:
        chosen = {k: v for k, v in one.parameters.items() if k not in ("label_key", "average")}
        truth, score, weight = places[chosen.pop("label", "all")]
        greatest, cut = of_sklearn(truth, score, weight, **chosen)
        if one.undefined is None:
            assert of_valor(one.value, chosen) == pytest.approx(greatest, abs=1e-11)
            assert one.value["threshold"] == cut
            compared += 1
        elif chosen["objective"] == "cost":
            assert -greatest >= 1.9 * ((np.ones(len(truth)) if weight is None else weight) @ truth)
        else:  # no threshold, or only some without a true positive
            assert greatest <= 0
    return compared


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_random_sets_equal_scikit_learn(dtype: Any) -> None:
    assert sum(compare(*random_set(seed, dtype)) for seed in range(80)) > 1000


def test_random_weights_equal_scikit_learn() -> None:
    sizes = np.random.default_rng(33)
    sets = [random_set(seed) for seed in range(40)]

    assert sum(compare(*one, sizes.integers(1, 20, len(one[0])) / 4) for one in sets) > 500


class Scores(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier whose only feature is the probability of the class 1."""

    def fit(self, features: Any, classes: Any) -> Scores:
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, features: Any) -> NDArray[Any]:
        return np.column_stack([1 - features[:, 0], features[:, 0]])


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_tuned_classifier_of_scikit_learn_has_the_same_score(beta: float) -> None:
    for seed in range(8):
        truths, scores = random_set(seed)
        truth, score = (truths == 0).astype(int), scores[:, 0]
        tuned = TunedThresholdClassifierCV(
            Scores().fit(None, None),
            scoring=sk.make_scorer(sk.fbeta_score, beta=beta, zero_division=0.0),
            thresholds=np.unique(score),
            cv="prefit",
            refit=False,
        ).fit(score[:, None], truth)

        found = best(from_arrays(truth, score), "1", beta=beta)

        assert found["f1" if beta == 1 else "f_beta"] == pytest.approx(tuned.best_score_)
        predicted = score >= found["threshold"]
        assert sk.fbeta_score(truth, predicted, beta=beta) == pytest.approx(tuned.best_score_)


# Thresholds of a saved report.


def halves() -> tuple[Any, Any]:
    truths, scores = random_set(2)
    return from_arrays(truths[::2], scores[::2]), from_arrays(truths[1::2], scores[1::2])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "validation.json"
    evaluate(halves()[0], [NAME, {"name": NAME, "objective": "youden"}]).save(path)
    return path


@pytest.mark.parametrize("objective", ["f_beta", "youden"])
def test_applied_thresholds_give_the_counts_of_the_other_data(saved: Path, objective: str) -> None:
    validation, test = halves()
    before = results_of(validation, {"name": NAME, "objective": objective})
    choice = {"name": NAME, "objective": objective, "apply": saved}
    found = results_of(test, choice)

    assert len(found) == len(before)
    for one in found:
        where = {k: v for k, v in one.parameters.items() if k in ("label", "average")}
        cut = before.find(**where).value["threshold"]
        counts = {"name": "Counts", "score_thresholds": cut, "hardmax": False}
        if "label" in where:
            wanted = results_of(test, counts).find(**where).value
        else:
            rows = [each.value for each in results_of(test, counts)]
            wanted = {name: sum(row[name] for row in rows) for name in rows[0]}
        assert one.value["threshold"] == cut
        assert {name: one.value[name] for name in wanted} == wanted
        assert one.parameters["applied"] is True


def test_applied_to_the_same_data_the_numbers_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    for data in (PETS, halves()[0]):
        report = evaluate(data, [NAME])
        report.save(path)
        again = results_of(data, {"name": NAME, "apply": path})
        assert [one.to_dict()["value"] for one in again] == [
            one.to_dict()["value"] for one in report
        ]


def test_applied_threshold_reaches_its_own_score_in_float32(tmp_path: Path) -> None:
    truths, scores = random_set(3, np.float32)
    batch = from_arrays(truths, scores)
    report = evaluate(batch, [NAME])
    report.save(tmp_path / "own.json")

    again = results_of(batch, {"name": NAME, "apply": tmp_path / "own.json"})

    assert [one.value for one in again] == [one.value for one in report]


def test_label_that_the_report_lacks_fails_alone(saved: Path) -> None:
    items = [Classification("a", "0", {"0": 0.9}), Classification("b", "owl", {"owl": 0.9})]
    found = results_of(items, {"name": NAME, "objective": "youden", "apply": saved})

    assert found.find(label="owl").only.error == (
        f"{saved.as_posix()} has no threshold of 'owl'; find thresholds on data with this label, "
        "or rename it with label_map"
    )
    assert found.find(label="0").value["tp"] == 1


def test_label_without_threshold_in_the_report_keeps_the_reason(tmp_path: Path) -> None:
    evaluate(PETS, [NAME]).save(tmp_path / "pets.json")

    found = results_of(PETS, {"name": NAME, "apply": tmp_path / "pets.json"})

    assert found.find(label="bee").only.undefined == "no prediction of 'bee' is a true positive"


def refusal(path: Path, **chosen: Any) -> tuple[str, str | None]:
    with pytest.raises(ParameterError) as caught:
        evaluate(PETS, [{"name": NAME, "apply": path, **chosen}], registry=REGISTRY)
    return caught.value.message, caught.value.remedy


def test_report_with_several_objectives_needs_a_choice(saved: Path) -> None:
    assert refusal(saved) == (
        f"apply: expected one objective in {saved}, found objective f_beta with beta 1.0, or "
        "objective youden",
        "Choose one of them, for example objective: f_beta",
    )


def test_report_with_another_objective_is_rejected(saved: Path) -> None:
    assert refusal(saved, objective="cost") == (
        f"apply: expected thresholds for objective cost with false_positive_cost 1.0, "
        f"false_negative_cost 1.0 in {saved}, found objective f_beta with beta 1.0, or objective "
        "youden",
        "Leave objective and its parameters out to use those of the report.",
    )


def test_report_without_thresholds_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    evaluate(PETS, ["F1"]).save(path)

    assert refusal(path) == (
        f"apply: expected results of classification.BestThreshold in {path}, found none",
        "Add classification.BestThreshold to the metrics of the run that writes this report.",
    )


def test_missing_report_is_rejected(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.json")[0] == f"apply: {tmp_path / 'none.json'}: no such file"


def test_found_numbers_have_no_interval_but_applied_ones_do(saved: Path) -> None:
    rng = np.random.default_rng(4)
    truths = rng.integers(0, 2, 300)
    batch = from_arrays(truths, np.clip(truths * 0.3 + rng.random(300) * 0.7, 0, 1))
    found = evaluate(batch, [NAME], confidence=0.95)[NAME].find(label="1").only
    found_rows = {row["number"]: row for row in found.details["confidence"]}

    assert {row["method"] for row in found_rows.values()} == {"no interval: the place of a maximum"}

    choice = {"name": NAME, "objective": "youden", "apply": saved}
    applied = evaluate(batch, [choice], confidence=0.95)[NAME].find(label="1").only
    rows = {row["number"]: row for row in applied.details["confidence"]}
    low, high = rows["precision"]["interval"]
    assert low < applied.value["precision"] < high
    assert rows["threshold"]["method"] == "no interval: found on other data"


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (
            {"minimum": 0.9},
            "minimum has no effect with the objective f_beta",
        ),
        (
            {"objective": "recall_at_precision"},
            "minimum: expected the least precision for the objective recall_at_precision, found "
            "none",
        ),
        ({"objective": "youden", "beta": 2}, "beta has no effect with the objective youden"),
        (
            {"objective": "cost", "false_positive_cost": 0, "false_negative_cost": 0},
            "false_positive_cost and false_negative_cost must not both be 0",
        ),
    ],
)
def test_parameters_without_effect_are_rejected(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        evaluate(PETS, [{"name": NAME, **chosen}], registry=REGISTRY)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "objective"),
    [
        ("max_f1", "f_beta"),
        ("youden_index", "youden"),
        ("optimal_threshold", "f_beta"),
    ],
)
def test_common_names(name: str, objective: str) -> None:
    found = results_of(PETS, name).find(label="dog").only

    assert (found.type, found.parameters["objective"]) == (NAME, objective)


def test_labels_of_each_key_have_their_own_threshold() -> None:
    items = [
        Classification(
            "a",
            [Label("animal", "dog"), Label("colour", "red")],
            [(Label("animal", "dog"), 0.3), (Label("colour", "red"), 0.6)],
        ),
        Classification("b", [Label("animal", "cat")], [(Label("animal", "dog"), 0.2)]),
    ]
    found = results_of(items, NAME)

    assert found.find(label_key="animal", label="dog").value["threshold"] == 0.3
    assert found.find(label_key="colour", average="micro").value["threshold"] == 0.6
