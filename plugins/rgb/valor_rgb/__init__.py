"""The four abilities of the Retrieval-Augmented Generation Benchmark.

The metrics are chosen by name through `valor_core`; the four functions take the arguments of
RGBMetrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_rgb.documented import (
        EvaluationResult,
        evaluate_counterfactual_robustness,
        evaluate_information_integration,
        evaluate_negative_rejection,
        evaluate_noise_robustness,
    )
    from valor_rgb.samples.batch import RGBBatch
    from valor_rgb.samples.sample import RGBSample

__all__ = [
    "EvaluationResult",
    "RGBBatch",
    "RGBSample",
    "evaluate_counterfactual_robustness",
    "evaluate_information_integration",
    "evaluate_negative_rejection",
    "evaluate_noise_robustness",
]


def __getattr__(name: str) -> Any:
    # Imported when asked for, so that the manifest loads without the schemas.
    if name == "RGBSample":
        from valor_rgb.samples.sample import RGBSample

        return RGBSample
    if name == "RGBBatch":
        from valor_rgb.samples.batch import RGBBatch

        return RGBBatch
    if name in __all__:
        from valor_rgb import documented

        return getattr(documented, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
