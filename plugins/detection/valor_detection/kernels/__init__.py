"""Inner loops, compiled or in NumPy, with bit-identical results.

Modules outside this package import `analysis`, `keypoints`, `masks`, `matching` and
`quadrilaterals` from it and do not know which implementation runs.
"""

from typing import TYPE_CHECKING

from valor_core.kernels import load_kernels

KERNELS = load_kernels("valor_detection._kernels")
"""Implementation in use; `valor doctor` prints it."""

if TYPE_CHECKING:
    from valor_detection.kernels.reference import (
        analysis,
        keypoints,
        masks,
        matching,
        quadrilaterals,
    )

    __all__ = ["KERNELS", "analysis", "keypoints", "masks", "matching", "quadrilaterals"]
else:  # lazy: metrics of boxes import no code of masks
    __getattr__ = KERNELS.chooser(
        __name__, "analysis", "keypoints", "masks", "matching", "quadrilaterals"
    )
