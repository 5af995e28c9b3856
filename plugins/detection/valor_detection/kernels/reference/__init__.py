"""The same kernels in NumPy, for installations without a compiler."""
