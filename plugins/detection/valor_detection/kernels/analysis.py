"""Calibration and error analysis."""

from valor_detection.kernels import KERNELS
from valor_detection.kernels.reference.analysis import BACKGROUND, CLASSIFICATION, NOTHING

if KERNELS.library is None:
    from valor_detection.kernels.reference.analysis import faults, reliability, repairs
else:
    from valor_detection.kernels.compiled.analysis import faults, reliability, repairs

__all__ = ["BACKGROUND", "CLASSIFICATION", "NOTHING", "faults", "reliability", "repairs"]
