"""The compiled kernels, bound by ctypes."""
