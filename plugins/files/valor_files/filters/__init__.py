"""Filters: expressions over metadata that select the datums to evaluate."""

from valor_files.filters.expression import Filter

__all__ = ["Filter", "parse"]

parse = Filter.parse
"""Parser that `valor_core` finds by its entry point."""
