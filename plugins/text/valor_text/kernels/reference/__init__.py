"""Reference implementation in Python and NumPy; the compiled kernels must equal it."""
