"""Inner loops of the text metrics: flat arrays in, flat arrays out.

Texts are columns of code points, then of tokens: numbers of words in a vocabulary. Every kernel
is there twice, with the same answers: compiled, and in plain Python and NumPy for where no
compiler was. `numeric` says what each is given and finds.
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
