"""Manifest of the segmentation family."""

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
VALOR = Reference("Striveworks Valor, metrics documentation of 2024", "semantic segmentation")
JACCARD = Reference(
    "Jaccard, 'The Distribution of the Flora in the Alpine Zone', New Phytologist 11, 1912"
)
EVERINGHAM = Reference(
    "Everingham et al., 'The PASCAL Visual Object Classes Challenge: A Retrospective', IJCV 111, "
    "2015",
    "section 4.3",
)
RIJSBERGEN = Reference("van Rijsbergen, 'Information Retrieval', 1979", "chapter 7")
DICE = Reference(
    "Dice, 'Measures of the Amount of Ecologic Association Between Species', Ecology 26, 1945"
)
LONG = Reference(
    "Long, Shelhamer and Darrell, 'Fully Convolutional Networks for Semantic Segmentation', CVPR "
    "2015",
    "section 5",
)
KIRILLOV = Reference("Kirillov et al., 'Panoptic Segmentation', CVPR 2019", "section 4")
CHENG = Reference(
    "Cheng et al., 'Boundary IoU: Improving Object-Centric Image Segmentation Evaluation', CVPR "
    "2021",
    "equation 1",
)
HUTTENLOCHER = Reference(
    "Huttenlocher et al., 'Comparing Images Using the Hausdorff Distance', IEEE Transactions on "
    "Pattern Analysis and Machine Intelligence 15, 1993",
    "equations 1 and 2",
)
TAHA = Reference(
    "Taha and Hanbury, 'Metrics for evaluating 3D medical image segmentation', BMC Medical Imaging "
    "15:29, 2015",
    "spatial distance based metrics",
)
BOUNDARY_API = Reference("boundary_iou_api", "mask_to_boundary")
PANOPTIC_API = Reference("COCO 2018 Panoptic Segmentation Task API", "pq_compute")


_spec = MetricFamily("segmentation", "valor_segmentation", higher_is_better=True, range=SHARE)

_table = _spec.having(higher_is_better=None, range=Range(0))
"""Counts, which have no direction."""


