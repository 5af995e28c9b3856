"""Scanning COCO's JSON into columns."""

from __future__ import annotations

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.kernels.stdlib_scanning import scan
else:
    from valor_detection.kernels.compiled.scanning import scan

__all__ = ["scan"]
