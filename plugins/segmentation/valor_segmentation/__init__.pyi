from valor_segmentation.evaluate_segmentation import evaluate_segmentation
from valor_segmentation.readers.in_memory import from_arrays

__all__ = [
    "evaluate_segmentation",
    "from_arrays",
]
