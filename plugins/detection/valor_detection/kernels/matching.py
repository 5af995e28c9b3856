"""Pairs of boxes, greedy matching and accumulation over ranked predictions."""

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.numeric.matching import (
        box_pairs,
        choose_best,
        choose_coco,
        interpolated,
        match_best,
        match_coco,
        match_ranked,
        ranks,
        score_order,
    )
else:
    from valor_detection.kernels.compiled.matching import (
        box_pairs,
        choose_best,
        choose_coco,
        interpolated,
        match_best,
        match_coco,
        match_ranked,
        ranks,
        score_order,
    )

__all__ = [
    "box_pairs",
    "choose_best",
    "choose_coco",
    "interpolated",
    "match_best",
    "match_coco",
    "match_ranked",
    "ranks",
    "score_order",
]
