"""Error analysis: why detections are wrong, and what each kind of error costs (TIDE)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core.averages import coordinates
from valor_core.result import Result, Undefined
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.shapes import ends
from valor_core.state import StateRequest
from valor_detection import overlaps
from valor_detection.analysis_parameters import ErrorAnalysisParameters
from valor_detection.means import mean
from valor_detection.overlaps import Overlaps
from valor_detection.parameters import Rule
from valor_detection.part import Part
from valor_detection.ranking import Ranking, ranking
from valor_detection.rules import ALMOST_ONE, iou_limits, needed
from valor_detection.shaping import shaped
from valor_detection.standings import Standings
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
class _Faults:
    """What is wrong with every object; each image tells for itself.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        False positives that are not on the background, ascending.
    kinds : ndarray of int64, shape (n,)
        Error of each.
    repaired : ndarray of int64, shape (n,)
        True object that each finds if its error is repaired, -1 for none.
    used, missed : ndarray of bool
        Whether a true object is matched, and whether it is missed.
    """

    rows: Codes
    kinds: Codes
    repaired: Codes
    used: Flags
    missed: Flags

    @classmethod
    def of(cls, table: Table, chosen: ErrorAnalysisParameters) -> _Faults:
        """The faults of a table's objects."""
        ranked = ranking(table, chosen)
        matched = ranked.matched
        used = np.zeros(len(table.chunk.true_labels), dtype=bool)
        used[matched.truths(chosen.iou_threshold)[ranked.right]] = True
        rows, kinds, targets = _kinds(table, chosen, ranked.wrong, used)
        repaired, aimed_at = _repaired(table.chunk.scores[rows], targets, used)
        missed = ~(matched.ignored | used | aimed_at)
        return cls(rows=rows, kinds=kinds, repaired=repaired, used=used, missed=missed)

    def within(self, part: Part) -> _Faults:
        """The faults of some images."""
        own = part.is_own[self.rows]
        return _Faults(
            rows=part.places[self.rows[own]],
            kinds=self.kinds[own],
            repaired=part.true_places[self.repaired[own]],
            used=self.used[part.true_rows],
            missed=self.missed[part.true_rows],
        )


def _faults(table: Table, chosen: ErrorAnalysisParameters) -> _Faults:
    """The faults of a table's objects, or those that a larger table has found."""

    def made() -> _Faults:
        if table.part is not None:
            return _faults(table.part.whole, chosen).within(table.part)
        return _Faults.of(table, chosen)

    faults: _Faults = table.kept(("faults", chosen), made)
    return faults


