"""Publishing: how a module offers names of others that are imported when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from valor_core.errors import RegistryError

_NONE: Final[Mapping[str, str]] = {}


def published_later(
    module: str, names: Mapping[str, Sequence[str]], replaced: Mapping[str, str] = _NONE
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module that imports what it publishes when it is asked.

    Parameters
    ----------
    module : str
        Its name.
    names : mapping of str to sequence of str
        What it publishes, by the modules of its package that define it.
    replaced : mapping of str to str, optional
        Names of earlier versions, with the remedy that a `RegistryError` gives.
    """
    package = module.partition(".")[0]
    homes = {name: f"{package}.{home}" for home, defined in names.items() for name in defined}
    own = vars(sys.modules[module])

    def get(name: str) -> Any:
        if name in replaced:  # an AttributeError would lose its text in `from … import`
            raise RegistryError(f"{module}.{name}: not in this version", replaced[name])
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = own[name] = getattr(import_module(homes[name]), name)
        return found

    def listed() -> list[str]:
        return sorted({*own, *homes})

    return get, listed
