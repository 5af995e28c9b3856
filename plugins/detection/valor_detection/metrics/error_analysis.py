"""Error analysis: kinds of errors and the AP that each kind costs (TIDE)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from valor_labels import label_parameters

from valor_core.parameters import changed_parameters
from valor_core.results import Result, Undefined
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_core.states import StateRequest
from valor_core.states.memo import memoized
from valor_detection.kernels import analysis as kernels
from valor_detection.kernels.columns import ErrorColumns, FaultColumns, RankedMatches
from valor_detection.kernels.reference.analysis import BACKGROUND, CLASSIFICATION, NOTHING
from valor_detection.matching import candidate_pairs
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.image_objects import SelectedImages
from valor_detection.matching.protocols import Protocol, protocol_of
from valor_detection.matching.ranked import Ranking, ranking
from valor_detection.matching.table import KEY, Flags, Table
from valor_detection.metrics.averages import mean
from valor_detection.parameters.errors import ErrorAnalysisParameters

Kinds = NDArray[np.uint8]
Ranks = NDArray[np.int32]

KINDS = ("classification", "localization", "both", "duplicate", "background", "missed")
"""Kinds of errors: the first five of predictions, the last of ground truths."""


@frozen
class ErrorAnalysis:
    """False positives and false negatives by kind of error, and the AP that each kind costs.

    An unmatched prediction has the first error that applies: ``localization``, if its greatest IoU
    with a ground truth of its label is below the IoU threshold but not below the background
    threshold; ``classification``, if its IoU with a ground truth of another label reaches the IoU
    threshold; ``duplicate``, if its IoU with a matched ground truth of its label does;
    ``background``, if its IoU with all ground truths is at most the background threshold; otherwise
    ``both``. A ground truth is ``missed`` if it has no match and no prediction with a
    classification or localization error aims at it.

    The value has ``ap``, the mean AP over labels; ``errors``, with the ``count`` of each kind and
    ``delta_ap``, the gain of AP if only errors of this kind are repaired; and the same for all
    ``false_positives`` and ``false_negatives``. Repairing a classification or localization error
    makes the best-scoring prediction on an unmatched ground truth a true positive of its label, and
    removes the other predictions on it. Repairing another error removes the prediction. Repairing
    missed ground truths removes them. AP lies in [0, 1], gains in [-1, 1]. Undefined without ground
    truths.

    Parameters
    ----------
    parameters : ErrorAnalysisParameters
        Thresholds and protocol.

    Notes
    -----
    Gains do not add up: each is the gain of one repair alone. AP equals the metric `AP` at the IoU
    threshold, over all predictions and sizes. Predictions matched to crowds have no error.

    Differences from tidecv 1.0.1: shares instead of percent; all predictions of an image count
    instead of the 100 best, unless ``max_detections`` sets a number for each label; labels without
    ground truths are excluded from the mean unless ``include_prediction_only_labels``; negative
    gains, which result from the 101 recalls, are not set to 0; predictions with equal scores keep
    their order when errors are repaired; predictions matched to crowds have no error; an IoU of
    exactly the threshold with a matched ground truth is a duplicate.

    References
    ----------
    .. [1] Bolya et al., "TIDE: A General Toolbox for Identifying Object Detection Errors", ECCV
       2020, sections 2.2 to 2.4.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 9, 9))
    >>> predicted = PredictedObject({"dog": 0.75}, Box(0, 0, 9, 3))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["ErrorAnalysis"])
    >>> report["ErrorAnalysis"].value["errors"]["localization"]["count"]
    1
    """

    parameters: ErrorAnalysisParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label key, down to the background threshold."""
        chosen = self.parameters
        return (
            candidate_pairs.request(
                (chosen.iou_threshold,),
                protocol_of(chosen),
                scope=KEY,
                lowest_iou=chosen.background_threshold,
            ),
        )

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each label key, and for each label if `per_label` is set."""
        table, chosen = state.table, self.parameters
        errors = _Errors.of(table, chosen)
        gains = _Gains.of(table, chosen, errors)
        shared = {
            "iou_threshold": chosen.iou_threshold,
            "background_threshold": chosen.background_threshold,
        } | changed_parameters(chosen, "per_label")
        for key, codes in table.seen.items():
            included = [
                code
                for code in codes
                if errors.positives[code] or chosen.include_prediction_only_labels
            ]
            value = gains.value(included, errors.counts[codes].sum(axis=0))
            yield Result(parameters={"label_key": key} | shared, value=value)
            for code in codes if chosen.per_label else ():
                included = [code] if errors.positives[code] else []
                yield Result(
                    parameters=label_parameters(table.labels[code]) | shared,
                    value=gains.value(included, errors.counts[code]),
                )


@frozen(kw_only=True, eq=False)
class _Faults:
    """Errors of all objects, which depend only on objects of the same image.

    Parameters
    ----------
    numbers : ndarray of int32, shape (n_predictions,)
        Number of the error of each prediction, -1 for no error and for background errors.
    kinds : ndarray of uint8, shape (n,)
        Kind of each error.
    labels : ndarray of int64, shape (n,)
        Label of the ground truth that each matches after the repair, -1 for none.
    used, missed : ndarray of bool
        True for matched and for missed ground truths.
    """

    numbers: Ranks
    kinds: Kinds
    labels: Codes
    used: Flags
    missed: Flags

    @classmethod
    def of(cls, table: Table, chosen: ErrorAnalysisParameters) -> _Faults:
        """Compute the errors of a table's objects."""
        ranked = ranking(table, chosen)
        matched = ranked.matched
        used = np.zeros(len(table.objects.true_labels), dtype=bool)
        used[matched.truths(chosen.iou_threshold)[ranked.right]] = True
        chunk = table.objects
        columns = FaultColumns(
            *(chunk.starts, chunk.truths, chunk.ious, chunk.labels, chunk.true_labels),
            *(matched.uncounted, ranked.wrong, used),
        )
        rows, kinds, targets = kernels.faults(
            columns,
            float(protocol_of(chosen).limits((chosen.iou_threshold,))[0]),
            chosen.background_threshold,
        )
        repaired, aimed_at = _repaired(chunk.scores[rows], targets, used)
        numbers = np.full(len(chunk.scores), -1, np.int32)
        numbers[rows] = np.arange(len(rows), dtype=np.int32)
        labels = np.append(chunk.true_labels, -1)[repaired]
        missed = ~(matched.ignored | used | aimed_at)
        return cls(numbers=numbers, kinds=kinds, labels=labels, used=used, missed=missed)

    def of_images(self, selection: SelectedImages) -> _Faults:
        """Return the faults of selected images, with the numbers of the errors unchanged."""
        return evolve(
            self,
            numbers=self.numbers[selection.rows],
            used=self.used[selection.true_rows],
            missed=self.missed[selection.true_rows],
        )


