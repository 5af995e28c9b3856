"""Classification: labels of items, against labels or scores of labels."""

from valor_core.schemas.classification.batch import ClassificationBatch
from valor_core.schemas.classification.items import Classification

__all__ = ["Classification", "ClassificationBatch"]
