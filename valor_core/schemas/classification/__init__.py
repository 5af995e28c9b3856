"""Classification: labels of items, against labels or scores of labels."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
