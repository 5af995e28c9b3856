"""Kernels in C, called through ctypes."""
