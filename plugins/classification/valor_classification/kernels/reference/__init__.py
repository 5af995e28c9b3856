"""Reference implementation in NumPy; the compiled kernels must equal it to the last bit."""
