"""Object detection and instance segmentation metrics for Valor.

The metrics are chosen by name through `valor_core`; `from_arrays`, `from_supervision` and
`from_torchvision` make batches of what is in memory, and `evaluate_detection` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_detection.arrays import Objects, from_arrays, from_supervision, from_torchvision
    from valor_detection.documented import evaluate_detection
    from valor_detection.validity import batch_of

__all__ = [
    "Objects",
    "batch_of",
    "evaluate_detection",
    "from_arrays",
    "from_supervision",
    "from_torchvision",
]

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(
        __name__,
        {
            "arrays": ["Objects", "from_arrays", "from_supervision", "from_torchvision"],
            "documented": ["evaluate_detection"],
            "validity": ["batch_of"],
        },
    )
