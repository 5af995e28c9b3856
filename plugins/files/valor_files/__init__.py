"""Tables of records in files and in memory, and detection of their reader and task.

Examples
--------
>>> from valor_files import Table
>>> Table({"score": ["0.5"]}, "preds.csv").floats("score")
array([0.5])
"""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
