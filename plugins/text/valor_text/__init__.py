"""Text comparison metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_text_generation` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_text.evaluate_text import evaluate_text_generation

__all__ = ["evaluate_text_generation"]


def __getattr__(name: str) -> Any:
    # Imported when asked for, so that the manifest loads without the schemas.
    if name == "evaluate_text_generation":
        from valor_text.evaluate_text import evaluate_text_generation

        return evaluate_text_generation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
