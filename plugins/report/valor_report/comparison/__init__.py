"""Comparison of reports: differences, items that changed, slices that moved, and ranks."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
