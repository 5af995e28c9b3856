"""Order of rows by group."""

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.reference.grouping import grouped_order
else:
    from valor_detection.kernels.compiled.grouping import grouped_order

__all__ = ["grouped_order"]
