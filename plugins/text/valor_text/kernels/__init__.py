"""Inner loops of the text metrics: flat arrays in, flat arrays out.

Texts are columns of code points, then of tokens, which are indices of words in a vocabulary. Every
kernel has two implementations with equal results: compiled, and in Python and NumPy for
environments without a compiler. `numeric` documents arguments and results.
"""

from valor_text.kernels.library import KERNELS
from valor_text.kernels.values import CharacterKinds, Characters, Spans

if KERNELS.library is None:
    from valor_text.kernels.numeric import (
        alignments,
        common_ngrams,
        edit_counts,
        edit_sequences,
        lines_in_common,
        longest_common,
        runs,
        shifted_edits,
        stems,
        vocabulary,
    )
else:
    from valor_text.kernels.compiled import (
        alignments,
        common_ngrams,
        edit_counts,
        edit_sequences,
        lines_in_common,
        longest_common,
        runs,
        shifted_edits,
        stems,
        vocabulary,
    )

__all__ = [
    "KERNELS",
    "CharacterKinds",
    "Characters",
    "Spans",
    "alignments",
    "common_ngrams",
    "edit_counts",
    "edit_sequences",
    "lines_in_common",
    "longest_common",
    "runs",
    "shifted_edits",
    "stems",
    "vocabulary",
]
