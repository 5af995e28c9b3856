"""Error analysis: why detections are wrong, and what each kind of error costs (TIDE)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.averages import coordinates
from valor_core.result import Result, Undefined
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.shapes import ends
from valor_core.state import StateRequest
from valor_detection import overlaps
from valor_detection.analysis_parameters import ErrorAnalysisParameters
from valor_detection.kernels import matching as kernels
from valor_detection.matching import Bits
from valor_detection.means import mean
from valor_detection.overlaps import Overlaps
from valor_detection.parameters import Rule
from valor_detection.ranking import Ranking, ranking
from valor_detection.rules import ALMOST_ONE, iou_limits, needed
from valor_detection.shaping import shaped
from valor_detection.table import KEY, Flags, Pairs, Table

KINDS = ("classification", "localization", "both", "duplicate", "background", "missed")
"""Kinds of errors: the first five of predictions, the last of ground truths."""

CLASSIFICATION, LOCALIZATION, BOTH, DUPLICATE, BACKGROUND = range(5)
_NOTHING = 5  # the bit of no repair, behind those of the five kinds
_BITS = 6


@frozen
class ErrorAnalysis:
    """False positives and false negatives by what is wrong, and the AP that each kind costs.

    A prediction that matches nothing has one error, the first that fits: ``localization``, if
    its greatest IoU with a ground truth of its label is below the IoU threshold but not below the
    background threshold; ``classification``, if its IoU with one of another label reaches the IoU
    threshold; ``duplicate``, if its IoU with a matched one of its label does; ``background``, if
    its IoU with all ground truths is at most the background threshold; else ``both``. A ground
    truth is ``missed`` if nothing matches it and no classification or localization error is about
    it.

    The value holds ``ap``, the mean AP over labels; ``errors``, each kind's ``count`` and
    ``delta_ap``, what AP gains if errors of this kind alone are repaired; and under
    ``false_positives`` and ``false_negatives`` the same for all of either side. Repairing a
    classification or localization error makes the best-scoring prediction about an unmatched
    ground truth a true positive, of the ground truth's label, and removes the others; repairing
    any other removes the prediction; repairing missed ground truths removes those. All AP lie in
    [0, 1], gains in [-1, 1]. Undefined without ground truths.

    Parameters
    ----------
    parameters : ErrorAnalysisParameters
        Thresholds and rule of the matching.

    Notes
    -----
    Gains do not add up: each is what one repair alone brings. AP is that of the metric `AP` at
    the IoU threshold. Predictions that a crowd excuses have no error.

    Differences from tidecv 1.0.1: shares in place of percent; 100 predictions of a label count in
    an image, not 100 of all labels; labels without ground truths are left out of the mean unless
    ``include_prediction_only_labels``; gains below 0, which come of the 101 recalls, are not set
    to 0; predictions with equal scores keep their order when errors are repaired; a prediction
    that a crowd excuses has no error; an IoU of exactly the threshold with a matched ground truth
    is a duplicate.

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
    >>> seen = PredictedObject({"dog": 0.75}, Box(0, 0, 9, 3))
    >>> report = evaluate([Detection("a", [true], [seen])], ["ErrorAnalysis"])
    >>> report["ErrorAnalysis"].value["errors"]["localization"]["count"]
    1
    """

    parameters: ErrorAnalysisParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Overlaps of objects with one label key, down to the background."""
        chosen = self.parameters
        return (
            overlaps.request(
                (chosen.iou_threshold,),
                chosen.matching,
                convert_to=chosen.convert_to,
                scope=KEY,
                lowest_iou=chosen.background_threshold,
            ),
        )

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each label key, and one for each label if asked for."""
        table, chosen = state.table, self.parameters
        errors = _Errors.of(table, chosen)
        gains = _Gains.of(table, chosen, errors)
        shared = {
            "iou_threshold": chosen.iou_threshold,
            "background_threshold": chosen.background_threshold,
        } | shaped(chosen)
        for key, codes in table.seen.items():
            taken = [
                code
                for code in codes
                if errors.positives[code] or chosen.include_prediction_only_labels
            ]
            value = gains.value(taken, errors.counts[codes].sum(axis=0))
            yield Result(parameters={"label_key": key} | shared, value=value)
            for code in codes if chosen.per_label else ():
                own = [code] if errors.positives[code] else []
                yield Result(
                    parameters=coordinates(table.labels[code]) | shared,
                    value=gains.value(own, errors.counts[code]),
                )


@frozen(kw_only=True, eq=False)
class _Errors:
    """What is wrong with every object.

    Parameters
    ----------
    ranked : Ranking
        The predictions that count.
    rows : ndarray of int64, shape (n,)
        False positives that are not on the background, ascending.
    kinds : ndarray of int64, shape (n,)
        Error of each.
    repaired : ndarray of int64, shape (n,)
        True object that each finds if its error is repaired, -1 for none.
    found, missed : ndarray of int64, shape (n_labels,)
        True objects that are matched, and that are missed.
    counts : ndarray of int64, shape (n_labels, 8)
        Errors by kind, then false positives and false negatives.
    """

    ranked: Ranking
    rows: Codes
    kinds: Codes
    repaired: Codes
    found: Codes
    missed: Codes
    counts: Codes

    @classmethod
    def of(cls, table: Table, chosen: ErrorAnalysisParameters) -> _Errors:
        """The errors of a table's objects."""
        chunk, count = table.chunk, len(table.labels)
        ranked = ranking(table, chosen)
        matched = ranked.matched
        used = np.zeros(len(chunk.true_labels), dtype=bool)
        used[matched.truths(chosen.iou_threshold)[ranked.right]] = True
        rows, kinds, targets = _kinds(table, chosen, ranked.wrong, used)
        repaired, aimed_at = _repaired(chunk.scores[rows], targets, used)
        found = np.bincount(chunk.true_labels[used], minlength=count)
        is_missed = ~(matched.ignored | used | aimed_at)
        missed = np.bincount(chunk.true_labels[is_missed], minlength=count)
        false = np.diff(ranked.starts) - found
        by_kind = np.bincount(chunk.labels[rows] * 5 + kinds, minlength=count * 5)
        by_kind = by_kind.reshape(count, 5)
        by_kind[:, BACKGROUND] = false - by_kind.sum(axis=1)
        return cls(
            ranked=ranked,
            rows=rows,
            kinds=kinds,
            repaired=repaired,
            found=found,
            missed=missed,
            counts=np.column_stack([by_kind, missed, false, matched.positives - found]),
        )

    @property
    def positives(self) -> Codes:
        """True objects that count, by label."""
        return self.ranked.matched.positives


