from valor_rgb.evaluate_rgb import (
    EvaluationResult,
    evaluate_counterfactual_robustness,
    evaluate_information_integration,
    evaluate_negative_rejection,
    evaluate_noise_robustness,
)
from valor_rgb.rules.heuristic import (
    corrects_error,
    detects_error,
    is_correct,
    is_rejection,
    normalize_answer,
)
from valor_rgb.samples.batch import RGBBatch
from valor_rgb.samples.sample import RGBSample

__all__ = [
    "EvaluationResult",
    "RGBBatch",
    "RGBSample",
    "corrects_error",
    "detects_error",
    "evaluate_counterfactual_robustness",
    "evaluate_information_integration",
    "evaluate_negative_rejection",
    "evaluate_noise_robustness",
    "is_correct",
    "is_rejection",
    "normalize_answer",
]
