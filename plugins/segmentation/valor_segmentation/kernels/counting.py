"""Pairs of true and predicted pixel values, counted into a table."""

from valor_segmentation.kernels import KERNELS

if KERNELS.library is None:
    from valor_segmentation.kernels.reference.counting import count_pairs
else:
    from valor_segmentation.kernels.compiled.counting import count_pairs

__all__ = ["count_pairs"]
