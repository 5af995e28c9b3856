"""Scanners, records and ids of COCO's JSON."""

from importlib import import_module
from typing import Any

from valor_core.lazy import lazy_exports
from valor_detection.kernels import KERNELS

__all__, _exported, __dir__ = lazy_exports(__name__)


def __getattr__(name: str) -> Any:
    if name == "scan" and KERNELS.library is not None:  # the stub names the reference
        return import_module(f"{__name__}.compiled_scanner").scan
    return _exported(name)
