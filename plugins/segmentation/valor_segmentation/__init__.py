"""Semantic and panoptic segmentation metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_segmentation` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_segmentation.arrays import from_arrays
    from valor_segmentation.documented import evaluate_segmentation

__all__ = ["evaluate_segmentation", "from_arrays"]

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(
        __name__, {"arrays": ["from_arrays"], "documented": ["evaluate_segmentation"]}
    )
