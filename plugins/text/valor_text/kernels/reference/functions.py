"""Kernels in Python and NumPy: reference implementation, also used without a compiler."""

from valor_text.kernels.reference.alignments import alignments
from valor_text.kernels.reference.edits import edit_counts, edit_sequences
from valor_text.kernels.reference.ngrams import common_ngrams
from valor_text.kernels.reference.shifts import shifted_edits
from valor_text.kernels.reference.stems import stems
from valor_text.kernels.reference.subsequences import lines_in_common, longest_common
from valor_text.kernels.reference.tokens import runs, vocabulary

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
