from valor_core.kernels.compiled import kernels
from valor_core.kernels.threads import Span, in_threads, over, shares, thread_count

__all__ = ["Span", "in_threads", "kernels", "over", "shares", "thread_count"]