def _kinds(
    table: Table, chosen: ErrorAnalysisParameters, is_false: Flags, used: Flags
) -> tuple[Codes, Codes, Codes]:
    """False positives that are not on the background, their errors and what these are about."""
    chunk = table.chunk
    pairs = table.unranked_pairs
    foreground = iou_limits((chosen.iou_threshold,), chosen.matching)[0]
    wanted = is_false[pairs.owners] & (pairs.ious >= chosen.background_threshold)
    pairs = pairs.those(wanted & ~chunk.crowd[pairs.truths])
    owners = np.repeat(np.arange(len(pairs.rows)), np.diff(pairs.starts))
    is_same = chunk.labels[pairs.rows][owners] == chunk.true_labels[pairs.truths]
    same, other = (_greatest(pairs, wanted) for wanted in (is_same, ~is_same))
    is_near = (same > 0) & (same < foreground)
    is_mistaken = ~is_near & (other >= foreground)
    # What an error is about is of its label if it is near that, else of another label.
    about = np.where(is_near, same, np.where(is_mistaken, other, np.inf))[owners] == pairs.ious
    about &= is_near[owners] == is_same
    backwards = np.flatnonzero(about)[::-1]  # so that the first of equal ones is written last
    targets = np.full(len(pairs.rows), -1, np.int64)
    targets[owners[backwards]] = pairs.truths[backwards]
    is_again = np.zeros(len(pairs.rows), dtype=bool)
    is_again[owners[is_same & (pairs.ious >= foreground) & used[pairs.truths]]] = True
    kinds = np.full(len(pairs.rows), BOTH)
    kinds[np.maximum(same, other) <= chosen.background_threshold] = BACKGROUND
    kinds[is_again] = DUPLICATE
    kinds[is_mistaken] = CLASSIFICATION
    kinds[is_near] = LOCALIZATION
    left = kinds != BACKGROUND
    return pairs.rows[left], kinds[left], targets[left]


