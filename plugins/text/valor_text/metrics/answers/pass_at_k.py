"""PassAtK: probability that attempts at an item pass, from recorded outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

import numpy as np

from valor_core import Undefined
from valor_core.results import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.parameters.answers import PassAtKParameters


def score(
    batch: TextBatch, parameters: PassAtKParameters, resources: Mapping[str, Any]
) -> dict[str, Numbers]:
    """Probability that one, or all, of k attempts at each item pass.

    With n recorded outcomes of which c passed, they are shares of all ways to draw k outcomes::

        pass@k = 1 - C(n - c, k) / C(n, k)        pass^k = C(c, k) / C(n, k)

    Both are unbiased estimates, correctly rounded.

    Parameters
    ----------
    batch : TextBatch
        Items with recorded outcomes.
    parameters : PassAtKParameters
        Values of k, and measures.
    resources : mapping
        Unused.

    Returns
    -------
    dict of str to Numbers
        ``pass@1``, ``pass^3`` and so on, in [0, 1]. Undefined if k exceeds n.

    References
    ----------
    Chen et al., "Evaluating large language models trained on code", 2021, section 2.1; Yao et al.,
    "tau-bench", 2024, section 3.
    """
    attempts = np.fromiter(map(len, batch.outcomes), np.int64, len(batch))
    passed = np.fromiter(map(sum, batch.outcomes), np.int64, len(batch))
    distinct, indices = np.unique(np.column_stack([attempts, passed]), axis=0, return_inverse=True)
    found = {}
    for k in parameters.k:
        for measure in parameters.measures:
            chances = Numbers.of(_chance(n, c, k, measure) for n, c in distinct.tolist())
            found[measure.removesuffix("k") + str(k)] = chances.select(indices.reshape(-1))
    return found


def _chance(attempts: int, passed: int, k: int, measure: str) -> float | Undefined:
    if k > attempts:
        return Undefined(f"fewer outcomes than k = {k:,}")
    ways = comb(attempts, k)
    # A quotient of integers is rounded once.
    if measure == "pass@k":
        return (ways - comb(attempts - passed, k)) / ways
    return comb(passed, k) / ways
