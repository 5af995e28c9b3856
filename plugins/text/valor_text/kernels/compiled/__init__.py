"""The kernels in C, called through ctypes: arrays are made and checked here, and worked on there.

Each function answers what the one of its name in `numeric` does.
"""

from valor_text.kernels.compiled.alignments import alignments
from valor_text.kernels.compiled.edits import edit_counts, edit_sequences
from valor_text.kernels.compiled.ngrams import common_ngrams
from valor_text.kernels.compiled.shifts import shifted_edits
from valor_text.kernels.compiled.stems import stems
from valor_text.kernels.compiled.subsequences import lines_in_common, longest_common
from valor_text.kernels.compiled.tokens import runs, vocabulary

__all__ = [
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
