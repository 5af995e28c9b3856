from __future__ import annotations

from typing import Any

import pytest

from valor_core import Registry
from valor_core.errors import UnknownNameError
from valor_core.specs.lookup import meaning_of


@pytest.mark.parametrize(
    ("name", "task", "found"),
    [
        ("AUC", "classification", "classification.ROCAUC"),
        ("pr_auc", "classification", "classification.AveragePrecision"),
        ("map_small", "detection", "detection.mAPAveragedOverIOUs"),
        ("mAP50:95", "detection", "detection.mAPAveragedOverIOUs"),
        ("map_per_class", "detection", "detection.APAveragedOverIOUs"),
        ("llm.GEval", "text", "llm.Rubric"),
        ("nv_accuracy", "text", "nvidia.AnswerAccuracy"),
        ("nv_context_relevance", "text", "nvidia.ContextRelevance"),
        ("nv_response_groundedness", "text", "nvidia.ResponseGroundedness"),
        ("contextual_precision", "text", "llm.ContextPrecision"),
        ("GEval", "text", "llm.Rubric"),
        ("AnswerAccuracy", "text", "nvidia.AnswerAccuracy"),
        ("Faithfulness", "text", "llm.Faithfulness"),
        ("mar_small", "detection", "detection.mAR"),
        ("metrics/mAP50(B)", "detection", "detection.mAP"),
        ("metrics/mAP50-95(M)", "detection", "detection.mAPAveragedOverIOUs"),
        ("ppv", "classification", "classification.Precision"),
    ],
)
def test_common_spellings_resolve_to_metric(name: str, task: str, found: str) -> None:
    assert meaning_of(name, Registry(), task).spec.name == found


SMALL, MEDIUM, LARGE = {"small": [0, 1024]}, {"medium": [1024, 9216]}, {"large": [9216, 1e10]}


@pytest.mark.parametrize(
    ("name", "metric", "parameters"),
    [
        ("AP_small", "mAPAveragedOverIOUs", {"area_ranges": SMALL}),
        ("APs", "mAPAveragedOverIOUs", {"area_ranges": SMALL}),
        ("APM", "mAPAveragedOverIOUs", {"area_ranges": MEDIUM}),
        ("map_small", "mAPAveragedOverIOUs", {"area_ranges": SMALL}),
        ("mAP_l", "mAPAveragedOverIOUs", {"area_ranges": LARGE}),
        ("mAP50_small", "mAP", {"iou_thresholds": 0.5, "area_ranges": SMALL}),
        ("mAP@0.75_large", "mAP", {"iou_thresholds": 0.75, "area_ranges": LARGE}),
        ("AR_large", "mAR", {"area_ranges": LARGE}),
        ("ARs@300", "mAR", {"max_detections": 300, "area_ranges": SMALL}),
        ("AR_medium@1000", "mAR", {"max_detections": 1000, "area_ranges": MEDIUM}),
        ("F1_small", "F1", {"area_ranges": SMALL}),
        ("recall_large", "Recall", {"area_ranges": LARGE}),
        ("precision_medium", "Precision", {"area_ranges": MEDIUM}),
        ("counts_small", "Counts", {"area_ranges": SMALL}),
    ],
)
def test_names_with_a_size_set_area_range(
    name: str, metric: str, parameters: dict[str, Any]
) -> None:
    found = meaning_of(name, Registry(), "detection")

    assert found.spec.name == f"detection.{metric}"
    assert found.parameters == parameters


@pytest.mark.parametrize(
    ("name", "task", "remedy"),
    [
        ("AR100", "detection", "max_detections: 100"),
        ("COCOeval", "detection", "detection.COCOSummary"),
        ("ROC", "classification", "Did you mean 'ROCAUC'?"),
        ("acc", "classification", "Did you mean 'Accuracy'?"),
        ("PixelAcc", "segmentation", "Did you mean 'pixel_accuracy'?"),
        ("AP50", "detection", "iou_thresholds: 0.5"),
        ("classification_report", "classification", "Precision"),
        ("Acuracy", "classification", "Did you mean 'Accuracy'?"),
        ("ROGUE", "text", "Did you mean 'ROUGE'?"),
    ],
)
def test_related_names_suggest_metric(name: str, task: str, remedy: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        meaning_of(name, Registry(), task)

    assert remedy in str(error.value)
