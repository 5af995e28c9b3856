"""Compiled kernels of this family, or the reason for using NumPy."""

from valor_core.kernels import kernels

KERNELS = kernels("valor_text._kernels")
"""Chosen kernels; `valor doctor` prints the choice."""
