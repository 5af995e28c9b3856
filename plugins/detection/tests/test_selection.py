from __future__ import annotations

import math

import pytest
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.settings import request, selections
from valor_detection.parameters.averages import APParameters
from valor_detection.parameters.counts import CountsParameters


@pytest.mark.parametrize(
    ("parameters", "most"),
    [
        ({}, 100),
        ({"matching": "valor"}, None),
        ({"matching": "ranked"}, None),
        ({"max_detections": 7}, 7),
        ({"matching": "valor", "max_detections": 7}, 7),
    ],
)
def test_averages_count_100_detections_under_coco_by_default(
    parameters: dict[str, object], most: int | None
) -> None:
    own = APParameters(**parameters)  # type: ignore[arg-type]
    (chosen,) = selections(own, protocol_of(own).bounds)

    assert chosen.max_detections == most


def test_other_metrics_have_no_bounds_by_default() -> None:
    (chosen,) = selections(CountsParameters())

    assert (chosen.area_range, chosen.max_detections) == ((0.0, math.inf), None)


def test_each_area_range_has_a_selection() -> None:
    found = list(selections(APParameters(area_ranges={"small": (0, 9), "large": (9, None)})))

    assert [(each.area_range, each.coordinates) for each in found] == [
        ((0.0, 9.0), {"area_range": "small", "area_bounds": [0.0, 9.0]}),
        ((9.0, math.inf), {"area_range": "large", "area_bounds": [9.0, None]}),
    ]


def test_metrics_of_one_conversion_share_a_state_across_protocols() -> None:
    one = request(APParameters(), (0.5,))
    other = request(CountsParameters(matching="ranked", max_detections=1), (0.75,))

    assert one.joins(other)
    assert not one.joins(request(APParameters(convert_to="box"), (0.5,)))
    assert one.joined(other).open().iou_thresholds == (0.5, 0.75)
