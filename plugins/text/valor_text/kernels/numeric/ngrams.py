"""N-grams: how many of them texts have in common."""

from collections import Counter
from functools import reduce
from operator import or_

import numpy as np

from valor_text.kernels.values import Ids, Positions


def common_ngrams(
    ids: Ids,
    starts: Positions,
    longest: int,
    responses: Positions,
    references: Positions,
    reference_starts: Positions,
) -> Positions:
    """Number of n-grams of each length that each item's response and references have in common.

    Each n-gram counts as often as the response has it, but not more often than the reference
    that has it most.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens of all texts.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    longest : int
        Greatest length, 1 or more.
    responses : ndarray of int64
        The response of each item, a number of a text.
    references, reference_starts : ndarray of int64
        The references of all items, and where those of each item begin; one more at the end.

    Returns
    -------
    ndarray of int64, shape (items, longest)
        A column for each length.
    """

    def counts(text: int, n: int) -> Counter[tuple[int, ...]]:
        words = ids[starts[text] : starts[text + 1]].tolist()
        return Counter(zip(*(words[first:] for first in range(n)), strict=False))

    common = np.empty((len(responses), longest), np.int64)
    for item, response in enumerate(responses.tolist()):
        own = references[reference_starts[item] : reference_starts[item + 1]].tolist()
        for n in range(1, longest + 1):
            most = reduce(or_, (counts(text, n) for text in own), Counter[tuple[int, ...]]())
            common[item, n - 1] = (counts(response, n) & most).total()
    return common