@frozen(kw_only=True, eq=False)
class _Errors:
    """The errors of a table's labels.

    Parameters
    ----------
    ranked : Ranking
        The predictions that count.
    faults : _Faults
        What is wrong with them.
    found, missed : ndarray of int64, shape (n_labels,)
        True objects that are matched, and that are missed.
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
        """The errors of a table's objects."""
        chunk, count = table.chunk, len(table.labels)
        ranked, faults = ranking(table, chosen), _faults(table, chosen)
        found = np.bincount(chunk.true_labels[faults.used], minlength=count)
        missed = np.bincount(chunk.true_labels[faults.missed], minlength=count)
        false = np.diff(ranked.starts) - found
        by_kind = np.bincount(chunk.labels[faults.rows] * 5 + faults.kinds, minlength=count * 5)
        by_kind = by_kind.reshape(count, 5)
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
        standings = _standings(errors)
        as_is = _unrepaired(standings)
        repaired, _ = standings.interpolated(targets, positives)
        background = evolve(as_is, false_before=np.zeros_like(as_is.false_before))
        parts = [
            *repaired[:BACKGROUND],
            background.interpolated(targets, positives)[0][0],
            _of_fewer(as_is, positives - errors.missed, rule),
            np.where(np.maximum(targets, 1) <= errors.found[:, None], 1.0, 0.0).T,
            _of_fewer(as_is, errors.found, rule),
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


def _standings(errors: _Errors) -> Standings:
    """True positives and errors, the errors of each kind repaired at its bit.

    An error is excused at the bit of its kind; a localization error that is repaired is a match
    there instead, and a repaired classification error is a match in a place of its own, under the
    label of its ground truth. Errors on the background, the most by far, are only counted.
    """
    ranked, faults = errors.ranked, errors.faults
    chunk, is_repaired = ranked.matched.table.chunk, faults.repaired >= 0
    is_moved = is_repaired & (faults.kinds == CLASSIFICATION)
    own = np.uint64(1) << faults.kinds.astype(np.uint64)
    excused = np.where(is_repaired & (faults.kinds == LOCALIZATION), np.uint64(0), own)
    # One more, for the true positives, is a match at all bits.
    own, excused = np.append(own, np.uint64((1 << _BITS) - 1)), np.append(excused, np.uint64(0))
    numbers = np.full(len(chunk.scores), -1, np.int32)
    numbers[faults.rows] = np.arange(len(faults.rows), dtype=np.int32)
    numbers = numbers[ranked.rows]
    at = np.flatnonzero(ranked.is_true | (numbers >= 0))
    numbers = numbers[at]

    moved, labels = _moved(
        ranked, chunk.true_labels[faults.repaired[is_moved]], chunk.scores[faults.rows[is_moved]]
    )
    moved_starts = ends(np.bincount(labels, minlength=len(errors.found)))
    own_starts = np.searchsorted(at, ranked.starts)
    # In front of a place are those that stand, and errors on the background.
    before = (moved - ranked.starts[labels]) - (np.searchsorted(at, moved) - own_starts[labels])
    own_before = at - np.arange(len(at))
    own_before -= np.repeat((ranked.starts - own_starts)[:-1], np.diff(own_starts))
    # What is moved stands in front of the place that it is moved to.
    order = np.argsort(np.append(2 * moved, 2 * at + 1), kind="stable")
    unmoved = np.zeros(len(moved), np.uint64)
    return Standings(
        starts=moved_starts + own_starts,
        at=np.append(moved, at)[order],
        false_before=np.append(before, own_before)[order].astype(np.int32),
        counted=np.append(np.zeros(len(moved), dtype=bool), numbers >= 0)[order],
        matched=np.append(unmoved + np.uint64(1 << CLASSIFICATION), own[numbers])[order],
        excused=np.append(unmoved, excused[numbers])[order],
        threshold_count=_BITS,
    )


def _moved(ranked: Ranking, labels: Codes, scores: Floats) -> tuple[Codes, Codes]:
    """Places in the ranking behind all of some labels and scores, ascending, and their labels."""
    by_rank = np.lexsort((-scores, labels))
    labels, scores = labels[by_rank], scores[by_rank]
    ranked_scores = ranked.matched.table.chunk.scores
    low, high = ranked.starts[labels], ranked.starts[labels + 1]
    while (is_open := low < high).any():
        middle = np.where(is_open, (low + high) // 2, 0)
        is_behind = is_open & (ranked_scores[ranked.rows[middle]] >= scores)
        low = np.where(is_behind, middle + 1, low)
        high = np.where(is_open & ~is_behind, middle, high)
    return low, labels


def _unrepaired(standings: Standings) -> Standings:
    """The standings at the bit of no repair alone."""
    matched = standings.matched >> np.uint64(_NOTHING)
    return evolve(standings, matched=matched, excused=np.zeros_like(matched), threshold_count=1)


def _of_fewer(standings: Standings, positives: Codes, rule: Rule) -> Floats:
    """Precisions where only so many true objects are there."""
    precisions, _ = standings.interpolated(needed(positives, rule), positives)
    return precisions.reshape(precisions.shape[1:])


def _remaining(errors: _Errors) -> Flags:
    seen = np.diff(errors.ranked.starts)
    before = errors.positives + seen
    left = [before - errors.counts[:, kind] for kind in range(_NOTHING)]
    left += [before - errors.missed, before, errors.found + seen, before]
    return np.array(left) > 0
