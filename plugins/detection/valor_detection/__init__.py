"""Object detection and instance segmentation metrics for Valor.

`valor_core` selects metrics by name. `from_arrays`, `from_supervision` and `from_torchvision` build
batches from arrays and detector outputs. `evaluate_detection` has the arguments of Valor's metrics
documentation.
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
