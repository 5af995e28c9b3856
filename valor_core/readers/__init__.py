"""Readers: partitions of a source, and the reader of the `data` argument."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
