from __future__ import annotations

import pytest
from valor_detection.parameters import APParameters, CountsParameters
from valor_detection.selection import request, selections


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
def test_coco_counts_a_hundred_detections_unless_told(
    parameters: dict[str, object], most: int | None
) -> None:
    (chosen,) = selections(APParameters(**parameters))  # type: ignore[arg-type]

    assert chosen.max_detections == most


def test_there_is_one_for_every_range_of_sizes() -> None:
    found = list(selections(APParameters(area_ranges={"small": (0, 9), "large": (9, 99)})))

    assert [(each.area_range, each.coordinates) for each in found] == [
        ((0.0, 9.0), {"area_range": "small"}),
        ((9.0, 99.0), {"area_range": "large"}),
    ]


def test_metrics_of_one_conversion_share_a_state_whatever_their_rule() -> None:
    one = request(APParameters(), (0.5,))
    other = request(CountsParameters(matching="ranked", max_detections=1), (0.75,))

    assert one.joins(other)
    assert not one.joins(request(APParameters(convert_to="box"), (0.5,)))
    assert one.joined(other).open().iou_thresholds == (0.5, 0.75)
