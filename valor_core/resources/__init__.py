"""Resources of metrics, such as judges: bound to parameters and opened once per process."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
