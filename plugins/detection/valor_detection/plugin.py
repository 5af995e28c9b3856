"""Manifest of the detection family."""

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
VALOR = Reference("Striveworks Valor, metrics documentation of 2024", "object detection metrics")
LITE = Reference("valor-lite, object detection evaluator")
COCO = Reference("Lin et al., 'Microsoft COCO: Common Objects in Context', ECCV 2014", "section 5")
GUPTA = Reference(
    "Gupta et al., 'LVIS: A Dataset for Large Vocabulary Instance Segmentation', CVPR 2019",
    "section 4",
)
LVIS_API = Reference("lvis-api 0.5.3", "LVISEval")
PYCOCOTOOLS = Reference("pycocotools", "COCOeval")
VOC = Reference(
    "Everingham et al., 'The PASCAL Visual Object Classes (VOC) Challenge', International Journal "
    "of Computer Vision 88, 2010",
    "section 4.2",
)
HOSANG = Reference(
    "Hosang et al., 'What makes for effective detection proposals?', IEEE Transactions on Pattern "
    "Analysis and Machine Intelligence 38, 2016",
    "section 5.1",
)

VAN_RIJSBERGEN = Reference("van Rijsbergen, 'Information Retrieval', 1979", "chapter 7")

KUEPPERS = Reference(
    "Küppers et al., 'Multivariate Confidence Calibration for Object Detection', CVPR Workshops "
    "2020",
    "detection expected calibration error",
)
TIDE = Reference(
    "Bolya et al., 'TIDE: A General Toolbox for Identifying Object Detection Errors', ECCV 2020",
    "section 2",
)
OKSUZ = Reference(
    "Oksuz et al., 'One Metric to Measure Them All: Localisation Recall Precision (LRP) for "
    "Evaluating Visual Detection Tasks', IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 44, 2022",
    "sections 4 and 5",
)


_spec = MetricFamily("detection", "valor_detection", higher_is_better=True, range=SHARE, version=2)

_table = _spec.having(higher_is_better=None, range=Range(0))
"""Counts, curves and lists, which have no direction."""


_COLUMNS = ("metrics/{}(B)", "metrics/{}(M)")
"""Columns of Ultralytics' results.csv for boxes and masks."""

_OVER = ("50-95", "50:95", "@50-95", "@50:95", "@0.5:0.95", "@.5:.95", "@[.5:.95]", "@[0.5:0.95]")
_OVER_STEPS = ("@0.5:0.05:0.95", "@[.5:.05:.95]", "@[0.5:0.05:0.95]")


def _at(name: str, *, is_clear: bool = True) -> tuple[ParameterAlias, ...]:
    """Return names with one IoU threshold: ``mAP50``, ``mAP@0.75``, ``metrics/mAP50(B)``."""
    columns = [column.format(f"{name}%") for column in _COLUMNS if is_clear]
    written = (f"{name}%", f"{name}@%", f"{name}@[%]", *columns)
    return tuple(ParameterAlias(one, {"iou_thresholds": "%"}, is_clear) for one in written)


def _over(*names: str, is_clear: bool = True) -> tuple[ParameterAlias, ...]:
    """Return names with COCO's ten IoU thresholds, ``mAP@[.5:.95]``."""
    ten = {"iou_thresholds": [n / 100 for n in range(50, 100, 5)]}
    written = [name + over for name in names for over in (*_OVER, *_OVER_STEPS)]
    written += [column.format(f"{name}50-95") for name in names for column in _COLUMNS if is_clear]
    return tuple(ParameterAlias(name, ten, is_clear) for name in written)


def _limited(*names: str, is_clear: bool = True) -> tuple[ParameterAlias, ...]:
    """Aliases that contain the maximum number of detections."""
    return tuple(ParameterAlias(name, {"max_detections": "#"}, is_clear) for name in names)


def _benchmark(matching: str, *names: str) -> tuple[ParameterAlias, ...]:
    """Names of a benchmark's mAP at an IoU of 0.5."""
    chosen = {"iou_thresholds": [0.5], "matching": matching}
    return tuple(ParameterAlias(name, chosen) for name in names)


