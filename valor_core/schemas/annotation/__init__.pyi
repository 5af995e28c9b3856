from valor_core.schemas.annotation.annotation import (
    SIDES,
    Annotated,
    Annotation,
    GroundTruth,
    Prediction,
    ScoredLabel,
    annotated,
    scored_labels,
    true_labels,
    without_data_argument,
)

__all__ = [
    "SIDES",
    "Annotated",
    "Annotation",
    "GroundTruth",
    "Prediction",
    "ScoredLabel",
    "annotated",
    "scored_labels",
    "true_labels",
    "without_data_argument",
]
