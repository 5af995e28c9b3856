"""Common names of detection metrics with parameters in the name."""

from __future__ import annotations

import re

import pytest
from valor_detection.plugin import valor_metrics

from valor_core import Registry
from valor_core.errors import UnknownNameError, VersionPinError
from valor_core.evaluation.bound_metric import bind_metrics

TEN = tuple(n / 100 for n in range(50, 100, 5))


def bound(name: str, task: str | None = "detection"):
    (metric,) = bind_metrics([name], Registry(), task)
    return metric


@pytest.mark.parametrize(
    "name",
    ["mAP50", "map_50", "mAP-50", "mAP@50", "mAP@0.5", "mAP@.5", "mAP@[0.5]", "detection.map50"],
)
def test_map_at_one_threshold_has_several_spellings(name) -> None:
    metric = bound(name)

    assert metric.spec.name == "detection.mAP"
    assert metric.parameters.iou_thresholds == (0.5,)


@pytest.mark.parametrize(
    "name",
    ["mAP50-95", "mAP_50_95", "mAP@50:95", "mAP@0.5:0.95", "mAP@[.5:.95]", "mAP@[.5:.05:.95]"],
)
def test_map_over_cocos_thresholds_has_several_spellings(name) -> None:
    metric = bound(name)

    assert metric.spec.name == "detection.mAPAveragedOverIOUs"
    assert metric.parameters.iou_thresholds == TEN


@pytest.mark.parametrize("name", ["mAP75", "mAP@0.6", "mAP@.35"])
def test_any_threshold_is_accepted_in_a_name(name) -> None:
    assert bound(name).parameters.iou_thresholds == (
        {"mAP75": 0.75, "mAP@0.6": 0.6, "mAP@.35": 0.35}[name],
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AP50", "metric 'AP50': unknown in the task 'detection'"),
        ("AP@0.5:0.95", "metric 'AP@0.5:0.95': unknown in the task 'detection'"),
        ("AR@100", "metric 'AR@100': unknown in the task 'detection'"),
        ("recall@100", "metric 'recall@100': unknown in the task 'detection'"),
    ],
)
def test_ambiguous_name_suggests_metrics(name, message: str) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(message)) as caught:
        bound(name)

    assert caught.value.remedy is not None


def test_integer_after_full_name_is_the_version() -> None:
    assert bound("detection.mAP@2", None).parameters.iou_thresholds == (0.5, 0.75)
    with pytest.raises(
        VersionPinError,
        match=r"metric 'detection\.mAP@50': expected version 50, the installed one is 2",
    ):
        bound("detection.mAP@50")


def test_unambiguous_aliases_are_unique() -> None:
    clear = [
        known.name for spec in valor_metrics() for known in spec.parameter_aliases if known.is_clear
    ]

    assert len(clear) == len(set(map(str.casefold, clear)))
