"""Manifest of the classification family."""

from __future__ import annotations

from valor_core.specs import (
    ArraysSpec,
    GallerySpec,
    MetricFamily,
    MetricSpec,
    ParameterAlias,
    Range,
    ReaderSpec,
    Reference,
    hookimpl,
)

SHARE = Range(0, 1)
VALOR = Reference("Striveworks Valor, metrics documentation of 2024", "classification metrics")
SKLEARN = "scikit-learn, user guide, metrics and scoring"
SOKOLOVA = Reference(
    "Sokolova and Lapalme, 'A systematic analysis of performance measures for classification "
    "tasks', Information Processing & Management 45, 2009",
    "tables 2 and 3",
)
FAWCETT = Reference(
    "Fawcett, 'An introduction to ROC analysis', Pattern Recognition Letters 27, 2006",
    "sections 7 and 9",
)
RIJSBERGEN = Reference("van Rijsbergen, 'Information Retrieval', 1979", "chapter 7")
GUO = Reference(
    "Guo et al., 'On calibration of modern neural networks', ICML 2017", "equations 2 to 5"
)

OF_SETS = {"multilabel": "exact", "hardmax": False, "score_thresholds": 0.5}


def _average_aliases(*names: str) -> tuple[ParameterAlias, ...]:
    """Return aliases with the average as prefix and suffix, ``macro_f1`` and ``f1_macro``."""
    return tuple(
        ParameterAlias(written, {"average": average})
        for name in names
        for average in ("macro", "micro", "weighted", "samples")
        for written in (f"{name}_{average}", f"{average}_{name}")
    )


_spec = MetricFamily(
    "classification", "valor_classification", higher_is_better=True, range=SHARE, version=2
)

_table = _spec.having(higher_is_better=None, range=Range(0))
"""Counts, curves and lists, which have no direction."""


PREDICTED = (
    _spec(
        "Accuracy",
        "accuracy:Accuracy",
        "Share of items whose prediction is right; also top-k and balanced",
        "predicted:AccuracyParameters",
        references=(VALOR, Reference(SKLEARN, "accuracy score")),
        aliases=("accuracy_score",),
        parameter_aliases=(
            ParameterAlias("balanced_accuracy", {"balanced": True}),
            ParameterAlias("balanced_accuracy_score", {"balanced": True}),
            *(
                ParameterAlias(name, {"top_k": "#"})
                for name in ("top#", "top#_accuracy", "top#_acc", "accuracy_top#", "acc@#")
            ),
            ParameterAlias("accuracy@#", {"top_k": "#"}),
            ParameterAlias("recall@#", {"top_k": "#"}, is_clear=False),
            ParameterAlias("hit@#", {"top_k": "#"}),
            ParameterAlias("top_k_accuracy", {"top_k": 2}, is_clear=False),
            ParameterAlias("top_k_accuracy_score", {"top_k": 2}, is_clear=False),
            ParameterAlias("subset_accuracy", OF_SETS),
            ParameterAlias("exact_match_ratio", OF_SETS),
        ),
    ),
    _spec(
        "Precision",
        "precision_recall:Precision",
        "Share of a label's predictions that are right",
        "predicted:LabelParameters",
        references=(VALOR, SOKOLOVA),
        aliases=("positive_predictive_value", "ppv", "precision_score"),
        parameter_aliases=_average_aliases("precision", "precision_score"),
        related_names=("classification_report", "precision_recall_fscore_support"),
    ),
    _spec(
        "Recall",
        "precision_recall:Recall",
        "Share of a label's ground truths that are predicted",
        "predicted:LabelParameters",
        references=(VALOR, SOKOLOVA),
        aliases=("sensitivity", "true_positive_rate", "tpr", "recall_score"),
        parameter_aliases=_average_aliases("recall", "recall_score"),
        related_names=("classification_report", "precision_recall_fscore_support"),
    ),
    _spec(
        "Specificity",
        "precision_recall:Specificity",
        "Share of the items without a label for which it is not predicted",
        "predicted:LabelParameters",
        references=(SOKOLOVA,),
        aliases=("tnr", "true_negative_rate", "selectivity"),
    ),
    _spec(
        "F1",
        "precision_recall:F1",
        "Harmonic mean of precision and recall",
        "predicted:LabelParameters",
        references=(VALOR, SOKOLOVA),
        aliases=("f1_score", "f_score"),
        parameter_aliases=_average_aliases("f1", "f1_score"),
        related_names=("classification_report", "precision_recall_fscore_support"),
    ),
    _spec(
        "FBeta",
        "precision_recall:FBeta",
        "Weighted harmonic mean of precision and recall",
        "predicted:FBetaParameters",
        references=(RIJSBERGEN,),
        aliases=("fbeta_score",),
        parameter_aliases=(
            ParameterAlias("f2", {"beta": 2}),
            ParameterAlias("f2_score", {"beta": 2}),
        ),
    ),
    _table(
        "Counts",
        "counts:Counts",
        "True and false positives and negatives of each label",
        "predicted:CountsParameters",
        references=(VALOR,),
    ),
)
"""Numbers of the predicted labels against the true ones."""