@memoized
def _faults(table: Table, chosen: ErrorAnalysisParameters) -> _Faults:
    """Return the faults of a table's objects, read from the table of more images if possible."""
    if table.whole is not None:
        return _faults(table.whole, chosen).of_images(table.selection)
    return _Faults.of(table, chosen)


@frozen(kw_only=True, eq=False)
class _Errors:
    """Errors of the labels of a table.

    Parameters
    ----------
    ranked : Ranking
        Counted predictions.
    faults : _Faults
        Errors of all objects.
    found, missed : ndarray of int64, shape (n_labels,)
        Matched and missed ground truths.
    counts : ndarray of int64, shape (n_labels, 8)
        Errors by kind, then false positives and false negatives.
    """

    ranked: Ranking
    faults: _Faults
    found: Codes
    missed: Codes
    counts: Codes

    @classmethod
    def of(cls, table: Table, chosen: ErrorAnalysisParameters) -> _Errors:
        """Count the errors of a table's objects."""
        chunk, count = table.objects, len(table.labels)
        ranked, faults = ranking(table, chosen), _faults(table, chosen)
        found = np.bincount(chunk.true_labels[faults.used], minlength=count)
        missed = np.bincount(chunk.true_labels[faults.missed], minlength=count)
        false = np.diff(ranked.starts) - found
        rows = np.flatnonzero(faults.numbers >= 0)
        cells = chunk.labels[rows] * 5 + faults.kinds[faults.numbers[rows]]
        by_kind = np.bincount(cells, minlength=count * 5).reshape(count, 5)
        by_kind[:, BACKGROUND] = false - by_kind.sum(axis=1)
        unfound = ranked.matched.positives - found
        return cls(
            ranked=ranked,
            faults=faults,
            found=found,
            missed=missed,
            counts=np.column_stack([by_kind, missed, false, unfound]),
        )

    @property
    def positives(self) -> Codes:
        """Counted ground truths by label."""
        return self.ranked.matched.positives


