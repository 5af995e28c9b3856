"""Pairs of boxes, greedy matching and accumulation over ranked predictions."""

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.reference.matching import (
        box_pairs,
        chosen_pairs,
        interpolated,
        match_best,
        match_coco,
        match_ranked,
        needed,
        positives,
        ranked,
        ranks,
        score_order,
        standings,
        true_positives,
    )
else:
    from valor_detection.kernels.compiled.matching import (
        box_pairs,
        chosen_pairs,
        interpolated,
        match_best,
        match_coco,
        match_ranked,
        needed,
        positives,
        ranked,
        ranks,
        score_order,
        standings,
        true_positives,
    )

__all__ = [
    "box_pairs",
    "chosen_pairs",
    "interpolated",
    "match_best",
    "match_coco",
    "match_ranked",
    "needed",
    "positives",
    "ranked",
    "ranks",
    "score_order",
    "standings",
    "true_positives",
]
