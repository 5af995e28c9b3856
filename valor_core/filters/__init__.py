"""Filters: expressions over metadata that select the datums to evaluate."""

from valor_core.filters.expression import Filter

__all__ = ["Filter"]
