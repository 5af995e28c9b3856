"""Task schemas: items and columnar batches.

Each task has items that people type and a batch of columns that states read; a
`valor_core.specs.TaskSpec` names both.
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)


VERSION = 1
"""Raised when the same data can become other columns; a saved state is bound to it."""
