"""N-grams: their numbers, and how many of them texts have in common."""

from collections import Counter
from functools import reduce
from operator import or_

import numpy as np

from valor_text.kernels.values import Ids, Positions


def longer_ngrams(shorter: Ids, ids: Ids, starts: Positions, n: int) -> tuple[Ids, int]:
    """Numbers of the n-grams that begin at each token, and how many are different.

    Parameters
    ----------
    shorter : ndarray of int32
        Numbers of the (n-1)-grams that begin at each token.
    ids : ndarray of int32
        Words of the tokens.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    n : int
        Length, 2 or more.

    Returns
    -------
    longer : ndarray of int32
        The numbers, in the order in which n-grams come first; -1 where the text ends before.
    known : int
        How many there are.
    """
    longer = np.full(len(ids), -1, np.int32)
    known: dict[tuple[int, int], int] = {}
    for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        for at in range(start, stop - n + 1):
            pair = int(shorter[at]), int(ids[at + n - 1])
            longer[at] = known.setdefault(pair, len(known))
    return longer, len(known)


def common_ngrams(
    ngrams: Ids,
    starts: Positions,
    known: int,
    responses: Positions,
    references: Positions,
    reference_starts: Positions,
) -> Positions:
    """Number of n-grams that each item's response and its references have in common.

    Each n-gram counts as often as the response has it, but not more often than the reference
    that has it most.

    Parameters
    ----------
    ngrams : ndarray of int32
        Number of the n-gram at each token, below `known`; -1 where there is none.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    known : int
        How many different n-grams there are.
    responses : ndarray of int64
        The response of each item, a number of a text.
    references, reference_starts : ndarray of int64
        The references of all items, and where those of each item begin; one more at the end.
    """

    def counts(text: int) -> Counter[int]:
        own = ngrams[starts[text] : starts[text + 1]]
        return Counter(own[own >= 0].tolist())

    common = np.empty(len(responses), np.int64)
    for item, response in enumerate(responses.tolist()):
        own = references[reference_starts[item] : reference_starts[item + 1]].tolist()
        most = reduce(or_, map(counts, own), Counter[int]())
        common[item] = (counts(response) & most).total()
    return common
