"""Object detection and instance segmentation metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_detection` is the one-call function
in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_detection.documented import evaluate_detection

__all__ = ["evaluate_detection"]


def __getattr__(name: str) -> Any:
    # Imported when asked for, so that the manifest loads without the schemas.
    if name == "evaluate_detection":
        from valor_detection.documented import evaluate_detection

        return evaluate_detection
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
