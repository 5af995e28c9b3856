"""Metrics of Valor in other programs, one module for each program.

Importing this package imports neither `valor_core` nor a host, so that pytest starts as fast as
without its plugin.

Examples
--------
>>> from valor_hosts import scorer
>>> scorer("F1", average="macro")
scorer('F1', average='macro')
"""

from typing import Any


def __getattr__(name: str) -> Any:
    from valor_core.lazy import lazy_exports

    names, get, _ = lazy_exports(__name__)
    return names if name == "__all__" else get(name)
