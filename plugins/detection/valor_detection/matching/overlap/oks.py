"""Object keypoint similarity (OKS), the overlap of poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import ParameterError, SchemaError, and_more
from valor_core.schemas import Codes, Floats, Label
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.detection.objects import ObjectColumns
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels.columns import KeypointColumns, KeypointRows, TrueKeypoints
from valor_detection.matching.image_objects import Ragged

_TENTHS = (
    *(0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72, 0.62, 0.62),
    *(1.07, 1.07, 0.87, 0.87, 0.89, 0.89),
)
COCO_SIGMAS: tuple[float, ...] = tuple(tenths / 10.0 for tenths in _TENTHS)
"""Standard deviations of COCO's 17 points of a person, relative to the root of the area."""

_REMEDY = (
    "Give keypoints to each TrueObject and PredictedObject, or read them from COCO's files with "
    "data.iou_type: keypoints."
)


@frozen
class OKS:
    """Object keypoint similarity. It is between 0 and 1, which is the same pose.

    Parameters
    ----------
    sigmas : tuple of float, or of (str, tuple of float)
        Standard deviation of each point, of all labels or by label. Defaults to COCO's of a person.
    """

    compares_boxes: ClassVar[bool] = False

    sigmas: tuple[float, ...] | tuple[tuple[str, tuple[float, ...]], ...] = COCO_SIGMAS

    def of_parameters(self, chosen: Any) -> OKS:
        """Return the overlap with the parameters of a metric."""
        for name, default in (("convert_to", None), ("overlap", "iou")):
            value = getattr(chosen, name, default)  # the summary has no such parameter
            if value != default:
                raise ParameterError(
                    f"{name} must not be set with matching: keypoints, got {value!r}",
                    f"Omit {name}: keypoints are always compared by their similarity.",
                )
        sigmas = chosen.sigmas
        if sigmas is None:
            return self
        if isinstance(sigmas, Mapping):
            empty = [name for name, each in sigmas.items() if not each]
            if empty:
                raise ParameterError(f"sigmas must not be empty, got no numbers for {empty[0]!r}")
            sigmas = tuple(sorted((name, tuple(each)) for name, each in sigmas.items()))
        return evolve(self, sigmas=sigmas)

    def read(self, batch: DetectionBatch) -> DetectionBatch:
        """Return the batch with ground truths ignored that have no labelled point."""
        truths = batch.groundtruths
        if truths.keypoints is None:
            return batch
        ignored = truths.ignored | (truths.keypoints.labeled == 0)
        return evolve(batch, groundtruths=evolve(truths, ignored=ignored))

    def pairs(self, batch: DetectionBatch, groups: Codes, lowest: float) -> Ragged:
        """Return the pairs of poses; see `Overlap.pairs`."""
        from valor_detection.kernels import keypoints as kernels

        truths, predictions = batch.groundtruths, batch.predictions
        sigmas = self._of_labels(batch)
        self._check_areas(batch)
        columns = [
            _columns(batch, side, sigmas, groups[side.labels]) for side in (truths, predictions)
        ]
        of = TrueKeypoints(
            np.ascontiguousarray(truths.shapes.boxes),
            np.ascontiguousarray(truths.areas),
            *_variances(batch.labels, sigmas, groups),
        )
        return kernels.oks_pairs(columns[0], of, columns[1], lowest)

    def _of_labels(self, batch: DetectionBatch) -> dict[int, tuple[float, ...]]:
        """Return the sigmas of the labels of all objects."""
        is_used = np.zeros(len(batch.labels), np.bool_)  # np.unique would import numpy.ma
        is_used[batch.groundtruths.labels] = is_used[batch.predictions.labels] = True
        by_name = dict(self.sigmas) if isinstance(self.sigmas[0], tuple) else None
        found: dict[int, Any] = {}
        for code in np.flatnonzero(is_used).tolist():
            name = batch.labels[code].value
            found[code] = self.sigmas if by_name is None else by_name.get(name)
            if found[code] is None:
                raise SchemaError(
                    f"sigmas: expected those of label {name!r}, "
                    f"found those of {', '.join(map(repr, by_name or ()))}",
                    "Give the sigmas of all labels, or one list for all of them.",
                )
        return found

    def _check_areas(self, batch: DetectionBatch) -> None:
        truths = batch.groundtruths
        bad = np.flatnonzero(truths.areas < 0)
        if len(bad):
            row = int(bad[0])
            raise SchemaError(
                f"{batch.datums.name(int(truths.datums[row]))}, {truths.name(row)}: expected an "
                f"area of 0 or more, got {truths.areas[row]:g}{and_more(len(bad) - 1)}"
            )


def _columns(
    batch: DetectionBatch,
    side: ObjectColumns,
    sigmas: Mapping[int, tuple[float, ...]],
    groups: Codes,
) -> KeypointColumns:
    """Return the columns of one side, after checking the number of points of each object."""
    datums = np.ascontiguousarray(side.datums)
    if side.keypoints is None:
        if len(side):
            where = f"{batch.datums.name(int(datums[0]))}, {side.name(0)}"
            raise SchemaError(f"{where}: expected keypoints, got none", _REMEDY)
        return KeypointColumns(datums, groups, np.empty((0, 3)), np.zeros(1, np.int64))
    expected = np.zeros(len(batch.labels), np.int64)
    for code, each in sigmas.items():
        expected[code] = len(each)
    keypoints = KeypointRows.at_offsets(side.keypoints)
    _check_counts(batch, side, keypoints.counts, expected[side.labels])
    points = np.ascontiguousarray(keypoints.whole)
    return KeypointColumns(datums, groups, points, np.ascontiguousarray(keypoints.starts))


def _check_counts(
    batch: DetectionBatch, side: ObjectColumns, counts: Codes, expected: Codes
) -> None:
    """Raise a `SchemaError` for an object with another number of points than sigmas."""
    bad = np.flatnonzero(counts != expected)
    if not len(bad):
        return
    row = int(bad[0])
    label = batch.labels[int(side.labels[row])].value
    count = int(counts[row])
    remedy = f"Give the sigmas of the {count} points: sigmas: {{{label}: [0.05, …]}}."
    raise SchemaError(
        f"{batch.datums.name(int(side.datums[row]))}, {side.name(row)}: expected "
        f"{expected[row]} keypoints, one for each sigma of label {label!r}, "
        f"got {count or 'none'}{and_more(len(bad) - 1)}",
        remedy if count else _REMEDY,
    )


def _variances(
    labels: tuple[Label, ...], sigmas: Mapping[int, tuple[float, ...]], groups: Codes
) -> tuple[Floats, Codes]:
    """Return the variances of each group of labels, and their offsets."""
    of_groups: dict[int, int] = {}
    for code in sigmas:
        first = of_groups.setdefault(int(groups[code]), code)
        if sigmas[first] != sigmas[code]:
            raise SchemaError(
                f"sigmas: expected equal ones of labels {labels[first].value!r} and "
                f"{labels[code].value!r}, which this metric matches with each other",
                "Choose a metric that matches objects of one label, such as AP or Precision.",
            )
    size = int(groups.max(initial=-1)) + 1
    each: list[NDArray[np.float64]] = [np.empty(0)] * size
    for group, code in of_groups.items():
        each[group] = (np.array(sigmas[code]) * 2) ** 2
    return np.concatenate([np.empty(0), *each]), ends([len(one) for one in each])