RANKED = (
    _spec(
        "ROCAUC",
        "roc:ROCAUC",
        "Chance that an item of the label scores higher than another",
        "scored:RankParameters",
        references=(VALOR, FAWCETT),
        aliases=("auroc", "roc_auc_score", "area_under_roc", "auc", "auc_roc"),
    ),
    _spec(
        "mROCAUC",
        "roc:MeanROCAUC",
        "Mean of ROCAUC over labels",
        "scored:MeanRankParameters",
        references=(VALOR, FAWCETT),
        aliases=("mean_auroc",),
    ),
    _spec(
        "ROCCurve",
        "roc:ROCCurve",
        "False and true positive rates at every score",
        "scored:ROCCurveParameters",
        higher_is_better=None,
        references=(FAWCETT,),
    ),
    _spec(
        "AveragePrecision",
        "average_precision:AveragePrecision",
        "Precision-recall curve of each label in one number",
        "scored:AveragePrecisionParameters",
        references=(Reference(SKLEARN, "average precision score"),),
        aliases=("AP", "average_precision_score", "pr_auc", "auc_pr", "auprc"),
    ),
)
"""Numbers and curves of how scores rank the items."""

_threshold = _spec.having(higher_is_better=None, range=Range(), version=1)

THRESHOLDS = (
    _threshold(
        "BestThreshold",
        "best_threshold:BestThreshold",
        "Best score threshold of each label, and precision, recall and counts there",
        "scored:BestThresholdParameters",
        references=(
            RIJSBERGEN,
            Reference("Youden, 'Index for rating diagnostic tests', Cancer 3, 1950", "page 33"),
        ),
        aliases=("optimal_threshold", "operating_point", "TunedThresholdClassifierCV"),
        parameter_aliases=(
            ParameterAlias("max_f1", {"objective": "f_beta"}),
            ParameterAlias("youden_index", {"objective": "youden"}),
            *(
                ParameterAlias(f"{name}@%", {"objective": name, "minimum": "%"})
                for name in ("recall_at_precision", "precision_at_recall", "recall_at_specificity")
            ),
        ),
        related_names=(
            *("recall_at_fixed_precision", "precision_at_fixed_recall"),
            "sensitivity_at_specificity",
        ),
    ),
)
"""Score thresholds."""

CURVES = (
    _table(
        "PrecisionRecallCurve",
        "precision_recall_curve:PrecisionRecallCurve",
        "Counts, precision, recall and F1 at every score threshold",
        "scored:PrecisionRecallCurveParameters",
        references=(VALOR,),
        aliases=("pr_curve",),
    ),
    _table(
        "DetailedPrecisionRecallCurve",
        "detailed_curve:DetailedPrecisionRecallCurve",
        "Kinds of hits and errors at every score threshold, with examples",
        "scored:DetailedCurveParameters",
        references=(VALOR,),
        aliases=("detailed_pr_curve",),
    ),
)
"""Counts at every threshold."""

