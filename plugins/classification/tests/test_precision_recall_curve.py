from __future__ import annotations

from .support import PETS, SETS, value_of


def test_every_label_and_threshold_is_a_binary_problem_without_hardmax() -> None:
    curves = value_of(PETS, "PrecisionRecallCurve")

    # at 0.5 dog passes on a and d
    assert curves["dog"]["0.5"] == {
        "tp": 1,
        "fp": 1,
        "fn": 1,
        "tn": 4,
        "accuracy": 5 / 7,
        "precision": 1 / 2,
        "recall": 1 / 2,
        "f1_score": 1 / 2,
    }
    # and cat on b, c and e
    assert curves["cat"]["0.5"] == {
        "tp": 1,
        "fp": 2,
        "fn": 1,
        "tn": 3,
        "accuracy": 4 / 7,
        "precision": 1 / 3,
        "recall": 1 / 2,
        "f1_score": 2 / 5,
    }


def test_thresholds_are_those_of_the_documentation_unless_given() -> None:
    names = list(value_of(PETS, "PrecisionRecallCurve")["dog"])

    assert names == [repr(step / 20) for step in range(1, 20)]
    assert names[:3] == ["0.05", "0.1", "0.15"]


def test_curve_sorts_the_given_thresholds() -> None:
    one = value_of(PETS, "PrecisionRecallCurve", score_thresholds=[0.9, 0.2])
    other = value_of(PETS, "PrecisionRecallCurve", score_thresholds=[0.2, 0.9])

    assert list(one["dog"]) == ["0.2", "0.9"]
    assert one == other


def test_zero_by_zero_is_null_where_asked_for() -> None:
    at = {"score_thresholds": [0.5]}

    point = value_of(PETS, "PrecisionRecallCurve", zero_division=None, **at)["bee"]["0.5"]

    assert (point["precision"], point["recall"], point["f1_score"]) == (None, 0.0, 0.0)
    assert value_of(PETS, "PrecisionRecallCurve", **at)["bee"]["0.5"]["precision"] == 0.0


def test_several_ground_truths_are_separate_problems() -> None:
    curves = value_of(SETS, "PrecisionRecallCurve", score_thresholds=[0.15])

    # bee passes on a and b, and is true of d, at 0.1
    assert [curves["bee"]["0.15"][name] for name in ("tp", "fp", "fn", "tn")] == [0, 2, 1, 1]
