"""Masks as run lengths: from compressed text and polygons, their sizes and their overlaps."""

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.reference.masks import (
        mask_ious,
        measured,
        segmentation_runs,
    )
else:
    from valor_detection.kernels.compiled.masks import (
        mask_ious,
        measured,
        segmentation_runs,
    )

__all__ = ["mask_ious", "measured", "segmentation_runs"]
