from valor_core.kernels.compiled import array, kernels
from valor_core.kernels.threads import Span, in_threads, over, shares, thread_count

__all__ = ["Span", "array", "in_threads", "kernels", "over", "shares", "thread_count"]
