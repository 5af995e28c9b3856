"""Valor: evaluation metrics chosen by name, each family a plugin of its own.

Users call these names; plugins are built on `valor_core.specs` and the packages beside it.

Examples
--------
>>> import valor_core
>>> "core" in valor_core.Registry().namespaces
True
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
