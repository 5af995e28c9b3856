from valor_classification.evaluate_classification import evaluate_classification
from valor_classification.readers.arrays import from_arrays, from_predicted

__all__ = [
    "evaluate_classification",
    "from_arrays",
    "from_predicted",
]
