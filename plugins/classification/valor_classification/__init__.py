"""Classification metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_classification` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_classification.arrays import from_arrays, from_predicted
    from valor_classification.documented import evaluate_classification

__all__ = ["evaluate_classification", "from_arrays", "from_predicted"]

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(
        __name__,
        {
            "arrays": ["from_arrays", "from_predicted"],
            "documented": ["evaluate_classification"],
        },
    )
