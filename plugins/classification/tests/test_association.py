from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from valor_classification.counting.confusion import Cells, KeyConfusion
from valor_classification.metrics.correlation import _correlation, tabulation
from valor_classification.readers.arrays import from_predicted

from valor_core.errors import ParameterError
from valor_core.schemas import Label
from valor_core.schemas.classification import Classification

from .support import PETS, failure_of, reason_of, results_of, value_of

CAT, DOG = Label("class", "cat"), Label("class", "dog")

BINARY = from_predicted([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1])


def test_matthews_correlation_of_two_labels() -> None:
    # tp 2, tn 2, fp 1, fn 1: (2 * 2 - 1 * 1) / sqrt(3 * 3 * 3 * 3)
    assert value_of(BINARY, "MatthewsCorrelation") == 3 / 9


def test_matthews_correlation_of_several_labels() -> None:
    # truths ant 1, bee 1, cat 2, dog 2; called cat 3, dog 2, nothing 1; 2 of 6 right
    numerator = 2 * 6 - (2 * 3 + 2 * 2)
    denominator = math.sqrt((36 - 10) * (36 - 14))

    assert value_of(PETS, "MatthewsCorrelation") == pytest.approx(numerator / denominator)


def test_missing_prediction_counts_as_a_separate_label() -> None:
    items = [
        Classification("a", "dog", {"dog": 0.9}),
        Classification("b", "cat", {"dog": 0.4}),
    ]

    # at 0.5 b is called nothing: all dogs and all others are told apart, no cat is found
    assert value_of(items, "MatthewsCorrelation", score_thresholds=[0.5]) == 1 / 2
    assert value_of(items, "CohenKappa", score_thresholds=[0.5]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("truths", "predictions"), [([1, 1, 1], [1, 0, 1]), ([1, 0, 1], [1, 1, 1])]
)
def test_matthews_correlation_of_one_label_on_a_side_is_undefined(
    truths: list[int], predictions: list[int]
) -> None:
    batch = from_predicted(truths, predictions)

    wanted = "all ground truths or all predictions are of one label"
    assert reason_of(batch, "MatthewsCorrelation") == wanted


def test_cohen_kappa() -> None:
    # 4 of 6 agree, 1/2 by chance: (2/3 - 1/2) / (1 - 1/2)
    assert value_of(BINARY, "CohenKappa") == pytest.approx(1 / 3, rel=1e-15)


@pytest.mark.parametrize(
    ("weights", "value"),
    # off by one twice, against 8/3 and 4 by chance
    [("none", 1 - 2 / 2), ("linear", 1 - 2 / (8 / 3)), ("quadratic", 1 - 2 / 4)],
)
def test_cohen_kappa_weighs_disagreements_by_distance(weights: str, value: float) -> None:
    batch = from_predicted([0, 1, 2], [0, 2, 1])

    assert value_of(batch, "CohenKappa", weights=weights) == pytest.approx(value, abs=1e-15)


def test_cohen_kappa_of_one_label_on_both_sides_is_undefined() -> None:
    batch = from_predicted([1, 1], [1, 1])

    wanted = "all ground truths and all predictions are of one label"
    assert reason_of(batch, "CohenKappa") == wanted


def test_predictions_alone_have_no_association() -> None:
    items = [Classification("a", predictions={"dog": 0.9})]

    for name in ("MatthewsCorrelation", "CohenKappa"):
        assert reason_of(items, name) == "no items with ground truth"


def test_the_worst_is_minus_one() -> None:
    batch = from_predicted([0, 1], [1, 0])

    results = results_of(batch, "MatthewsCorrelation", "CohenKappa")

    assert [result.value for result in results] == [-1.0, -1.0]


def test_a_perfect_correlation_is_no_more_than_1_however_many_items_there_are() -> None:
    # 200,000,002 * 100,000,001 pairs: their square is beyond what a float holds exactly
    for count in range(100_000_000, 100_000_200):
        part = KeyConfusion((0.0,), hardmax=True)
        part.add([CAT, DOG])
        labels = np.array([0, 1])
        columns = np.array([labels, labels, [1, 1]])
        part.cells = Cells(columns, np.array([count, 2 * count + 1]))

        assert _correlation(tabulation(part, 0.0)) <= 1


