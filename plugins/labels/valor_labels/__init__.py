"""Metrics over labels: their states and values, and the calls and annotations of 2024."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