ITEMS = (
    _table(
        "ConfusionMatrix",
        "confusion_matrix:ConfusionMatrix",
        "Items by ground truth and prediction",
        "items:ConfusionMatrixParameters",
        references=(VALOR,),
    ),
    _table(
        "Examples",
        "examples:Examples",
        "What was right and wrong on each item",
        "items:ExamplesParameters",
        references=(Reference("valor-lite, classification evaluator", "examples"),),
    ),
)
"""Specs of confusion matrices and lists of items."""

ASSOCIATION = (
    _spec(
        "MatthewsCorrelation",
        "correlation:MatthewsCorrelation",
        "Correlation of ground truths and predictions",
        "predicted:MatthewsParameters",
        range=Range(-1, 1),
        references=(
            Reference(
                "Gorodkin, 'Comparing two K-category assignments by a K-category correlation "
                "coefficient', Computational Biology and Chemistry 28, 2004",
                "equation 8",
            ),
        ),
        aliases=("mcc", "matthews_corrcoef", "phi_coefficient"),
    ),
    _spec(
        "CohenKappa",
        "correlation:CohenKappa",
        "Agreement beyond what chance gives",
        "predicted:KappaParameters",
        range=Range(None, 1),
        references=(
            Reference(
                "Cohen, 'A coefficient of agreement for nominal scales', Educational and "
                "Psychological Measurement 20, 1960",
                "page 40",
            ),
        ),
        aliases=("kappa", "cohen_kappa_score"),
    ),
)
"""Agreement beyond chance."""

PROBABILITY = (
    _spec(
        "LogLoss",
        "proper_scores:LogLoss",
        "Mean of minus the logarithm of the ground truth's score",
        None,
        higher_is_better=False,
        range=Range(0),
        references=(Reference(SKLEARN, "log loss"),),
        aliases=("cross_entropy", "negative_log_likelihood"),
    ),
    _spec(
        "BrierScore",
        "proper_scores:BrierScore",
        "Mean squared difference between scores and truth",
        "scored:BrierParameters",
        higher_is_better=False,
        range=Range(0),
        references=(
            Reference(
                "Brier, 'Verification of forecasts expressed in terms of probability', "
                "Monthly Weather Review 78, 1950",
                "equation 2",
            ),
        ),
        aliases=("brier", "brier_score_loss"),
    ),
    _spec(
        "CalibrationError",
        "calibration_error:CalibrationError",
        "Distance between scores and how often they are right (ECE, MCE)",
        "scored:CalibrationParameters",
        higher_is_better=False,
        references=(GUO,),
        aliases=("ece", "expected_calibration_error"),
    ),
)
"""Specs of metrics of probabilities."""


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the classification metrics."""
    return (*PREDICTED, *RANKED, *THRESHOLDS, *CURVES, *ITEMS, *ASSOCIATION, *PROBABILITY)


@hookimpl
def valor_kernels() -> str:
    """Return the import string of the kernels."""
    return "valor_classification.kernels:KERNELS"


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the readers of classification data."""
    return (
        _spec.reader("long", "Two tables of (uid, label) and (uid, label, score) rows"),
        _spec.reader(
            "wide",
            "One row for each item with a score column for each label",
            pairs="valor_classification.readers.arrays:scored",
        ),
        _spec.reader(
            "predicted",
            "One row for each item with its true and its predicted label",
            pairs="valor_classification.readers.arrays:predicted",
        ),
        _spec.reader("lists", "One row for each item with lists of predicted labels and scores"),
    )


@hookimpl
def valor_galleries() -> tuple[GallerySpec, ...]:
    """Declare the gallery of classified items."""
    return (
        GallerySpec(
            name="classification.Gallery",
            task="classification",
            summary="Images, texts or metadata of wrongly classified items",
            parameters="valor_classification.parameters.gallery:GalleryParameters",
            implementation="valor_classification.gallery.gallery:ClassificationGallery",
            extra="plot",
        ),
    )


@hookimpl
def valor_arrays() -> tuple[ArraysSpec, ...]:
    """Declare how arrays become batches."""
    return (
        ArraysSpec(
            name="classification.arrays",
            task="classification",
            summary="Make a batch of arrays with: valor_classification.from_arrays",
            implementation="valor_classification.readers.arrays:from_arrays",
        ),
    )
