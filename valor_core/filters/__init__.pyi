from valor_core.filters.expression import Filter

__all__ = [
    "Filter",
]
