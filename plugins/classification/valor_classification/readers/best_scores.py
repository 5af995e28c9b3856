"""Best score of each row of a matrix, found in the pass that checks the scores.

Reading a large matrix from memory takes as long as most of what metrics do with it. A compiled
kernel therefore finds the best scores while it checks that all scores are finite. Otherwise NumPy
checks the scores, and a metric finds the best ones when it needs them.
"""

from __future__ import annotations

from valor_core.schemas import Floats, check_finite
from valor_core.schemas.classification import Tops

_FEW = 1 << 12  # scores that stay in cache: a second look costs less than a call of a kernel
_SHORT = 64  # columns of a row that is looked at twice in less time than its top is written once


def finite_tops(matrix: Floats, name: str) -> Tops | None:
    """The tops of a matrix if they were found while it was checked.

    Raises
    ------
    SchemaError
        If a score is not finite; the message names the first place.

    Examples
    --------
    >>> import numpy as np
    >>> finite_tops(np.array([[0.25, float("inf")]]), "y_score")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: y_score[0, 1]: expected a finite number, got inf
    """
    is_worth_it = matrix.size >= _FEW and matrix.shape[1] >= _SHORT
    tops = _compiled_tops(matrix) if is_worth_it else None
    if tops is None:
        check_finite(matrix, name)
    return tops


def _compiled_tops(matrix: Floats) -> Tops | None:
    """The best scores by the compiled kernel; None without it or if a score is not finite."""
    from valor_classification.kernels import KERNELS

    if KERNELS.library is None:
        return None
    from valor_classification.kernels.compiled.best import tops

    return tops(matrix)
