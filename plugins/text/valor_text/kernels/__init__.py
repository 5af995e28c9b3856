"""Inner loops, compiled or in Python, with identical results.

Modules outside this package import `functions` from it and do not know which implementation runs.
Texts are columns of code points, then of tokens: indices of words in a vocabulary.
"""

from typing import TYPE_CHECKING

from valor_core.kernels import load_kernels

KERNELS = load_kernels("valor_text._kernels")
"""Implementation in use; `valor doctor` prints it."""

if TYPE_CHECKING:
    from valor_text.kernels.reference import functions

    __all__ = ["KERNELS", "functions"]
else:
    __getattr__ = KERNELS.chooser(__name__, "functions")