def test_many_labels_need_no_matrix_of_all_pairs() -> None:
    # 10,000 labels, each right once: a dense matrix would take 800 MB
    names = [str(number) for number in range(10_000)]
    batch = from_predicted(names, names)
    tracemalloc.start()

    results = results_of(batch, "MatthewsCorrelation", "CohenKappa")

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [result.value for result in results] == [1.0, 1.0]
    assert peak < 100e6


SCALE = [str(number) for number in range(-5, 7)]


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize(
    "names",
    [SCALE, [f"{number}.0" for number in range(12)], [f"{number / 4}" for number in range(-6, 6)]],
)
def test_weighted_kappa_of_numbers_follows_their_size(names: list[str], weights: str) -> None:
    truths, predictions = grades(len(names))
    batch = from_predicted(*named(names, truths, predictions))

    wanted = cohen_kappa_score(truths, predictions, weights=weights)
    assert value_of(batch, "CohenKappa", weights=weights) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_of_names_follows_the_order_that_is_given(weights: str) -> None:
    order = ["low", "medium", "high", "extreme"]
    truths, predictions = grades(3)
    batch = from_predicted(*named(order, truths, predictions))

    found = results_of(batch, {"name": "CohenKappa", "weights": weights, "order": order}).only

    wanted = cohen_kappa_score(truths, predictions, labels=[0, 1, 2, 3], weights=weights)
    assert found.value == pytest.approx(wanted, rel=1e-12)
    assert found.parameters["order"] == order


def test_an_order_goes_before_the_size_of_numbers() -> None:
    batch = from_predicted([0, 1, 2, 0], [1, 1, 2, 2])
    wanted = cohen_kappa_score([0, 1, 2, 0], [1, 1, 2, 2], labels=[1, 0, 2], weights="linear")

    value = value_of(batch, "CohenKappa", weights="linear", order=[1, 0, 2])

    assert value == pytest.approx(wanted, rel=1e-12)


def test_weights_without_an_order_fail_with_a_remedy() -> None:
    assert failure_of(PETS, "CohenKappa", weights="linear") == (
        "weights need labels that are numbers, or their order; found 'ant' (and 3 more); "
        "pass order: [lowest, …, highest]"
    )
    assert failure_of(PETS, "CohenKappa", weights="linear", order=["ant", "bee", "cat"]) == (
        "order has no place for label 'dog'; name all labels from the lowest to the highest"
    )


def test_order_without_weights_is_rejected() -> None:
    with pytest.raises(
        ParameterError,
        match="order needs weights, got weights 'none', for which labels have no order",
    ):
        results_of(PETS, {"name": "CohenKappa", "order": ["a", "b"]})


def test_no_prediction_has_no_place_on_a_scale() -> None:
    items = [
        Classification(str(number), str(truth), {str(predicted): score})
        for number, (truth, predicted, score) in enumerate(
            [(1, 1, 0.9), (2, 3, 0.9), (3, 3, 0.8), (3, 1, 0.7), (1, 3, 0.2), (2, 2, 0.1)]
        )
    ]
    choice = {"name": "CohenKappa", "weights": "quadratic", "score_thresholds": [0.5, 0.95]}

    found, none = results_of(items, choice)

    wanted = cohen_kappa_score([1, 2, 3, 3], [1, 3, 3, 1], labels=[1, 2, 3], weights="quadratic")
    assert found.value == pytest.approx(wanted, rel=1e-12)
    assert found.left_out == {"no prediction": 2}
    assert none.undefined == "no items with both a ground truth and a prediction"


def grades(count: int) -> tuple[list[int], list[int]]:
    """Truths and predictions that are often near each other."""
    rng = np.random.default_rng(7)
    truths = rng.integers(0, count, 300)
    return truths.tolist(), np.clip(truths + rng.integers(-2, 3, 300), 0, count - 1).tolist()


def named(names: list[str], *columns: list[int]) -> list[list[str]]:
    return [[names[code] for code in column] for column in columns]
