from __future__ import annotations

import pytest
from valor_report.tables.structures import (
    Breakdown,
    breakdown,
    curves,
    matrix,
    outline,
    structure,
)

from valor_core.results.entries import named_numbers

ROC = {"cat": {"fpr": [0, 0.5, 1], "tpr": [0, 1, 1], "thresholds": [2, 1, 0]}}
AT = {"tp": 1, "fp": 0, "precision": 1.0, "recall": 0.5, "f1_score": 0.6}
NOTHING = {"tp": 0, "fp": 0, "precision": 0.0, "recall": 0.0, "f1_score": 0.0}
PRECISION_RECALL = {"cat": {"0.1": AT, "0.9": NOTHING}, "dog": {"0.1": AT, "0.9": AT}}


def test_roc_curves_are_parsed_by_label():
    (curve,) = curves(ROC)

    assert (curve.kind, curve.label) == ("roc", "cat")
    assert curve.points == ((0.0, 0.0), (0.5, 1.0), (1.0, 1.0))
    assert curve.area == 0.75


def test_threshold_without_predictions_gives_no_point():
    cat, dog = curves(PRECISION_RECALL)

    assert cat.kind == "precision_recall"
    assert cat.points == ((0.5, 1.0),)
    assert len(dog.points) == 2


def test_value_without_labels_is_single_curve():
    assert curves(ROC["cat"])[0].label == ""
    assert curves(PRECISION_RECALL["cat"])[0].points == ((0.5, 1.0),)


def test_missing_values_give_no_points():
    assert curves({"a": {"recall": [0, None, 1], "precision": [-1, 1, 1]}})[0].points == ((1, 1),)


@pytest.mark.parametrize(
    "value", [0.5, None, [], {}, {"cat": 1}, {"cat": {"fpr": [0]}}, {"cat": {"0.1": {"tp": 1}}}]
)
def test_other_values_have_no_curves(value):
    assert curves(value) == ()


def test_confusion_matrix_has_same_labels_in_rows_and_columns():
    held = matrix({"confusion_matrix": {"a": {"b": 2}}})

    assert held is not None
    assert (held.rows, held.columns) == (("a", "b"), ("a", "b"))
    assert held.numbers.tolist() == [[0, 2], [0, 0]]
    assert held.largest(~held.is_hit, 9) == [("a", "b", 2, 1.0)]


def test_unmatched_objects_have_row_and_column():
    held = matrix(
        {
            "confusion_matrix": {"a": {"a": {"count": 3, "examples": []}}},
            "unmatched_ground_truths": {"a": 1, "c": {"count": 2}},
            "unmatched_predictions": {"d": 4},
        }
    )

    assert held is not None
    assert held.rows == ("a", "c", "d", "(no ground truth)")
    assert held.columns == ("a", "c", "d", "(no prediction)")
    assert held.numbers.tolist() == [[3, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 4, 0]]


def test_nested_mapping_of_numbers_is_matrix():
    held = matrix({"x": {"one": 0.5}, "y": {"two": 1}})

    assert held is not None
    assert (held.confusion, held.size) == (False, 2)


@pytest.mark.parametrize("side", ["unmatched_ground_truths", "unmatched_predictions"])
@pytest.mark.parametrize("unmatched", [["cat"], "cat", 1])
def test_invalid_unmatched_counts_give_no_matrix(side, unmatched):
    assert matrix({"confusion_matrix": {"cat": {"cat": 1}}, side: unmatched}) is None


@pytest.mark.parametrize(
    "value", [3, {}, {"a": 1}, {"a": {}}, {"a": {"b": "c"}}, {"confusion_matrix": [1]}]
)
def test_other_values_are_not_matrices(value):
    assert matrix(value) is None


def test_booleans_are_not_numbers():
    assert named_numbers({"a": 1, "b": True, "c": None, "d": "x"}) == {"a": 1, "c": None}
    assert named_numbers({"c": None}) == {"c": None}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ROC, "curve, 1 label × 3 points"),  # noqa: RUF001
        (ROC["cat"], "curve, 3 points"),
        (PRECISION_RECALL, "curve, 2 labels × 2 thresholds"),  # noqa: RUF001
        (
            {"a": {"fpr": [0], "tpr": [0]}, "b": {"fpr": [0, 1], "tpr": [0, 1]}},
            "curve, 2 labels × up to 2 points",  # noqa: RUF001
        ),
        ({"bins": [1, 2]}, "2 bins"),
        ({"a": "b"}, "table of 1 entry"),
        ([1, 2], "list of 2 entries"),
        ("text", "text"),
    ],
)
def test_outline_describes_structures(value, words):
    assert outline(value, curves(value)) == words


def test_breakdown_is_found_at_top_level_and_one_below():
    of_kinds = {"missed": {"count": 3, "cost": 0.5}, "made_up": {"count": 1, "cost": None}}

    found = breakdown({"ap": 0.25, "errors": of_kinds, "all": {"count": 4, "cost": 0.75}})

    assert found.kinds == ("missed", "made_up", "all")
    assert found.columns == ("count", "cost")
    assert found.numbers == ((3, 0.5), (1, None), (4, 0.75))


def test_breakdown_by_numbers_has_name_and_positions():
    record = {"accuracy": 0.5, "total": 4}

    by_noise = breakdown({"noise_ratio": {"0.0": record, "0.4": record}})
    of_kinds = breakdown({"noise_ratio": {"0.0": record, "not given": record}})
    mixed = breakdown({"noise_ratio": {"0.0": record, "0.4": record}, "all": record})

    assert (by_noise.by, by_noise.places) == ("noise_ratio", (0.0, 0.4))
    assert (of_kinds.by, of_kinds.places) == ("noise_ratio", None)
    assert (mixed.by, mixed.places) == ("", None)
    assert breakdown({"noise_ratio": {"0.4": record}}).places == (0.4,)


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        {"ap": 0.5},
        {"ap": 0.5, "all": {"count": 4}},
        {"ap": 0.5, "a": {"count": 4}, "b": {"cost": 4}},
        {"ap": 0.5, "a": {"count": 4}, "b": {"count": [4]}},
        {"ap": 0.5, "a": {"count": 4}, "b": {}},
        {"cat": {"cat": 1, "dog": 2}, "dog": {"cat": 1, "dog": 2}},
        PRECISION_RECALL,
    ],
)
def test_other_values_are_not_breakdowns(value):
    assert not isinstance(structure(value), Breakdown)