def _pixel_metrics() -> tuple[MetricSpec, ...]:
    """Metrics of pixels counted by true and predicted label."""
    return (
        _spec(
            "IOU",
            "intersection_over_union:IOU",
            "Pixels on which ground truth and prediction agree, of those either has",
            "pixels:IOUParameters",
            references=(JACCARD, VALOR),
            aliases=("jaccard", "jaccard_index", "intersection_over_union"),
        ),
        _spec(
            "mIOU",
            "intersection_over_union:MeanIOU",
            "Mean of IOU over labels",
            "pixels:MeanIOUParameters",
            references=(EVERINGHAM, VALOR),
            aliases=("mean_iou", "mean_intersection_over_union"),
        ),
        _spec(
            "Precision",
            "precision_recall:Precision",
            "Share of a label's predicted pixels that are true",
            "pixels:LabelParameters",
            references=(RIJSBERGEN, VALOR),
            aliases=("positive_predictive_value", "user_accuracy"),
        ),
        _spec(
            "Recall",
            "precision_recall:Recall",
            "Share of a label's true pixels that are predicted",
            "pixels:LabelParameters",
            references=(RIJSBERGEN, VALOR),
            aliases=("sensitivity", "true_positive_rate", "producer_accuracy"),
        ),
        _spec(
            "F1",
            "precision_recall:F1",
            "Harmonic mean of precision and recall, the Dice coefficient",
            "pixels:LabelParameters",
            references=(DICE, VALOR),
            aliases=("dice", "f1_score", "f_score"),
            parameter_aliases=(ParameterAlias("dice_per_image", {"per": "image"}),),
        ),
        _spec(
            "Accuracy",
            "accuracy:Accuracy",
            "Share of pixels whose prediction is right",
            "pixels:AccuracyParameters",
            references=(LONG, VALOR),
            aliases=("pixel_accuracy",),
        ),
        _table(
            "Counts",
            "counts:Counts",
            "True and false positive and negative pixels of each label",
            None,
            references=(VALOR,),
        ),
        _table(
            "ConfusionMatrix",
            "confusion_matrix:ConfusionMatrix",
            "Pixels by true and predicted label; also shares and IoUs",
            "pixels:ConfusionMatrixParameters",
            references=(VALOR,),
        ),
        _spec(
            "Examples",
            "examples:Examples",
            "The worst images, with the pixels of their labels",
            "gallery:ExamplesParameters",
            higher_is_better=None,
            range=Range(),
            references=(VALOR,),
        ),
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the segmentation metrics."""
    return (
        *_pixel_metrics(),
        _spec(
            "PanopticQuality",
            "panoptic_quality:PanopticQuality",
            "IoUs of matched segments over all segments",
            "panoptic:PanopticQualityParameters",
            references=(KIRILLOV, PANOPTIC_API),
            aliases=("PQ",),
            version=2,
        ),
        _spec(
            "SegmentationQuality",
            "panoptic_quality:SegmentationQuality",
            "Mean IoU of matched segments, a factor of panoptic quality",
            "panoptic:SegmentationQualityParameters",
            references=(KIRILLOV, PANOPTIC_API),
            aliases=("SQ",),
            version=2,
        ),
        _spec(
            "RecognitionQuality",
            "panoptic_quality:RecognitionQuality",
            "F1 of segments, a factor of panoptic quality",
            "panoptic:RecognitionQualityParameters",
            references=(KIRILLOV, PANOPTIC_API),
            aliases=("RQ",),
            version=2,
        ),
        _spec(
            "BoundaryIOU",
            "boundary_iou:BoundaryIOU",
            "Intersection over union of what lies near the edges of labels",
            "boundaries:BoundaryIOUParameters",
            references=(CHENG, BOUNDARY_API),
            aliases=("boundary_jaccard",),
            version=2,
        ),
        _spec(
            "Hausdorff",
            "hausdorff:Hausdorff",
            "Greatest and 95th percentile of the distances between a label's edges, in pixels",
            "boundaries:HausdorffParameters",
            higher_is_better=False,
            range=Range(0),
            references=(HUTTENLOCHER, TAHA),
            aliases=("hausdorff_distance",),
            extra="distance",
        ),
    )


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the readers of segmentation data."""
    return (
        _spec.reader(
            "png",
            "Two folders of label images in PNG: gray levels, palette indices or colors",
            extra="images",
        ),
        _spec.reader(
            "npy",
            "Label images in NumPy's .npy and .npz files",
            pairs="valor_segmentation.readers.in_memory:label_images",
        ),
        _spec.reader(
            "geotiff",
            "Two folders of GeoTIFFs, or two of any size, read block by block",
            extra="raster",
        ),
        _spec.reader(
            "coco",
            "COCO's panoptic files, or segmentations in COCO's JSON as label images",
            extra="coco",
        ),
    )


@hookimpl
def valor_galleries() -> tuple[GallerySpec, ...]:
    """Declare the gallery of segmentation data."""
    return (
        GallerySpec(
            name="segmentation.Gallery",
            task="segmentation",
            summary="Image, ground truth, prediction and wrong pixels, side by side",
            parameters="valor_segmentation.parameters.gallery:GalleryParameters",
            implementation="valor_segmentation.gallery.gallery:SegmentationGallery",
            extra="images",
        ),
    )


@hookimpl
def valor_kernels() -> str:
    """Return the import string of the kernels."""
    return "valor_segmentation.kernels:KERNELS"


@hookimpl
def valor_arrays() -> tuple[ArraysSpec, ...]:
    """Declare how arrays become batches."""
    return (
        ArraysSpec(
            name="segmentation.arrays",
            task="segmentation",
            summary="Make a batch of arrays with: valor_segmentation.from_arrays",
            implementation="valor_segmentation.readers.in_memory:from_arrays",
        ),
    )
