from __future__ import annotations

import pytest
from valor_report.plots.diagrams import bins, tallies


def test_reliability_diagram_omits_empty_bins():
    held = bins(
        {
            "bins": [
                {"confidence": 0.1, "accuracy": 0.2, "count": 3, "low": 0, "high": 0.5},
                {"confidence": None, "accuracy": None, "count": 0},
                {"mean_confidence": 0.9, "mean_accuracy": 0.8},
                "nonsense",
            ]
        }
    )

    assert [(each.confidence, each.count, each.high) for each in held] == [
        (0.1, 3, 0.5),
        (0.9, 1, None),
    ]
    assert bins({"bins": 15}) == ()
    assert bins(3) == ()


def test_bin_has_name_of_its_measure():
    of_detections = {"count": 2, "confidence": 0.5, "precision": 0.75}
    of_items = {"count": 2, "confidence": 0.5, "accuracy": 0.75}

    found = [bins({"bins": [entry]})[0] for entry in (of_detections, of_items)]

    assert [(one.accuracy, one.measure) for one in found] == [
        (0.75, "precision"),
        (0.75, "accuracy"),
    ]


def at(**kinds: int):
    return {
        "observations": {kind: {"count": count, "examples": []} for kind, count in kinds.items()}
    }


def test_tallies_are_summed_over_labels():
    value = {
        "cat": {"0.5": {"tp": at(all=3), "fn": at(no_predictions=1)}, "0.25": {"tp": at(all=4)}},
        "dog": {"0.5": {"tp": at(all=2)}},
    }
    assert [(each.kind, each.points) for each in tallies(value)] == [
        ("tp, all", ((0.25, 4.0), (0.5, 5.0))),
        ("fn, no predictions", ((0.5, 1.0),)),
    ]


@pytest.mark.parametrize(
    "value",
    [
        3,
        {},
        {"cat": {"0.5": {"precision": 1.0, "recall": 0.5}}},
        {"cat": {"high": {"tp": at(all=1)}}},
        {"cat": {"0.5": {"tp": {"observations": {"all": "many"}}}}},
        {"cat": {"cat": 3}},
    ],
)
def test_other_values_have_no_tallies(value):
    assert tallies(value) == ()
