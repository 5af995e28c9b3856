"""Text comparison metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_text_generation` is the one-call
function in the style of the metrics documentation.
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
