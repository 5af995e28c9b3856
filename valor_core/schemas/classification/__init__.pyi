from valor_core.schemas.classification.batch import Classification, ClassificationBatch
from valor_core.schemas.classification.scores import ScoreList, ScoreMatrix

__all__ = [
    "Classification",
    "ClassificationBatch",
    "ScoreList",
    "ScoreMatrix",
]
