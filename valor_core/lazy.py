"""Lazy packages: names are imported from their modules when they are first used.

The stub of a package, ``__init__.pyi``, lists its names and their modules for type checkers and
for `lazy_exports`, so that they are written once.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from valor_core.errors import RegistryError

_NONE: Final[Mapping[str, str]] = {}
_IMPORT: Final = re.compile(r"^from (\S+) import (\([^)]*\)|[^\n]+)", re.MULTILINE)


def lazy_exports(
    package: str, replaced: Mapping[str, str] = _NONE
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package with a stub.

    Parameters
    ----------
    package : str
        Name of the package, which is being imported.
    replaced : mapping of str to str, optional
        Names of earlier versions, each with the remedy of the `RegistryError` that it raises.

    Examples
    --------
    >>> names, get, listed = lazy_exports("valor_core.filters")
    >>> names, get("Filter").__name__
    (['Filter'], 'Filter')
    """
    spec: Any = sys.modules[package].__spec__
    stub = spec.loader.get_data(spec.origin.removesuffix(".py") + ".pyi").decode()
    homes = {
        name: module
        for module, names in _IMPORT.findall(stub)
        for name in re.findall(r"\w+", names)
    }
    members = vars(sys.modules[package])

    def get(name: str) -> Any:
        if name in replaced:  # an AttributeError would lose its text in `from … import`
            raise RegistryError(f"{package}.{name}: not in this version", replaced[name])
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = members[name] = getattr(importlib.import_module(homes[name]), name)
        return found

    def listed() -> list[str]:
        return sorted({*members, *homes})

    return sorted(homes), get, listed
