from valor_labels.annotations import (
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
from valor_labels.by_label_key import ByLabelKey
from valor_labels.calibration import calibration_errors
from valor_labels.call_arguments import documented_call
from valor_labels.label_rows import MOST_COUNTED, LabelRows, check_total, counted_by_label
from valor_labels.label_values import LabelValues, label_parameters

__all__ = [
    "MOST_COUNTED",
    "SIDES",
    "Annotated",
    "Annotation",
    "ByLabelKey",
    "GroundTruth",
    "LabelRows",
    "LabelValues",
    "Prediction",
    "ScoredLabel",
    "annotated",
    "calibration_errors",
    "check_total",
    "counted_by_label",
    "documented_call",
    "label_parameters",
    "scored_labels",
    "true_labels",
    "without_data_argument",
]
