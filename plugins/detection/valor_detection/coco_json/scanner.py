"""Scanner of COCO's JSON: compiled, or the reference if there is no library."""

from __future__ import annotations

from valor_detection.kernels import KERNELS

if KERNELS.library is None:
    from valor_detection.coco_json.reference_scanner import scan
else:
    from valor_detection.coco_json.compiled_scanner import scan

__all__ = ["scan"]
