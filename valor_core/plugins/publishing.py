"""Publishing: how a module offers names of others that are imported when they are asked for."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from valor_core.errors import RegistryError

_NONE: Final[Mapping[str, str]] = {}


def imported(module: str) -> ModuleType:
    """A module, during whose import Python does not look for garbage.

    What an import makes is none, and to look through it again and again takes a sixth of the time.
    Afterwards it belongs to the oldest generation, as if it had been looked through.

    Parameters
    ----------
    module : str
        Its name.

    Examples
    --------
    >>> imported("json").__name__
    'json'
    """
    if module in sys.modules:
        return importlib.import_module(module)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # what others froze stays frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()


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
        found = own[name] = getattr(imported(homes[name]), name)
        return found

    def listed() -> list[str]:
        return sorted({*own, *homes})

    return get, listed
