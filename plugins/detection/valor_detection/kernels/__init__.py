"""Inner loops: compiled where the package was built with a compiler, NumPy where not.

Both have the same functions with the same results to the last bit. Each module here picks one
of the two; nothing outside this package knows which one runs.
"""

from valor_core.kernels import kernels

KERNELS = kernels("valor_detection._kernels")
"""What runs; `valor doctor` prints it."""
