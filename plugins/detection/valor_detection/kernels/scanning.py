"""Scanning COCO's JSON into columns."""

from __future__ import annotations

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.numeric.scanning import grouped_order, scan
else:
    from valor_detection.kernels.compiled.scanning import grouped_order, scan

__all__ = ["grouped_order", "scan"]
