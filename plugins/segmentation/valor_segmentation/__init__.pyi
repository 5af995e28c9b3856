from valor_segmentation.arrays import from_arrays
from valor_segmentation.documented import evaluate_segmentation

__all__ = ["evaluate_segmentation", "from_arrays"]
