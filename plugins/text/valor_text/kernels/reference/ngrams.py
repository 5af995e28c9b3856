"""Numbers of n-grams that texts have in common."""

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
    """Return the number of n-grams of each length common to each item's response and references.

    Each n-gram counts as often as in the response, and at most as often as in the reference that
    has it most.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens of all texts.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    longest : int
        Largest length, at least 1.
    responses : ndarray of int64
        Text of the response of each item.
    references, reference_starts : ndarray of int64
        Texts of the references of all items, and offset of the first one of each item.

    Returns
    -------
    ndarray of int64, shape (items, longest)
        One column per length.
    """

    def counts(text: int, n: int) -> Counter[tuple[int, ...]]:
        words = ids[starts[text] : starts[text + 1]].tolist()
        return Counter(zip(*(words[first:] for first in range(n)), strict=False))

    common = np.empty((len(responses), longest), np.int64)
    for item, response in enumerate(responses.tolist()):
        item_references = references[reference_starts[item] : reference_starts[item + 1]].tolist()
        for n in range(1, longest + 1):
            most = reduce(
                or_, (counts(text, n) for text in item_references), Counter[tuple[int, ...]]()
            )
            common[item, n - 1] = (counts(response, n) & most).total()
    return common
