"""Scoring of items: rows, resources and asynchronous metrics."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
