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