_BENCHMARKS = (
    *_benchmark("voc2007", "VOC2007", "VOC07", "VOC2007mAP", "VOC07mAP", "VOC07MApMetric"),
    *_benchmark("voc2012", "VOC2012", "VOC12", "VOC2012mAP", "VOC12mAP", "VOCMApMetric", "VOCmAP"),
    *_benchmark("voc2012", "PascalBoxes_Precision/mAP@0.5IOU"),
    *_benchmark("dota", "DOTA", "DOTAmAP", "DOTAMetric"),
    *_benchmark("open_images", "OpenImages", "OpenImagesmAP", "OpenImagesChallenge"),
    *_benchmark("open_images", "OpenImagesDetectionChallenge_Precision/mAP@0.5IOU"),
    *_benchmark("open_images_v2", "OpenImagesV2", "OpenImagesV2_Precision/mAP@0.5IOU"),
)
"""Names of GluonCV, mmrotate and TensorFlow's object detection API, and shorter ones."""


_SIZES = {"small": [0, 1024], "medium": [1024, 9216], "large": [9216, 1e10]}

_KITTI = ParameterAlias("KITTI", {"iou_thresholds": [0.7, 0.5], "matching": "kitti"})
"""Thresholds of cars, and of pedestrians and cyclists."""


def _sized(*names: str, **parameters: str) -> tuple[ParameterAlias, ...]:
    """Return names at each of COCO's sizes: ``AP_small`` and ``APs``, ``AP_medium`` and ``APm``.

    Parameters
    ----------
    *names : str
        Names with ``{size}`` or ``{letter}``, its first letter.
    **parameters : str
        Placeholders of further parameters.
    """
    return tuple(
        ParameterAlias(
            name.format(size=size, letter=size[0]), {**parameters, "area_ranges": {size: bounds}}
        )
        for size, bounds in _SIZES.items()
        for name in names
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the detection metrics."""
    return (
        _spec(
            "AP",
            "average_precision:AveragePrecision",
            "Interpolated precision-recall curve of each label in one number",
            "averages:APParameters",
            references=(VALOR, COCO, VOC),
            aliases=("average_precision",),
            parameter_aliases=(*_at("AP", is_clear=False), _KITTI),
        ),
        _spec(
            "APAveragedOverIOUs",
            "average_precision:AveragePrecisionOverIOUs",
            "Mean of a label's average precisions over IoU thresholds",
            "averages:APAveragedParameters",
            references=(VALOR, COCO),
            aliases=("map_per_class",),
            parameter_aliases=_over("AP", is_clear=False),
        ),
        _spec(
            "mAP",
            "average_precision:MeanAveragePrecision",
            "Mean of the average precisions of all labels",
            "averages:MeanAPParameters",
            references=(VALOR, COCO),
            aliases=("mean_average_precision",),
            parameter_aliases=(
                *_at("mAP"),
                *_at("AP", is_clear=False),
                *_sized("mAP%_{size}", "mAP@%_{size}", iou_thresholds="%"),
                *_BENCHMARKS,
            ),
        ),
        _spec(
            "mAPAveragedOverIOUs",
            "average_precision:MeanAveragePrecisionOverIOUs",
            "Mean average precision over IoU thresholds, COCO's AP",
            "averages:MeanAPAveragedParameters",
            references=(VALOR, COCO, PYCOCOTOOLS),
            parameter_aliases=(
                *_over("mAP"),
                *_over("AP", is_clear=False),
                *_sized("mAP_{size}", "AP_{size}", "mAP{letter}", "AP{letter}"),
            ),
        ),
        _spec(
            "AR",
            "average_recall:AverageRecall",
            "Mean of a label's recalls over IoU thresholds",
            "averages:ARParameters",
            references=(VALOR, HOSANG),
            aliases=("average_recall",),
            parameter_aliases=_limited("AR@#", "AR#", "recall@#", is_clear=False),
        ),
        _spec(
            "ARAveragedOverScores",
            "average_recall:AverageRecallOverScores",
            "Mean of a label's average recalls over score thresholds",
            "averages:ARAveragedParameters",
            references=(LITE,),
        ),
        _spec(
            "mAR",
            "average_recall:MeanAverageRecall",
            "Mean of the average recalls of all labels, COCO's AR",
            "averages:MeanARParameters",
            references=(VALOR, COCO, PYCOCOTOOLS),
            aliases=("mean_average_recall",),
            parameter_aliases=(
                *_limited("mAR@#", "mAR#"),
                *_limited("AR@#", "AR#", is_clear=False),
                *_sized("mAR_{size}", "AR_{size}", "mAR{letter}", "AR{letter}"),
                *_sized("AR_{size}@#", "AR{letter}@#", max_detections="#"),
            ),
        ),
        _spec(
            "mARAveragedOverScores",
            "average_recall:MeanAverageRecallOverScores",
            "Mean average recall over score thresholds",
            "averages:MeanARAveragedParameters",
            references=(LITE,),
        ),
        _spec(
            "COCOSummary",
            "coco_summary:COCOSummary",
            "The twelve numbers of a COCO evaluation",
            "coco:COCOSummaryParameters",
            references=(COCO, PYCOCOTOOLS),
            version=1,
            aliases=("coco", "coco_metrics"),
            related_names=("COCOeval", "bbox", "segm"),
        ),
        _spec(
            "KeypointSummary",
            "keypoint_summary:KeypointSummary",
            "The ten numbers of a COCO evaluation of keypoints",
            "keypoints:KeypointSummaryParameters",
            references=(COCO, PYCOCOTOOLS),
            version=1,
            aliases=("coco_keypoints",),
            related_names=("keypoints", "pose", "OKS", "PoseMetrics"),
        ),
        _spec(
            "LVISSummary",
            "lvis_summary:LVISSummary",
            "The thirteen numbers of an LVIS evaluation",
            "coco:LVISSummaryParameters",
            references=(GUPTA, LVIS_API),
            version=1,
            aliases=("lvis", "lvis_metrics"),
            related_names=("LVISEval",),
        ),
        _spec(
            "Precision",
            "precision_recall:Precision",
            "Share of a label's predictions that match a ground truth",
            "counts:LabelParameters",
            references=(LITE, VOC),
            aliases=("positive_predictive_value",),
            parameter_aliases=_sized("precision_{size}"),
        ),
        _spec(
            "Recall",
            "precision_recall:Recall",
            "Share of a label's ground truths that are matched",
            "counts:LabelParameters",
            references=(LITE, VOC),
            aliases=("sensitivity", "true_positive_rate"),
            parameter_aliases=_sized("recall_{size}"),
        ),
        _spec(
            "F1",
            "precision_recall:F1",
            "Harmonic mean of precision and recall",
            "counts:LabelParameters",
            references=(LITE, VAN_RIJSBERGEN),
            aliases=("f1_score", "f_score"),
            parameter_aliases=_sized("F1_{size}"),
        ),
        _table(
            "Counts",
            "precision_recall:Counts",
            "True positives, false positives and false negatives of each label",
            "counts:CountsParameters",
            references=(LITE,),
            parameter_aliases=_sized("counts_{size}"),
        ),
        _table(
            "BestThreshold",
            "best_threshold:BestThreshold",
            "Best score threshold of each label, and precision, recall and counts there",
            "counts:BestThresholdParameters",
            range=Range(),
            version=1,
            references=(VAN_RIJSBERGEN,),
            aliases=("optimal_threshold", "best_confidence", "operating_point"),
            parameter_aliases=(
                ParameterAlias("max_f1", {"objective": "f_beta"}),
                *(
                    ParameterAlias(f"{name}@%", {"objective": name, "minimum": "%"})
                    for name in ("recall_at_precision", "precision_at_recall")
                ),
            ),
            related_names=("recall_at_fixed_precision", "precision_at_fixed_recall"),
        ),
        _table(
            "PrecisionRecallCurve",
            "precision_recall_curve:PrecisionRecallCurve",
            "Counts, precision, recall and F1 at every score threshold, or at 101 recalls",
            "counts:PrecisionRecallCurveParameters",
            references=(VALOR, PYCOCOTOOLS),
            aliases=("pr_curve",),
        ),
        _table(
            "DetailedPrecisionRecallCurve",
            "detailed_curve:DetailedPrecisionRecallCurve",
            "Counts by kind of true positive or error at every score threshold, with examples",
            "counts:DetailedCurveParameters",
            references=(VALOR,),
            aliases=("detailed_curve",),
        ),
        _table(
            "ConfusionMatrix",
            "confusion_matrix:ConfusionMatrix",
            "Objects by true and predicted label, with unmatched objects",
            "counts:ConfusionMatrixParameters",
            references=(LITE,),
        ),
        _table(
            "Examples",
            "examples:Examples",
            "True positives, false positives and false negatives of each image, worst images first",
            "gallery:ExamplesParameters",
            references=(LITE,),
        ),
        _spec(
            "CalibrationError",
            "calibration_error:CalibrationError",
            "Distance between scores and precision, in bins (D-ECE)",
            "errors:CalibrationParameters",
            higher_is_better=False,
            references=(KUEPPERS,),
            aliases=("ece", "d_ece", "detection_ece", "reliability"),
        ),
        _spec(
            "ErrorAnalysis",
            "error_analysis:ErrorAnalysis",
            "Errors by kind, and the AP that each kind costs (TIDE)",
            "errors:ErrorAnalysisParameters",
            higher_is_better=None,
            range=Range(-1),
            references=(TIDE,),
            aliases=("tide",),
        ),
        _spec(
            "LRP",
            "lrp:LRP",
            "Mean error of all objects at a score threshold: misses, false positives, low IoUs",
            "errors:LRPParameters",
            higher_is_better=False,
            references=(OKSUZ,),
            aliases=("localization_recall_precision",),
        ),
        _spec(
            "OptimalLRP",
            "lrp:OptimalLRP",
            "Least LRP error over all score thresholds, and the threshold",
            "errors:OptimalLRPParameters",
            higher_is_better=False,
            references=(OKSUZ,),
            aliases=("oLRP",),
        ),
    )


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the readers of detection data."""
    return (
        _spec.reader(
            "coco",
            "A data set and results on it in COCO's JSON, as boxes or masks",
            parameters="valor_detection.parameters.coco:CocoParameters",
        ),
        _spec.reader("yolo", "YOLO's folders with a text file for each image"),
        _spec.reader("voc", "Pascal VOC's XML files, results as text or XML"),
        _spec.reader("dota", "DOTA's text files of oriented boxes, with difficult objects"),
        _spec.reader("kitti", "KITTI's text files of 2-D boxes, for one difficulty"),
        _spec.reader(
            "open_images",
            "Tables of the Open Images challenge: boxes, verified labels, and a hierarchy",
            parameters="valor_detection.parameters.open_images:OpenImagesParameters",
            implementation="valor_detection.readers.open_images:OpenImagesReader",
        ),
        _spec.reader(
            "table",
            "Tables with a row for each box",
            parameters="valor_detection.parameters.tables:TableParameters",
            implementation="valor_detection.readers.tables:TableReader",
            pairs="valor_detection.arrays.from_arrays:two_sides",
        ),
        _spec.reader("geojson", "Polygons in GeoJSON, image, label and score as properties"),
    )


@hookimpl
def valor_galleries() -> tuple[GallerySpec, ...]:
    """Declare the gallery of detection data."""
    return (
        GallerySpec(
            name="detection.Gallery",
            task="detection",
            summary="Objects over their images, colored by outcome",
            parameters="valor_detection.parameters.gallery:GalleryParameters",
            implementation="valor_detection.gallery.gallery:DetectionGallery",
            extra="plot",
        ),
    )


@hookimpl
def valor_kernels() -> str:
    """Declare the compiled kernels of the family."""
    return "valor_detection.kernels:KERNELS"


@hookimpl
def valor_arrays() -> tuple[ArraysSpec, ...]:
    """Declare how arrays become batches."""
    return (
        ArraysSpec(
            name="detection.arrays",
            task="detection",
            summary="Make a batch of arrays with: valor_detection.from_arrays (box_format=…, "
            "names=…, iou_type=…), from_supervision or from_torchvision. A table with a row for "
            "each box is read from a file, by the reader: table",
            implementation="valor_detection.arrays.from_arrays:from_arrays",
            items="valor_detection.geometry.validity:batch_of",
        ),
    )
