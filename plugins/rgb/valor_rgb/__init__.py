"""The four abilities of the Retrieval-Augmented Generation Benchmark.

The metrics are chosen by name through `valor_core`; the four ``evaluate_…`` functions take the
arguments of RGBMetrics, and five functions check one response as its evaluator does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_rgb.documented import (
        EvaluationResult,
        evaluate_counterfactual_robustness,
        evaluate_information_integration,
        evaluate_negative_rejection,
        evaluate_noise_robustness,
    )
    from valor_rgb.response_checks import (
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

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(
        __name__,
        {
            "documented": [name for name in __all__ if name.lower().startswith("evaluat")],
            "response_checks": [
                "corrects_error",
                "detects_error",
                "is_correct",
                "is_rejection",
                "normalize_answer",
            ],
            "samples.batch": ["RGBBatch"],
            "samples.sample": ["RGBSample"],
        },
    )
