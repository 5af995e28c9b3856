from __future__ import annotations

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


@pytest.mark.parametrize(
    ("name", "task", "remedy"),
    [
        ("APs", "detection", "area_ranges"),
        ("ARl", "detection", "area_ranges"),
        ("COCOeval", "detection", "detection.COCOSummary"),
        ("ROC", "classification", "Did you mean 'ROCAUC'?"),
        ("acc", "classification", "Did you mean 'Accuracy'?"),
        ("PixelAcc", "segmentation", "Did you mean 'pixel_accuracy'?"),
        ("AP_small", "detection", "area_ranges"),
        ("classification_report", "classification", "Precision"),
        ("Acuracy", "classification", "Did you mean 'Accuracy'?"),
        ("ROGUE", "text", "Did you mean 'ROUGE'?"),
    ],
)
def test_related_names_suggest_metric(name: str, task: str, remedy: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        meaning_of(name, Registry(), task)

    assert remedy in str(error.value)
