from valor_classification.arrays import from_arrays, from_predicted
from valor_classification.documented import evaluate_classification

__all__ = ["evaluate_classification", "from_arrays", "from_predicted"]
