from valor_detection.arrays.from_arrays import (
    Objects,
    from_arrays,
    from_supervision,
    from_torchvision,
)
from valor_detection.evaluate_detection import evaluate_detection
from valor_detection.geometry.validity import batch_of

__all__ = [
    "Objects",
    "batch_of",
    "evaluate_detection",
    "from_arrays",
    "from_supervision",
    "from_torchvision",
]
