"""The four abilities of the Retrieval-Augmented Generation Benchmark.

The metrics are selected by name through `valor_core`; the four ``evaluate_…`` functions take the
arguments of RGBMetrics, and five functions check one response as its evaluator does.
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
