from __future__ import annotations

import pytest
from valor_report.tables.sections import tables_of

from valor_core.schemas.detection import Detection

from .support import predicted, results_of, true, value_of

NAMES = [
    "AP",
    "AP50",
    "AP75",
    "AP_small",
    "AP_medium",
    "AP_large",
    "AR_1",
    "AR_10",
    "AR_100",
    "AR_small",
    "AR_medium",
    "AR_large",
]

# One medium dog of 40 by 40 pixels, matched with an IoU of 0.7; one small dog that is missed,
# with a false positive of the same size and a higher score.
ITEM = Detection(
    "a",
    [true("dog", 0, 0, 40, 40), true("dog", 100, 0, 110, 10)],
    [predicted({"dog": 0.9}, 0, 0, 40, 28), predicted({"dog": 0.8}, 200, 0, 210, 10)],
)


def test_twelve_numbers_are_in_the_order_of_papers() -> None:
    value = value_of([ITEM], "COCOSummary")

    assert list(value) == NAMES
    # Matched at 5 of 10 thresholds, 0.5 to 0.7; recalls 0 to 0.5 are 51 of 101 points.
    expected = {
        "AP": 5 / 10 * 51 / 101,
        "AP50": 51 / 101,
        "AP75": 0.0,
        "AP_small": 0.0,
        "AP_medium": 5 / 10,
        "AP_large": None,
        "AR_1": 5 / 10 * 1 / 2,
        "AR_10": 5 / 10 * 1 / 2,
        "AR_100": 5 / 10 * 1 / 2,
        "AR_small": 0.0,
        "AR_medium": 5 / 10,
        "AR_large": None,
    }
    assert value == {
        name: None if number is None else pytest.approx(number, rel=1e-12)
        for name, number in expected.items()
    }


def test_a_report_prints_them_in_that_order() -> None:
    (table,) = tables_of(results_of([ITEM], "COCOSummary"))

    assert [row[0].text for row in table.rows] == [f"COCOSummary {name}" for name in NAMES]


def test_each_label_key_has_a_summary() -> None:
    item = Detection("a", [true([("animal", "dog"), ("color", "white")], 0, 0, 40, 40)])

    results = results_of([item], "COCOSummary")
    assert [one.parameters for one in results] == [{"label_key": "animal"}, {"label_key": "color"}]
