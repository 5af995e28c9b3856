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
from valor_labels.item_details import LabelSets, error_counts, label_counts, numbers_or_none
from valor_labels.label_rows import MOST_COUNTED, LabelRows, check_total, counted_by_label
from valor_labels.label_values import LabelValues, label_parameters
from valor_labels.operating_points import (
    POINT_NUMBERS,
    CandidateThresholds,
    OperatingPoints,
    best_points,
)
from valor_labels.report_thresholds import AppliedThresholds, applied_thresholds
from valor_labels.threshold_objective import OBJECTIVE_PARAMETERS, ThresholdObjective

__all__ = [
    "MOST_COUNTED",
    "OBJECTIVE_PARAMETERS",
    "POINT_NUMBERS",
    "SIDES",
    "Annotated",
    "Annotation",
    "AppliedThresholds",
    "ByLabelKey",
    "CandidateThresholds",
    "GroundTruth",
    "LabelRows",
    "LabelSets",
    "LabelValues",
    "OperatingPoints",
    "Prediction",
    "ScoredLabel",
    "ThresholdObjective",
    "annotated",
    "applied_thresholds",
    "best_points",
    "calibration_errors",
    "check_total",
    "counted_by_label",
    "documented_call",
    "error_counts",
    "label_counts",
    "label_parameters",
    "numbers_or_none",
    "scored_labels",
    "true_labels",
    "without_data_argument",
]