def _repaired(scores: Floats, targets: Codes, used: Flags) -> tuple[Codes, Flags]:
    """Return the ground truth of each prediction after a repair, and flags of all such truths.

    If several predictions are errors on one ground truth, the first with the best score matches it.
    """
    aimed_at = np.zeros(len(used), dtype=bool)
    errors = np.flatnonzero(targets >= 0)
    errors = errors[~used[targets[errors]]]
    aimed_at[targets[errors]] = True
    order = np.lexsort((errors, -scores[errors], targets[errors]))
    _, first = np.unique(targets[errors][order], return_index=True)
    winners = errors[order[first]]
    repaired = np.full(len(targets), -1, np.int64)
    repaired[winners] = targets[winners]
    return repaired, aimed_at


@frozen(eq=False)
class _Gains:
    """Terms of every label's average precision after each repair.

    The repairs are the five kinds of predictions, missed ground truths, all false positives, all
    false negatives, and none.

    Parameters
    ----------
    protocol : Protocol
        Protocol of the matching and of means.
    precisions : sequence of ndarray of float64, shapes (n_terms, n_labels)
        Numbers whose mean is average precision, 0 for labels without ground truths.
    remaining : ndarray of bool, shape (9, n_labels)
        True for labels with any ground truth or prediction left.
    """

    protocol: Protocol
    precisions: Sequence[Floats]
    remaining: Flags

    @classmethod
    def of(cls, table: Table, chosen: ErrorAnalysisParameters, errors: _Errors) -> _Gains:
        """Compute the precisions after each repair."""
        protocol, positives = protocol_of(chosen), errors.positives
        precision = protocol.precision
        ranked_matches = _ranked_matches(errors)
        as_is = _unrepaired(ranked_matches)
        repaired = precision.terms(ranked_matches, positives)
        background = as_is._replace(false_before=np.zeros_like(as_is.false_before))
        precisions = [
            *repaired[:BACKGROUND],
            precision.terms(background, positives)[0],
            precision.terms(as_is, positives - errors.missed)[0],
            precision.perfect_terms(errors.found, positives),
            precision.terms(as_is, errors.found)[0],
            repaired[NOTHING],
        ]
        return cls(protocol, precisions, _remaining(errors))

    def value(self, labels: list[int], counts: Codes) -> dict[str, Any] | Undefined:
        """Return the value over labels."""
        as_is, *repaired = (self._ap(repair, labels) for repair in (8, *range(8)))
        if as_is is None:
            return Undefined("no ground truths")
        entries = [
            {"count": count, "delta_ap": None if ap is None else ap - as_is}
            for count, ap in zip(counts.tolist(), repaired, strict=True)
        ]
        return {
            "ap": as_is,
            "errors": dict(zip(KINDS, entries[:6], strict=True)),
            "false_positives": entries[6],
            "false_negatives": entries[7],
        }

    def _ap(self, repair: int, labels: list[int]) -> float | None:
        codes = np.array(labels, np.int64)
        codes = codes[self.remaining[repair, codes]]
        precisions = self.precisions[repair]
        if len(codes) < precisions.shape[1]:
            precisions = precisions[:, codes]
        return mean(precisions, self.protocol)


def _ranked_matches(errors: _Errors) -> RankedMatches:
    """Return true positives and errors, with a bit for each kind that is repaired."""
    ranked, faults = errors.ranked, errors.faults
    chunk = ranked.matched.table.objects
    is_moved = np.append((faults.labels >= 0) & (faults.kinds == CLASSIFICATION), False)
    rows = np.flatnonzero(is_moved[faults.numbers])
    labels, scores = faults.labels[faults.numbers[rows]], chunk.scores[rows]
    by_rank = np.lexsort((-scores, labels))
    columns = ErrorColumns(
        *(ranked.starts, ranked.rows, ranked.is_true, chunk.scores),
        *(faults.numbers, faults.kinds, faults.labels >= 0),
        ends(np.bincount(labels, minlength=len(errors.found))),
        scores[by_rank],
    )
    return kernels.repairs(columns)


def _unrepaired(ranked_matches: RankedMatches) -> RankedMatches:
    """Return the matches without any repair."""
    matched = ranked_matches.matched >> np.uint64(NOTHING)
    none = np.zeros_like(matched)
    return ranked_matches._replace(matched=matched, ignored_match=none, threshold_count=1)


def _remaining(errors: _Errors) -> Flags:
    predictions = np.diff(errors.ranked.starts)
    before = errors.positives + predictions
    left = [before - errors.counts[:, kind] for kind in range(NOTHING)]
    left += [before - errors.missed, before, errors.found + predictions, before]
    return np.array(left) > 0
