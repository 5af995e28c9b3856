"""Object detection and instance segmentation metrics for Valor.

The metrics are chosen by name through `valor_core`; `from_arrays`, `from_supervision` and
`from_torchvision` make batches of what is in memory, and `evaluate_detection` is the one-call
function in the style of the metrics documentation.
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
