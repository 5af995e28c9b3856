from __future__ import annotations

from valor_report.tables.structures import curves

from .support import ROW, results_of, value_of


def test_the_documented_form_has_19_thresholds_for_every_label() -> None:
    result = results_of(ROW, "PrecisionRecallCurve").only

    assert result.parameters == {"label_key": "class", "iou_threshold": 0.5}
    assert list(result.value) == ["bee", "cat", "dog"]
    assert list(result.value["dog"]) == [repr(k / 20) for k in range(1, 20)]
    assert result.value["dog"]["0.75"] == {
        "tp": 1,
        "fp": 1,
        "fn": 3,
        "precision": 1 / 2,
        "recall": 1 / 4,
        "f1_score": 2 / (2 + 1 + 3),
    }
    assert result.value["dog"]["0.95"]["fn"] == 4
    assert result.value["bee"]["0.5"]["fp"] == 1


def test_thresholds_are_in_ascending_order() -> None:
    value = value_of(ROW, "PrecisionRecallCurve", score_thresholds=[0.8, 0.1])

    assert list(value["dog"]) == ["0.1", "0.8"]


def test_zero_division_sets_the_value_of_0_by_0() -> None:
    at = {"score_thresholds": 0.95}

    assert value_of(ROW, "PrecisionRecallCurve", **at)["dog"]["0.95"]["precision"] == 0.0
    null = value_of(ROW, "PrecisionRecallCurve", zero_division=None, **at)["dog"]["0.95"]
    assert null["precision"] is None
    assert null["recall"] == 0.0


def test_the_interpolated_form_has_101_recalls() -> None:
    result = results_of(
        ROW, {"name": "PrecisionRecallCurve", "form": "interpolated", "matching": "valor"}
    ).only

    curve = result.value["dog"]
    # tp at 0.9, fp at 0.8, tp at 0.7, of 4
    assert curve["recalls"] == [k / 100 for k in range(101)]
    assert curve["precisions"] == [1.0] * 26 + [2 / 3] * 25 + [0.0] * 50
    assert curve["scores"] == [0.9] * 26 + [0.7] * 25 + [0.0] * 50
    assert list(result.value) == ["cat", "dog"]
    assert result.left_out == {"no ground truths of the label": 1}


def test_ap_is_the_mean_of_the_interpolated_form() -> None:
    curve = value_of(ROW, "PrecisionRecallCurve", form="interpolated", matching="valor")
    results = results_of(ROW, {"name": "AP", "iou_thresholds": 0.5, "matching": "valor"})

    for label, points in curve.items():
        assert abs(sum(points["precisions"]) / 101 - results.find(label=label).value) < 1e-15


def test_both_forms_are_drawn_as_curves() -> None:
    for form in ("thresholds", "interpolated"):
        found = curves(value_of(ROW, "PrecisionRecallCurve", form=form))
        assert {curve.kind for curve in found} == {"precision_recall"}
