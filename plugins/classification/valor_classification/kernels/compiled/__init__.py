"""Kernels in C, called through ctypes: these modules allocate and check the arrays."""
