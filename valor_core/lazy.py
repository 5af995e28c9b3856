"""Lazy packages, whose names are imported on first use, and names of earlier versions.

The stub of a package, ``__init__.pyi``, lists its names and their modules for type checkers and
for `lazy_exports`, so that they are written once. ``moved_names.toml`` lists the names that were
moved, renamed or removed.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from valor_core.errors import RegistryError

_IMPORT: Final = re.compile(r"^from (\S+) import (\([^)]*\)|[^\n]+)", re.MULTILINE)
_CANNOT_IMPORT: Final = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_NO_FIELD: Final = re.compile(r"unexpected keyword argument '(\w+)'")


def lazy_exports(
    package: str,
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package with a stub.

    Parameters
    ----------
    package : str
        Name of the package, which is being imported.

    Raises
    ------
    RegistryError
        By ``__getattr__``, for a name that the package had in an earlier version.

    Examples
    --------
    >>> import valor_core.schemas.text
    >>> names, get, listed = lazy_exports("valor_core.schemas.text")
    >>> names, get("Text").__name__
    (['Text', 'TextBatch'], 'Text')
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
        if name not in homes:
            # `from … import submodule` comes here, too. An AttributeError would lose its text.
            is_module = find_spec(f"{package}.{name}") is not None
            if not is_module and not name.startswith("_") and (moved := moved_error(package, name)):
                raise moved
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = members[name] = getattr(importlib.import_module(homes[name]), name)
        return found

    def listed() -> list[str]:
        return sorted({*members, *homes})

    return sorted(homes), get, listed


@lru_cache(maxsize=1)
def moved_names() -> Mapping[str, Mapping[str, Any]]:
    """Content of ``moved_names.toml``, which describes its tables."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("moved_names.toml").read_text(encoding="utf-8"))


def new_place(module: str, name: str) -> tuple[str, str] | None:
    """Return the module and the name now, or None if the name was not moved.

    Examples
    --------
    >>> new_place("valor_core.plugin", "Told")
    ('valor_core.results', 'MetricDetails')
    """
    found = moved_names()["names"].get(module, {}).get(name)
    if found is not None:
        target, _, renamed = found.partition(":")
        return target, renamed or name
    parts = module.split(".")
    for length in range(len(parts), 1, -1):
        package = moved_names()["modules"].get(".".join(parts[:length]))
        if package is not None:
            return new_place(package, name) or (package, name)
    return None


def moved_error(module: str, name: str) -> RegistryError | None:
    """Return the error for a name that a module had in an earlier version."""
    removed = moved_names()["removed"].get(f"{module}.{name}")
    if removed is not None:
        return RegistryError(f"{module}.{name}: not in this version", removed)
    place = new_place(module, name)
    if place is None:
        return None
    target, renamed = place
    moved = "renamed" if target == module else f"moved to {target}"
    moved += f", called {renamed}" if renamed != name else ""
    return RegistryError(f"{module}.{name}: {moved}", f"Write: from {target} import {renamed}")


def migration_hint(error: BaseException) -> str | None:
    """Return the remedy for code that uses a name or a field of an earlier version.

    Examples
    --------
    >>> migration_hint(ImportError("cannot import name 'shown' from 'valor_core.errors' (…)"))
    'Write: from valor_core.errors import short_repr'
    """
    if isinstance(error, TypeError) and (field := _NO_FIELD.search(str(error))):
        hint: str | None = moved_names()["fields"].get(field[1])
        return hint
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("valor_core."):
        return "Print the imports to change with: valor doctor --migrate FOLDER"
    if isinstance(error, ImportError) and (found := _CANNOT_IMPORT.search(str(error))):
        moved = moved_error(found[2], found[1])
        return None if moved is None else moved.remedy
    return None
