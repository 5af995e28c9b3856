"""Evaluation of boxes and masks with the interface of pycocotools."""
# ruff: noqa: N802, N803 - the names are those of pycocotools

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import ConfigError
from valor_core.kernels import in_threads
from valor_core.schemas import Codes, Datums, Floats, Label
from valor_detection.arrays.objects import Rows, batch_of_rows
from valor_detection.coco.comparison import Comparison, IdIndex
from valor_detection.coco.dataset import COCO
from valor_detection.coco.image_results import ImageResults
from valor_detection.coco.mask import ious_of_boxes, ious_of_masks
from valor_detection.coco.settings import Params, check_type, given_sigmas, ids
from valor_detection.matching.interpolated import interpolate
from valor_detection.matching.matches import Matching
from valor_detection.matching.overlap.oks import OKS
from valor_detection.matching.precisions import reaching
from valor_detection.matching.protocols import KEYPOINT_MAX_DETECTIONS
from valor_detection.matching.table import LABEL


@frozen(eq=False)
class Accumulated:
    """Precision-recall curves per area range and maximum number of detections.

    Parameters
    ----------
    precision, scores : ndarray of float64
        Shape (IoU thresholds, recalls, categories, area ranges, max detections).
    recall : ndarray of float64
        As `precision`, without the axis of recalls.
    """

    precision: Floats
    scores: Floats
    recall: Floats

    @classmethod
    def of(cls, comparison: Comparison, chosen: Params) -> Accumulated:
        """Compute the curves of a comparison."""
        matchings = [comparison.matching((float(low), float(high))) for low, high in chosen.areaRng]
        comparison.table.pairs(LABEL)  # shared by the threads below
        _ = comparison.table.ranks
        in_threads([each.prepare for each in matchings])
        curves = cls._empty(comparison, chosen)
        in_threads(
            [
                partial(curves._fill, (area, limit), matched, int(most), chosen)
                for area, matched in enumerate(matchings)
                for limit, most in enumerate(chosen.maxDets)
            ]
        )
        return curves

    @classmethod
    def _empty(cls, comparison: Comparison, chosen: Params) -> Accumulated:
        """Allocate all curves; those of one setting are contiguous in memory."""
        settings = len(chosen.areaRng), len(chosen.maxDets)
        ious, recalls = np.size(chosen.iouThrs), np.size(chosen.recThrs)
        shape = *settings, ious, recalls, len(comparison.categories)
        recall = np.empty((*settings, ious, len(comparison.categories)))
        precision, scores = (np.empty(shape).transpose(2, 3, 4, 0, 1) for _ in range(2))
        return cls(precision, scores, recall.transpose(2, 3, 0, 1))

    def _fill(self, setting: tuple[int, int], matched: Matching, most: int, chosen: Params) -> None:
        """Compute the curves of one setting and copy the sampled values."""
        ascending = np.sort(np.asarray(chosen.recThrs, np.float64))
        curves = interpolate(matched, most, reaching(matched.positives, ascending))
        ious, recalls = ascending_indices(chosen.iouThrs), ascending_indices(chosen.recThrs)
        self.precision[:, :, :, *setting] = curves.precisions[np.ix_(ious, recalls)]
        self.scores[:, :, :, *setting] = curves.scores[np.ix_(ious, recalls)]
        self.recall[:, :, *setting] = curves.recalls[ious]


def ascending_indices(thresholds: Any) -> Codes:
    """Return the index of each threshold among the ascending ones.

    Examples
    --------
    >>> ascending_indices([0.75, 0.5])
    array([1, 0])
    """
    return np.argsort(np.argsort(np.asarray(thresholds), kind="stable"), kind="stable")


def _alike(rows: Rows) -> Rows:
    """Return objects with equal labels."""
    return evolve(rows, labels=np.zeros(len(rows.images), np.int64))


_POSES = KEYPOINT_MAX_DETECTIONS
_ROW = " {:<18} {} @[ IoU={:<9} | area={:>6s} | maxDets={:>3d} ] = {:0.3f}"