def _greatest(pairs: Pairs, wanted: Flags) -> Floats:
    """Greatest IoU of each prediction's wanted pairs, 0 of none."""
    if not len(pairs.rows):
        return np.empty(0)
    greatest: Floats = np.maximum.reduceat(np.where(wanted, pairs.ious, 0.0), pairs.starts[:-1])
    return greatest


def _repaired(scores: Floats, targets: Codes, used: Flags) -> tuple[Codes, Flags]:
    """True object that each error's prediction finds if repaired, and the ones aimed at.

    Of several predictions about one, the best-scoring finds it, of equal ones the first.
    """
    aimed_at = np.zeros(len(used), dtype=bool)
    places = np.flatnonzero(targets >= 0)
    places = places[~used[targets[places]]]
    aimed_at[targets[places]] = True
    order = np.lexsort((places, -scores[places], targets[places]))
    _, first = np.unique(targets[places][order], return_index=True)
    winners = places[order[first]]
    repaired = np.full(len(targets), -1, np.int64)
    repaired[winners] = targets[winners]
    return repaired, aimed_at


@frozen(eq=False)
class _Gains:
    """Precision of every label after each repair.

    Repaired are the five kinds of predictions, missed ground truths, all false positives, all
    false negatives, and, last, nothing.

    Parameters
    ----------
    rule : str
        Rule of the matching, which says how means are taken.
    precisions : ndarray of float64, shape (9, 101, n_labels)
        Interpolated precisions, 0 where nothing is left to find.
    remaining : ndarray of bool, shape (9, n_labels)
        Whether a label has any ground truth or prediction left.
    """

    rule: Rule
    precisions: Floats
    remaining: Flags

    @classmethod
    def of(cls, table: Table, chosen: ErrorAnalysisParameters, errors: _Errors) -> _Gains:
        """The gains from repairing the errors of a table's objects."""
        rule, positives = chosen.matching, errors.positives
        targets = needed(positives, rule)
        repaired = _repaired_precisions(table, errors, targets)
        without_missed = _precisions(table, errors, positives - errors.missed, rule)
        without_unfound = _precisions(table, errors, errors.found, rule)
        only_true = np.where(np.maximum(targets, 1) <= errors.found[:, None], 1.0, 0.0).T
        parts = [
            *repaired[:_NOTHING],
            without_missed,
            only_true,
            without_unfound,
            repaired[_NOTHING],
        ]
        precisions = np.maximum(parts, 0.0)
        if rule != "coco":
            # pycocotools divides by a count and a bit more, which shows in 1/1 alone.
            precisions[precisions > ALMOST_ONE] = 1.0
        return cls(rule, precisions, _remaining(errors))

    def value(self, labels: list[int], counts: Codes) -> dict[str, Any] | Undefined:
        """The value over some labels."""
        as_is, *repaired = (self._ap(place, labels) for place in (8, *range(8)))
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

    def _ap(self, place: int, labels: list[int]) -> float | None:
        left = [label for label in labels if self.remaining[place, label]]
        return mean(self.precisions[place][:, left], self.rule)


