"""Masks as run lengths: from compressed text and polygons, their sizes and their overlaps."""

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.numeric.masks import (
        decompress,
        mask_ious,
        measured,
        polygon_runs,
    )
else:
    from valor_detection.kernels.compiled.masks import (
        decompress,
        mask_ious,
        measured,
        polygon_runs,
    )

__all__ = ["decompress", "mask_ious", "measured", "polygon_runs"]
