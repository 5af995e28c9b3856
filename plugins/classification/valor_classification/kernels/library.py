"""The library that the build makes of `kernels.c`, if it did."""

from valor_core.kernels import kernels

KERNELS = kernels("valor_classification._kernels")
"""Which of the two sets of kernels runs, and why."""
