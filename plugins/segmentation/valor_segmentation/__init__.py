"""Semantic and panoptic segmentation metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_segmentation` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_segmentation.documented import evaluate_segmentation

__all__ = ["evaluate_segmentation"]


def __getattr__(name: str) -> Any:
    # Imported when asked for, so that the manifest loads without the schemas.
    if name == "evaluate_segmentation":
        from valor_segmentation.documented import evaluate_segmentation

        return evaluate_segmentation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
