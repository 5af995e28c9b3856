"""Library: the compiled kernels of this family, or why NumPy runs."""

from valor_core.kernels import kernels

KERNELS = kernels("valor_text._kernels")
"""What runs; `valor doctor` prints it."""
