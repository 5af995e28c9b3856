"""Metric modules: Python files whose decorated metrics a config names."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from valor_core.errors import ConfigError
from valor_core.specs import MetricSpec, Registry

_decorated: set[str] = set()
"""Names of the modules that `decorated` has imported, which it may import again."""


def decorated(path: Path) -> list[MetricSpec]:
    """The metrics that a Python file makes with the decorator; imports the file.

    Raises
    ------
    ConfigError
        If there is no such file or it cannot be imported.
    """
    if not path.is_file():
        raise ConfigError(f"modules: there is no file {path}")
    name = path.stem
    if name in sys.modules and name not in _decorated:
        raise ConfigError(
            f"modules: {path} is named like the module {name!r}, which is loaded already",
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
    except (Exception, SystemExit) as error:  # a script may end itself where it is imported
        sys.modules.pop(name, None)
        raise ConfigError(
            f"modules: {path} cannot be imported, {type(error).__name__}: {error}"
        ) from error
    return [value for value in vars(module).values() if isinstance(value, MetricSpec)]


def registry_with(modules: Iterable[Path], plugins: Mapping[str, str] | None = None) -> Registry:
    """Registry of installed plugins and of the metrics that Python files declare.

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
