"""Conversion, overlaps, pixels and validity of shapes."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
