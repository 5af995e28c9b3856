"""Metric modules: Python files with decorated metrics, listed under ``modules`` in a config."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from valor_core.errors import ConfigError
from valor_core.specs import MetricSpec, Registry

_decorated: set[str] = set()
"""Names of modules imported by `decorated`, which may be imported again."""


def decorated(path: Path) -> list[MetricSpec]:
    """Import a Python file and return its decorated metrics.

    Raises
    ------
    ConfigError
        If the file does not exist or cannot be imported.
    """
    if not path.is_file():
        raise ConfigError(f"modules: {path}: no such file")
    name = path.stem
    if name in sys.modules and name not in _decorated:
        raise ConfigError(
            f"modules: {path} has the name of the loaded module {name!r}",
            "Rename the file.",
        )
    try:
        if str(path.parent) not in sys.path:
            sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError("not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        _decorated.add(name)
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script may call sys.exit on import
        sys.modules.pop(name, None)
        raise ConfigError(
            f"modules: {path} cannot be imported, {type(error).__name__}: {error}"
        ) from error
    return [value for value in vars(module).values() if isinstance(value, MetricSpec)]


def registry_with(modules: Iterable[Path], plugins: Mapping[str, str] | None = None) -> Registry:
    """Return a registry of the installed plugins and the metrics declared in Python files.

    Parameters
    ----------
    modules : iterable of Path
        The files.
    plugins : mapping of str to str, optional
        Which distribution to use for a namespace that several claim.
    """
    registry = Registry(plugins or {})
    for module in modules:
        for spec in decorated(module):
            registry.add(spec)
    return registry
