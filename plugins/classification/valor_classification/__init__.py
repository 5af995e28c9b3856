"""Classification metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_classification` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_classification.documented import evaluate_classification

__all__ = ["evaluate_classification"]


def __getattr__(name: str) -> Any:
    # Imported when asked for, so that the manifest loads without the schemas.
    if name == "evaluate_classification":
        from valor_classification.documented import evaluate_classification

        return evaluate_classification
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
