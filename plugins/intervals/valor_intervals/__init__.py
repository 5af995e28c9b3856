"""Confidence intervals, paired tests and comparisons of reports."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