def _repaired_precisions(table: Table, errors: _Errors, targets: Codes) -> list[Floats]:
    """Precisions with errors of each kind of predictions repaired, and as they are.

    Each kind is a bit of one pass. An error is excused at the bit of its kind; a localization
    error that is repaired is a match there instead, and a repaired classification error is a
    match in a row of its own, under the label of its ground truth. Errors on the background, the
    most by far, are left out of a second pass.
    """
    chunk, count = table.chunk, len(table.chunk.scores)
    hits, is_repaired = np.flatnonzero(errors.ranked.right), errors.repaired >= 0
    is_moved = is_repaired & (errors.kinds == CLASSIFICATION)
    labels = chunk.true_labels[errors.repaired[is_moved]]
    scores = chunk.scores[errors.rows[is_moved]]
    moved = np.arange(count, count + len(labels))
    always = np.full(len(hits), (1 << _BITS) - 1, np.uint64)
    own = np.uint64(1) << errors.kinds.astype(np.uint64)
    excused = np.where(is_repaired & (errors.kinds == LOCALIZATION), np.uint64(0), own)
    anew = np.full(len(moved), 1 << CLASSIFICATION, np.uint64)
    found = _interpolated(
        _inserted(errors.ranked, labels, scores),
        errors.ranked.starts + ends(np.bincount(labels, minlength=len(table.labels))),
        np.append(chunk.scores, scores),
        np.append(errors.ranked.wrong, np.zeros(len(moved), dtype=bool)),
        np.concatenate([hits, errors.rows, moved]),
        np.concatenate([always, own, anew]),
        np.concatenate([np.zeros_like(always), excused, np.zeros_like(anew)]),
        _BITS,
        targets,
        errors.positives,
    )
    found[BACKGROUND] = _without_background(table, errors, targets)
    return found


def _without_background(table: Table, errors: _Errors, targets: Codes) -> Floats:
    ranked, left = errors.ranked, errors.ranked.right.copy()
    left[errors.rows] = True
    order = ranked.rows[left[ranked.rows]]
    hits = np.flatnonzero(ranked.right)
    return _interpolated(
        order,
        ends(np.bincount(table.chunk.labels[order], minlength=len(table.labels))),
        table.chunk.scores,
        ranked.wrong,
        hits,
        np.ones(len(hits), np.uint64),
        np.zeros(len(hits), np.uint64),
        1,
        targets,
        errors.positives,
    )[0]


def _precisions(table: Table, errors: _Errors, positives: Codes, rule: Rule) -> Floats:
    """Precisions of the predictions as they are, where so many true objects are there."""
    ranked, hits = errors.ranked, np.flatnonzero(errors.ranked.right)
    return _interpolated(
        ranked.rows,
        ranked.starts,
        table.chunk.scores,
        ranked.wrong,
        hits,
        np.ones(len(hits), np.uint64),
        np.zeros(len(hits), np.uint64),
        1,
        needed(positives, rule),
        positives,
    )[0]


def _interpolated(
    order: Codes,
    starts: Codes,
    scores: Floats,
    is_false: Flags,
    rows: Codes,
    matched: Bits,
    excused: Bits,
    bits: int,
    targets: Codes,
    positives: Codes,
) -> list[Floats]:
    """Precisions at each bit, shapes (101, n_labels); all predictions of the order take part."""
    places = np.full(len(scores), -1, np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    ranks = np.zeros(len(scores), np.int32)
    found, *_ = kernels.interpolated(
        order,
        starts,
        scores,
        ranks,
        1,
        places,
        is_false,
        matched,
        excused,
        bits,
        targets,
        positives,
    )
    return [found[:, bit].T for bit in range(bits)]


def _inserted(ranked: Ranking, labels: Codes, scores: Floats) -> Codes:
    """The ranking with new rows behind the old ones, each after those of its label and score."""
    by_rank = np.lexsort((-scores, labels))
    labels, scores = labels[by_rank], scores[by_rank]
    table_scores = ranked.matched.table.chunk.scores
    low, high = ranked.starts[labels], ranked.starts[labels + 1]
    while (is_open := low < high).any():
        middle = np.where(is_open, (low + high) // 2, 0)
        is_behind = is_open & (table_scores[ranked.rows[middle]] >= scores)
        low = np.where(is_behind, middle + 1, low)
        high = np.where(is_open & ~is_behind, middle, high)
    return np.insert(ranked.rows, low, len(table_scores) + by_rank)


def _remaining(errors: _Errors) -> Flags:
    seen = np.diff(errors.ranked.starts)
    before = errors.positives + seen
    left = [before - errors.counts[:, kind] for kind in range(_NOTHING)]
    left += [before - errors.missed, before, errors.found + seen, before]
    return np.array(left) > 0