class COCOeval:
    """COCO's evaluation of boxes, masks or keypoints.

    Parameters
    ----------
    cocoGt, cocoDt : COCO, or pycocotools' COCO
        Data set, and results returned by its ``loadRes``.
    iouType : {"bbox", "segm", "keypoints"}
        Kind of objects to compare: boxes, masks or keypoints.

    Attributes
    ----------
    params : Params
        Evaluated images, categories, thresholds and ranges; each can be set.
    eval : dict
        After `accumulate`: ``precision`` and ``scores`` of shape (IoU thresholds, recalls,
        categories, area ranges, max detections), ``recall`` without the axis of recalls.
    stats : ndarray of float64, shape (12,) or (10,)
        Summary numbers, set by `summarize`; ten for keypoints.

    References
    ----------
    pycocotools, ``COCOeval``; all numbers are bitwise equal.

    Examples
    --------
    >>> truths = COCO()
    >>> truths.dataset = {
    ...     "images": [{"id": 1}],
    ...     "categories": [{"id": 2, "name": "dog"}],
    ...     "annotations": [
    ...         {"id": 3, "image_id": 1, "category_id": 2, "bbox": [0, 0, 40, 40], "area": 1600}
    ...     ],
    ... }
    >>> results = [{"image_id": 1, "category_id": 2, "bbox": [0, 0, 40, 30], "score": 0.5}]
    >>> evaluation = COCOeval(truths, truths.loadRes(results), "bbox")
    >>> evaluation.evaluate()
    >>> evaluation.accumulate()
    >>> evaluation.eval["recall"][:, 0, 0, 2].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, cocoGt: Any = None, cocoDt: Any = None, iouType: str = "segm") -> None:
        self.params = Params(iouType)
        self.cocoGt = cocoGt
        self.cocoDt = cocoDt
        self.eval: dict[str, Any] = {}
        self.stats: Any = []
        self._evaluated: tuple[Any, Comparison] | None = None
        self._by_image: Callable[[], ImageResults] | None = None
        self._images: ImageResults | None = None
        if cocoGt is not None:
            if isinstance(cocoGt, COCO) and iouType == "segm":
                cocoGt.columns(masks=True)  # parse boxes and masks in one pass
            if isinstance(cocoGt, COCO) and iouType == "keypoints":
                cocoGt.columns(keypoints=True)
            self.params.imgIds = sorted(cocoGt.getImgIds())
            self.params.catIds = sorted(cocoGt.getCatIds())

    def __getattr__(self, name: str) -> Any:
        """Raise an error that suggests a replacement for unsupported names of pycocotools."""
        remedies = {
            "ious": "Compute the IoUs of one image and category: computeIoU(imgId, catId).",
            "evaluateImg": "Use evalImgs for the results of each image.",
        }
        if name in remedies:
            raise AttributeError(f"COCOeval.{name} is not supported\n{remedies[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def evaluate(self) -> None:
        """Match results to ground truths with the current `params`."""
        chosen = self.params
        if chosen.useSegm is not None:
            chosen.iouType = "segm" if chosen.useSegm == 1 else "bbox"
        check_type(chosen.iouType)
        chosen.imgIds = list(np.unique(chosen.imgIds))
        if chosen.useCats:
            chosen.catIds = list(np.unique(chosen.catIds))
        chosen.maxDets = sorted(chosen.maxDets)
        self.eval, self.stats = {}, []
        self._evaluated = self._by_image = self._images = None
        self._by_image = partial(
            ImageResults,
            self._comparison(chosen),
            [list(bounds) for bounds in chosen.areaRng],
            chosen.maxDets[-1],
            ascending_indices(chosen.iouThrs),
        )

    def computeIoU(self, imgId: int, catId: int) -> Any:
        """Compute the IoU of every result with every ground truth of an image and category.

        Parameters
        ----------
        imgId, catId : int
            Image and category. Without ``useCats``, all categories of `params` together.

        Returns
        -------
        ndarray of float64, shape (n_results, n_truths), or list
            Results by descending score, at most the last of ``maxDets``; ground truths in the
            order of the data set. An empty list if either side has no objects.
        """
        chosen = self.params
        if chosen.iouType == "keypoints":
            raise ConfigError(
                "computeIoU: expected iouType 'bbox' or 'segm', got 'keypoints'",
                "Compute their similarity: computeOks(imgId, catId).",
            )
        true, predicted, order = self._cell(imgId, catId)
        if not len(order) or not len(true.images):
            return []
        assert true.crowd is not None
        shapes = predicted.shapes.select(order)
        if chosen.iouType == "bbox":
            return ious_of_boxes(shapes.boxes, true.shapes.boxes, true.crowd)
        assert shapes.masks is not None
        assert true.shapes.masks is not None
        return ious_of_masks(shapes.masks, true.shapes.masks, true.crowd)

    def computeOks(self, imgId: int, catId: int) -> Any:
        """Compute the similarity of keypoints of every result with every ground truth.

        Parameters
        ----------
        imgId, catId : int
            Image and category. Without ``useCats``, all categories of `params` together.

        Returns
        -------
        ndarray of float64, shape (n_results, n_truths), or list
            In the order of `computeIoU`. An empty list if either side has no objects.

        Raises
        ------
        ConfigError
            If ``iouType`` is not ``keypoints``.
        """
        chosen = self.params
        if chosen.iouType != "keypoints":
            raise ConfigError(
                f"computeOks: expected iouType 'keypoints', got {chosen.iouType!r}",
                "Compute the IoU of boxes and masks: computeIoU(imgId, catId).",
            )
        true, predicted, order = self._cell(imgId, catId)
        if not len(order) or not len(true.images):
            return []
        one = np.zeros(1, np.int64)
        batch = batch_of_rows(
            Datums(one), [Label("category", str(catId))], _alike(true), _alike(predicted)
        )
        starts, truths, oks = OKS(given_sigmas(chosen)).pairs(batch, one, 0.0)
        found = np.zeros((len(starts) - 1, len(true.images)))
        found[np.repeat(np.arange(len(starts) - 1), np.diff(starts)), truths] = oks
        return found[order]

    def _cell(self, image: int, category: int) -> tuple[Rows, Rows, Codes]:
        """Return the objects of an image and category, and the order of the best results."""
        chosen = self.params
        check_type(chosen.iouType)
        categories = [category] if chosen.useCats else chosen.catIds
        cell = IdIndex(ids([image], "imgId"), ids(categories, "catId"))
        (true, _), (predicted, _) = (
            cell.rows(COCO.of(side), chosen) for side in (self.cocoGt, self.cocoDt)
        )
        assert predicted.scores is not None
        order = np.argsort(-predicted.scores, kind="stable")[: chosen.maxDets[-1]]
        return true, predicted, order

    def accumulate(self, p: Params | None = None) -> None:
        """Compute `eval` from the matches.

        Parameters
        ----------
        p : Params, optional
            Parameters to use instead of `params`.

        Raises
        ------
        ConfigError
            If `evaluate` was not called before.
        """
        if self._evaluated is None:
            raise ConfigError("accumulate: call evaluate() first")
        chosen = self.params if p is None else p
        curves = Accumulated.of(self._comparison(chosen), chosen)
        self.eval = {
            "params": chosen,
            "counts": list(curves.precision.shape),
            "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
            "precision": curves.precision,
            "recall": curves.recall,
            "scores": curves.scores,
        }

    def summarize(self) -> None:
        """Print the twelve summary numbers, ten for keypoints, and store them in `stats`.

        As in pycocotools, the first number is -1 if ``maxDets`` does not contain 100.

        Raises
        ------
        ConfigError
            If `accumulate` was not called before, or ``maxDets`` has fewer than three numbers.
        """
        if not self.eval:
            raise ConfigError("summarize: call accumulate() first")
        most = self.params.maxDets
        if self.params.iouType == "keypoints":
            self.stats = np.array(
                [
                    mean
                    for kind in ("precision", "recall")
                    for mean in (
                        *(self._mean(kind, iou, most=_POSES) for iou in (None, 0.5, 0.75)),
                        *(self._mean(kind, area=size, most=_POSES) for size in ("medium", "large")),
                    )
                ]
            )
            return
        if len(most) < 3:
            raise ConfigError(f"maxDets: expected three numbers to summarize, got {list(most)}")
        sizes = ("small", "medium", "large")
        self.stats = np.array(
            [
                self._mean("precision"),
                self._mean("precision", 0.5, most=most[2]),
                self._mean("precision", 0.75, most=most[2]),
                *(self._mean("precision", area=size, most=most[2]) for size in sizes),
                *(self._mean("recall", most=number) for number in most[:3]),
                *(self._mean("recall", area=size, most=most[2]) for size in sizes),
            ]
        )

    @property
    def evalImgs(self) -> ImageResults | list[Any]:
        """Matches per category, area range and image, created lazily."""
        if self._by_image is None:
            return []
        if self._images is None:
            self._images = self._by_image()
        return self._images

    def _comparison(self, chosen: Params) -> Comparison:
        """Return the comparison for the parameters, cached until they change."""
        key = (
            chosen.iouType,
            bool(chosen.useCats),
            *(tuple(np.asarray(numbers).tolist()) for numbers in (chosen.imgIds, chosen.catIds)),
            tuple(np.asarray(chosen.iouThrs, np.float64).tolist()),
            given_sigmas(chosen) if chosen.iouType == "keypoints" else None,
        )
        if self._evaluated is None or self._evaluated[0] != key:
            sides = COCO.of(self.cocoGt), COCO.of(self.cocoDt)
            self._evaluated = key, Comparison.of(*sides, chosen)
        return self._evaluated[1]

    def _mean(
        self, kind: str, iou: float | None = None, area: str = "all", most: int = 100
    ) -> float:
        chosen = self.params
        areas = [i for i, label in enumerate(chosen.areaRngLbl) if label == area]
        counts = [i for i, count in enumerate(chosen.maxDets) if count == most]
        values: NDArray[np.float64] = self.eval[kind]
        thresholds = np.asarray(chosen.iouThrs)
        if iou is not None:
            values = values[np.flatnonzero(thresholds == iou)]
        values = values[..., areas, counts]
        defined = values[values > -1]
        mean = float(np.mean(defined)) if defined.size else -1.0
        title = "Average Precision" if kind == "precision" else "Average Recall"
        short = "(AP)" if kind == "precision" else "(AR)"
        span = f"{thresholds[0]:0.2f}:{thresholds[-1]:0.2f}" if iou is None else f"{iou:0.2f}"
        print(_ROW.format(title, short, span, area, most, mean))
        return mean
