"""Inner loops, compiled or in NumPy, with bit-identical results.

Modules outside this package import `counting` from it and do not know which implementation runs.
"""

from typing import TYPE_CHECKING

from valor_core.kernels import load_kernels

KERNELS = load_kernels("valor_segmentation._kernels")
"""Implementation in use; `valor doctor` prints it."""

if TYPE_CHECKING:
    from valor_segmentation.kernels.reference import counting

    __all__ = ["KERNELS", "counting"]
else:
    __getattr__ = KERNELS.chooser(__name__, "counting")
