"""Reach of score thresholds: warnings of thresholds that exclude no prediction, or every one.

Also of items with several ground truths, of which hardmax can predict one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

SEVERAL = (
    "items have several ground truths, but hardmax: true predicts only the best label of an item; "
    "set hardmax: false and score_thresholds: 0.5 to predict every label from that score on"
)

TIED = (
    "scores of exactly 0 or 1 give items several best labels, of which hardmax: true predicts the "
    "first; if they are predicted labels, set hardmax: false and score_thresholds: 0.5"
)


def threshold_warnings(
    thresholds: Sequence[float], reached: Sequence[int], items: int, labels: int, hardmax: bool
) -> Iterator[str]:
    """Yield a warning for each threshold that cannot change a number, and for those out of reach.

    The best score of an item is at least one divided by the number of labels, if its scores sum to
    1, so that no lower threshold excludes the best label. Half of a binary model is what hardmax
    predicts.

    Parameters
    ----------
    thresholds : sequence of float
        Score thresholds; minus infinity is none.
    reached : sequence of int
        Predictions that reach each of them.
    items : int
        Items that take part.
    labels : int
        Labels of the key.
    hardmax : bool
        Whether only the best label of an item is a prediction.

    Examples
    --------
    >>> [*threshold_warnings([0.35, 0.75], [8, 3], items=8, labels=2, hardmax=True)]
    ['score_threshold 0.35 changes nothing, with hardmax: true the best of 2 labels always reaches
    it; set hardmax: false to predict every label from that score on']
    >>> [*threshold_warnings([50], [0], items=8, labels=2, hardmax=True)]
    ['score_threshold 50: no score reaches it, so that nothing is predicted; write 0.5 for 50 %']
    """
    for threshold, count in zip(thresholds, reached, strict=True):
        if not items or threshold == -math.inf:
            continue
        if hardmax and count == items and 0 < threshold * labels < 1 < labels:
            yield (
                f"score_threshold {threshold:g} changes nothing, with hardmax: true the best of "
                f"{labels} labels always reaches it; set hardmax: false to predict every label "
                "from that score on"
            )
        elif not count and threshold > 1:
            percent = f"; write {threshold / 100:g} for {threshold:g} %" * (threshold <= 100)
            yield (
                f"score_threshold {threshold:g}: no score reaches it, so that nothing is "
                f"predicted{percent}"
            )
