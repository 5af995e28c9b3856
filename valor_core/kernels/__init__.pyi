from valor_core.kernels.compiled import Kernels, load_kernels
from valor_core.kernels.threads import (
    Span,
    in_threads,
    map_spans,
    spans_of_equal_cost,
    thread_count,
)

__all__ = [
    "Kernels",
    "Span",
    "in_threads",
    "load_kernels",
    "map_spans",
    "spans_of_equal_cost",
    "thread_count",
]
