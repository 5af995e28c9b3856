"""Protocols: the decisions of benchmarks, as values that the matching reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import BrokenPluginError, short_repr
from valor_core.schemas import Floats
from valor_core.states.memo import memoized
from valor_detection.matching.choices import (
    Best,
    BestFree,
    BestThenCrowd,
    Choice,
    GreedyPairs,
)
from valor_detection.matching.overlap import Overlap
from valor_detection.matching.overlap.oks import OKS
from valor_detection.matching.overlap.shapes import ShapeIOU
from valor_detection.matching.precisions import ALMOST_ONE, At, EveryPoint, Nearest
from valor_detection.matching.ties import ByBestOverlap, ByData, ByMatchedOverlap, Ties
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS

if TYPE_CHECKING:
    from valor_detection.matching.image_objects import Images
    from valor_detection.matching.table import Table

AreaRange = tuple[float, float]

EVERYTHING: AreaRange = (0.0, math.inf)
"""Area range that includes every object."""

COCO_MAX_DETECTIONS = 100

LVIS_MAX_DETECTIONS = 300

KEYPOINT_MAX_DETECTIONS = 20

_AS_PYCOCOTOOLS = dict(zip(COCO_IOUS, np.linspace(0.5, 0.95, 10).tolist(), strict=True))


@frozen
class Bounds:
    """Limits for parameters that a metric does not set.

    Parameters
    ----------
    area_range : (float, float)
        Range of areas, in square pixels.
    max_detections : int, optional
        Maximum number of predictions in an image, of each label or of all labels as the protocol
        says. None for all.
    """

    area_range: AreaRange = EVERYTHING
    max_detections: int | None = None


NO_BOUNDS = Bounds()
"""No limits."""


def as_given(thresholds: Sequence[float]) -> Floats:
    """Return the thresholds as an array."""
    return np.array(thresholds, np.float64)


def exceeded(thresholds: Sequence[float]) -> Floats:
    """Return the least numbers above the thresholds, which overlaps must exceed.

    Examples
    --------
    >>> exceeded((0.5,)).tolist()
    [0.5000000000000001]
    """
    return np.nextafter(as_given(thresholds), np.inf)


def below_one(thresholds: Sequence[float]) -> Floats:
    """Return the thresholds, at most `ALMOST_ONE`, as pycocotools compares them."""
    return np.minimum(as_given(thresholds), ALMOST_ONE)


def of_linspace(thresholds: Sequence[float]) -> Floats:
    """Return the thresholds of pycocotools: those of ``numpy.linspace``, at most `ALMOST_ONE`.

    Its 0.9 is slightly less.

    Examples
    --------
    >>> of_linspace((0.5, 0.9)).tolist()
    [0.5, 0.8999999999999999]
    """
    return below_one([_AS_PYCOCOTOOLS.get(value, value) for value in thresholds])


def rounded_mean(values: Floats) -> float:
    """Return the mean of numbers, summed in the order of pycocotools."""
    return float(np.mean(values.ravel()))


def exact_mean(values: Floats) -> float:
    """Return the mean of numbers, with an exactly rounded sum."""
    return math.fsum(values.ravel().tolist()) / values.size


@frozen(kw_only=True, cache_hash=True)
class Protocol:
    """Decisions of a benchmark about the matching and averages of detections.

    Parameters
    ----------
    name : str
        Value of the parameter ``matching``.
    overlap : Overlap
        Overlap of a prediction with a ground truth, which IoU thresholds limit.
    ties : Ties
        Order of predictions with equal scores.
    choice : Choice
        Choice of a ground truth for each prediction.
    limits : callable
        Returns the numbers that overlaps are compared with at given thresholds, ascending.
    bounds : Bounds
        Limits of average precision and recall for parameters that are not set.
    precision : At
        Recalls at which average precision reads the precision.
    mean : callable
        Mean of an array, with the order and rounding of its sum.
    absent : float, optional
        Value of labels without ground truths in means over labels. By default, they are excluded.
    many_to_ignored : bool
        True if any number of predictions can match one ignored ground truth, as one crowd. Matches
        with either are neither true nor false positives.
    counts_crowds : bool
        True if the first match of a crowd is a true positive, and a crowd without a match a false
        negative. Further matches count neither way, as all matches of other protocols do.
    unsearched : {"ignored", "false"}
        Unmatched predictions of a label that annotators did not search for in the image: not
        counted, or false positives.
    limited : {"label", "image"}
        Predictions that ``max_detections`` limits in an image: those of each label, or those of all
        labels of a key.
    least_area : float
        Least area of objects; smaller ones are excluded.

    Examples
    --------
    >>> COCO.bounds
    Bounds(area_range=(0.0, 10000000000.0), max_detections=100)
    >>> COCO.limits((0.5, 0.9)).tolist(), VALOR.limits((0.5, 0.9)).tolist()
    ([0.5, 0.8999999999999999], [0.5, 0.9])
    """

    name: str
    overlap: Overlap = ShapeIOU()
    ties: Ties = ByData()
    choice: Choice = BestFree()
    limits: Callable[[Sequence[float]], Floats] = as_given
    bounds: Bounds = NO_BOUNDS
    precision: At = At()
    mean: Callable[[Floats], float] = exact_mean
    absent: float | None = None
    many_to_ignored: bool = False
    counts_crowds: bool = False
    unsearched: Literal["ignored", "false"] = "ignored"
    limited: Literal["label", "image"] = "label"
    least_area: float = 0.0

    @property
    def counts_unsearched(self) -> bool:
        """True if unmatched predictions of unsearched labels are false positives."""
        return self.unsearched == "false"

    @property
    def limits_images(self) -> bool:
        """True if ``max_detections`` limits the predictions of all labels in an image."""
        return self.limited == "image"

    def uncounted(self, objects: Images) -> NDArray[np.bool_]:
        """Return True for ground truths that are never positives."""
        return objects.ignored if self.counts_crowds else objects.uncounted

    def of_parameters(self, chosen: Any) -> Protocol:
        """Return the protocol with parameters of a metric for the overlap and the limit."""
        limited = getattr(chosen, "max_detections_per", None) or self.limited
        return evolve(self, overlap=self.overlap.of_parameters(chosen), limited=limited)

    @property
    def needs_pairs(self) -> bool:
        """True if pairs below the IoU limits can change matches or the order of predictions."""
        return self.ties.needs_pairs or self.choice.needs_pairs


COCO = Protocol(
    name="coco",
    limits=of_linspace,
    bounds=Bounds(COCO_AREAS["all"], COCO_MAX_DETECTIONS),
    precision=At(rounded=True, epsilon=True),
    mean=rounded_mean,
)
"""At every IoU threshold, each prediction in descending order of scores gets the best unmatched
ground truth. All numbers equal those of pycocotools bit by bit."""

LVIS = evolve(
    COCO,
    name="lvis",
    bounds=Bounds(COCO_AREAS["all"], LVIS_MAX_DETECTIONS),
    limited="image",
    least_area=math.ulp(0.0),
)
"""`COCO` for data sets in which annotators searched for a part of the labels in each image: only
predictions of these are false, and the best 300 predictions of an image count. Objects without area
are excluded. All numbers equal those of lvis-api bit by bit."""

RANKED = Protocol(name="ranked", ties=ByMatchedOverlap(), choice=GreedyPairs())
"""Pairs match in descending order of score and overlap, independent of the threshold."""

VALOR = Protocol(name="valor", ties=ByBestOverlap(), choice=Best())
"""Each prediction gets only its best ground truth, as in earlier Valor programs."""

VOC2007 = Protocol(
    name="voc2007",
    choice=Best(),
    precision=At(points=11, rounded=True),
    many_to_ignored=True,
)
"""PASCAL VOC until 2009: as `VOC2012`, with precision at 11 recalls."""

VOC2012 = Protocol(name="voc2012", choice=Best(), precision=EveryPoint(), many_to_ignored=True)
"""PASCAL VOC from 2010 on: each prediction gets only its best ground truth, which may be ignored. A
second prediction on a counted one is a false positive. Average precision is the area under the
interpolated curve."""

DOTA = evolve(VOC2007, name="dota", limits=exceeded)
"""DOTA: as `VOC2007`, with overlaps above the IoU threshold."""

KITTI = Protocol(name="kitti", limits=exceeded, precision=Nearest(points=41, skipped=1))
"""KITTI's object benchmark: as `COCO`, with overlaps above the IoU threshold. Average precision is
the mean at 40 recalls, without recall 0, as used from 2019 on."""

KEYPOINTS = evolve(
    COCO,
    name="keypoints",
    overlap=OKS(),
    bounds=Bounds(COCO_AREAS["all"], KEYPOINT_MAX_DETECTIONS),
)
"""As `COCO`, with the similarity of keypoints. Ground truths without a labelled point are ignored.
All numbers equal those of pycocotools bit by bit."""

OPEN_IMAGES_V2 = Protocol(
    name="open_images_v2",
    choice=BestThenCrowd(),
    bounds=Bounds(max_detections=10_000),
    precision=EveryPoint(),
)
"""Open Images V2: a prediction without a match can match a group of objects, a crowd here, of which
at least as much of the prediction is inside as the threshold says. It is ignored then."""

OPEN_IMAGES = evolve(OPEN_IMAGES_V2, name="open_images", counts_crowds=True)
"""Open Images challenge: as `OPEN_IMAGES_V2`, but the first match of a group is a true positive."""

PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        *(COCO, LVIS, RANKED, VALOR, VOC2007, VOC2012, DOTA, KITTI, KEYPOINTS),
        *(OPEN_IMAGES, OPEN_IMAGES_V2),
    )
}
"""Protocols by name."""


def protocol_named(name: str) -> Protocol:
    """Return the protocol of this or another plugin with a name.

    Raises
    ------
    BrokenPluginError
        If the spec of a plugin names no `Protocol`.
    """
    if name in PROTOCOLS:
        return PROTOCOLS[name]
    from valor_core.specs import ProtocolSpec, Registry

    spec = Registry.of_process().find(ProtocolSpec, name)
    found = spec.load()
    if not isinstance(found, Protocol):
        raise BrokenPluginError(
            f"{spec.name}: expected a Protocol of valor_detection.states as "
            f"{spec.implementation}, found {short_repr(found)}"
        )
    return found


def protocol_of(chosen: Any) -> Protocol:
    """Return the protocol that the parameters of a metric name.

    Parameters
    ----------
    chosen : object
        Parameters with ``matching``, the name, and parameters of the overlap, such as
        ``convert_to``.

    Examples
    --------
    >>> from valor_detection.parameters.averages import APParameters
    >>> protocol_of(APParameters()) == COCO
    True
    """
    return protocol_named(chosen.matching).of_parameters(chosen)


def federated_warning(table: Table, protocol: Protocol) -> str | None:
    """Return a warning for data like LVIS's, of which a protocol counts as few as COCO.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    protocol : Protocol
        Protocol of an average.
    """
    most = protocol.bounds.max_detections
    if table.weights is not None or not table.is_federated or most is None:
        return None
    if protocol.limits_images or most > LVIS_MAX_DETECTIONS:
        return None
    return (
        "annotators searched for a part of the labels in each image, as in LVIS, but the protocol "
        f"{protocol.name} counts the {most} best predictions of each label in an image, not the "
        f"{LVIS_MAX_DETECTIONS} best of all labels. For the numbers of lvis-api, set matching: "
        "lvis, or use LVISSummary"
    )


@memoized
def cut_warning(table: Table, most: int) -> str | None:
    """Return a warning for labels with more ground truths in an image than counted predictions.

    Detectors that emit hundreds of boxes of low score exceed the limit in ordinary data. The
    warning is for images in which even perfect predictions could not find every ground truth.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    most : int
        Maximum number of predictions of a label in an image.
    """
    if table.weights is not None or table.most_predictions <= most:
        return None  # the warning is for the table of all images
    chunk, labels = table.objects, len(table.labels)
    is_counted = ~chunk.uncounted
    if np.bincount(chunk.true_datums[is_counted], minlength=1).max() <= most:
        return None
    cut = np.flatnonzero(table.ranks >= most)
    groups = np.unique(chunk.datums[cut] * labels + chunk.labels[cut])
    true_groups = (chunk.true_datums * labels + chunk.true_labels)[is_counted]
    found, counts = np.unique(true_groups[np.isin(true_groups, groups)], return_counts=True)
    full = np.flatnonzero(counts > most)
    if not len(full):
        return None
    images = np.unique(found[full] // labels)
    image, label = divmod(int(found[full[0]]), labels)
    uid = chunk.uids[image : image + 1].tolist()[0]
    nouns = "1 image has" if len(images) == 1 else f"{len(images):,} images have"
    return (
        f"{nouns} more than {most} ground truths and predictions of a label (first: image {uid!r}, "
        f"{counts[full[0]]:,} of {table.labels[label].value!r}), of which COCO's AP and AR count "
        f"the {most} best-scored predictions. To count all, use mAPAveragedOverIOUs, mAP, AP, AR "
        "or mAR with max_detections: 1000"
    )
