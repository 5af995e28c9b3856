"""Valor gives what earlier implementations gave, except where it answers otherwise on purpose."""

from __future__ import annotations

from typing import Any

from cases import for_each

from .golden_cases import MISSING, GoldenCase, cases, divergences, reasons
from .support import results_of

METRICS = (
    "Accuracy",
    {"name": "mIOU", "include_prediction_only_labels": True},
    "IOU",
    *({"name": name, "average": ["none"]} for name in ("Precision", "Recall", "F1")),
    "ConfusionMatrix",
    {"name": "ConfusionMatrix", "normalize": "iou"},
)


def answers(case: GoldenCase) -> dict[str, Any]:
    """Return the results of Valor by the paths of `golden_cases`."""
    found: dict[str, Any] = {}
    for result in results_of(case.items, *METRICS):
        value = result.to_dict()["value"]
        if result.type != "ConfusionMatrix":
            label = result.parameters.get("label")
            name = result.type.lower()
            found[name if label is None else f"{name}/{label}"] = value
        elif value is not None:
            found |= _cells(value, "normalize" in result.parameters)
    return found


def _cells(value: dict[str, Any], is_share: bool) -> dict[str, Any]:
    name = "cell" if is_share else "pixels"
    found = {
        f"{name}/{truth}/{prediction}": cell
        for truth, row in value["confusion_matrix"].items()
        for prediction, cell in row.items()
    }
    for label, missed in value["unmatched_ground_truths"].items():
        found[f"missed/{label}" if is_share else f"pixels/{label}/"] = missed
    for label, invented in value["unmatched_predictions"].items():
        found[f"invented/{label}" if is_share else f"pixels//{label}"] = invented
    return found if is_share else found | {"pixels//": value["background"]}


@for_each("case", cases(), ids=lambda case: case.id)
def test_results_are_those_recorded(case: GoldenCase) -> None:
    expected = dict(case.results)
    for divergence in divergences():
        if divergence.case == case.id:
            expected |= divergence.ours
    found = answers(case)

    assert {path: found.get(path, MISSING) for path in expected} == expected


def test_divergences_differ_from_what_was_recorded_and_have_a_reason() -> None:
    recorded = {case.id: case.results for case in cases()}

    for divergence in divergences():
        assert divergence.reason in reasons()
        for path, value in divergence.ours.items():
            assert recorded[divergence.case][path] != value
    assert {divergence.reason for divergence in divergences()} == set(reasons())
