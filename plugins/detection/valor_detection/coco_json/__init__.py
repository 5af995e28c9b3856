"""Scanners, records and ids of COCO's JSON."""

from valor_core.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
