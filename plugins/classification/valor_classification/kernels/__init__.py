"""Inner loops, compiled or in NumPy, with bit-identical results.

Modules outside this package import `best`, `confusion`, `ranking`, `reliability` and `thresholds`
from it and do not know which implementation runs.

Scores come in two layouts. A *matrix* has one row per datum and one column per label. A
*listing* is flat columns `datums` (ascending, the entries of each datum in their listed order),
`labels` and `values`. Scores are finite float32 or float64 of any sign. A score is compared in its
own type, so the float32 nearest to 0.35 passes the threshold 0.35 (`in_type`).
"""

from typing import TYPE_CHECKING

from valor_core.kernels import load_kernels

KERNELS = load_kernels("valor_classification._kernels")
"""Implementation in use; `valor doctor` prints it."""

if TYPE_CHECKING:
    from valor_classification.kernels.reference import (
        best,
        confusion,
        ranking,
        reliability,
        thresholds,
    )

    __all__ = ["KERNELS", "best", "confusion", "ranking", "reliability", "thresholds"]
else:
    __getattr__ = KERNELS.chooser(
        __name__, "best", "confusion", "ranking", "reliability", "thresholds"
    )
