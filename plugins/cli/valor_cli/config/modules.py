"""Plugins of one file: Python files with hooks or decorated functions, without a package.

A config lists them under ``modules``, a command line with the option ``--module``.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import isroutine
from pathlib import Path
from shlex import quote
from traceback import walk_tb
from types import ModuleType
from typing import Any

from valor_core.errors import (
    ConfigError,
    ManifestError,
    ValorError,
    did_you_mean_file,
    error_at,
)
from valor_core.lazy import migration_hint
from valor_core.specs import MetricSpec, Registry
from valor_core.specs.spec import KINDS

_HOOKS = (*(f"valor_{kinds}" for kinds in KINDS), "valor_kernels")
_HOOK_MARK = "valor_impl"
"""Attribute of functions decorated with `hookimpl`."""
_FORMAT_MARK = "valor_format"
"""Attribute of functions decorated with `report_format`."""

_imported: dict[str, tuple[Path, int, int]] = {}
"""Files imported by `import_file`, with time and size, by the names of their modules."""


def import_file(path: Path) -> ModuleType:
    """Import a Python file, again if it has changed; later processes find it by its name.

    Raises
    ------
    ConfigError
        If the file does not exist or cannot be imported.
    """
    if not path.is_file():
        raise ConfigError(
            f"modules: {path}: no such file",
            did_you_mean_file(path) or f"See the files there with: ls {quote(str(path.parent))}",
        )
    name, facts = path.stem, path.stat()
    version = path.resolve(), facts.st_mtime_ns, facts.st_size
    if name in sys.modules and _imported.get(name) == version:
        return sys.modules[name]
    if name in sys.modules and name not in _imported:
        raise ConfigError(
            f"modules: {path} has the name of the loaded module {name!r}",
            "Rename the file.",
        )
    try:
        # Worker processes import the file by its name: its folder must be the first with this name.
        folder = str(path.resolve().parent)
        sys.path[:] = [folder, *(one for one in sys.path if one != folder)]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ConfigError(
                f"modules: {path}: expected a Python file, got {path.suffix or 'no suffix'}",
                "List files in .py under modules, and files of data under data.",
            )
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        _imported[name] = version
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script may call sys.exit on import
        sys.modules.pop(name, None)
        if isinstance(error, ConfigError):
            raise
        if isinstance(error, ValorError):
            raise error.at(f"modules: {path} cannot be imported, ") from error
        line = _line_of(error, path)
        place = f"{path}, line {line}" if line else str(path)
        raise ConfigError(
            f"modules: {place}: cannot be imported, {type(error).__name__}: "
            f"{error.msg if isinstance(error, SyntaxError) else error}",
            migration_hint(error) or f"Show the traceback with: python {quote(str(path))}",
        ) from error
    return module


def _line_of(error: BaseException, path: Path) -> int | None:
    """Return the line of a file that raised an error on import, or None."""
    file = path.resolve()
    if isinstance(error, SyntaxError) and Path(error.filename or "").resolve() == file:
        return error.lineno
    lines = [
        line
        for frame, line in walk_tb(error.__traceback__)
        if Path(frame.f_code.co_filename).resolve() == file
    ]
    return lines[-1] if lines else None


def registry_with(modules: Iterable[Path], plugins: Mapping[str, str] | None = None) -> Registry:
    """Return a registry of the installed plugins and the plugins of one file.

    Parameters
    ----------
    modules : iterable of Path
        The files.
    plugins : mapping of str to str, optional
        Which distribution to use for a namespace that several claim.

    Raises
    ------
    ConfigError
        If a file cannot be imported.
    RegistryError
        If a file declares nothing, a hook is invalid, or a namespace or name is taken.
    """
    registry = Registry(plugins or {})
    add_modules(modules, registry)
    return registry


def add_modules(modules: Iterable[Path | ModuleType], registry: Registry) -> tuple[str, ...]:
    """Register plugins of one file and return their namespaces, sorted.

    Parameters
    ----------
    modules : iterable of Path or module
        The files, or their imported modules.
    registry : Registry
        Registry that gets their components.

    Raises
    ------
    ConfigError
        If a file cannot be imported.
    RegistryError
        If a file declares nothing, a hook is invalid, or a namespace or name is taken.
    """
    imported = {
        str(each.__file__ if isinstance(each, ModuleType) else each): each
        if isinstance(each, ModuleType)
        else import_file(each)
        for each in modules
    }
    namespaces: set[str] = set()
    for path, module in imported.items():
        with error_at(f"modules: {path}: "):
            namespaces.update(_register(module, registry))
    for path, module in imported.items():
        with error_at(f"modules: {path}: "):
            for spec in _decorated(module):
                registry.add(spec)
                namespaces.add(spec.namespace)
    return tuple(sorted(namespaces))


def _register(module: ModuleType, registry: Registry) -> Iterator[str]:
    """Register the hooks of a file; yield the namespace of the names that they declare."""
    for name in _HOOKS:
        if isroutine(value := vars(module).get(name)) and not hasattr(value, _HOOK_MARK):
            raise ManifestError(
                f"expected {name} to be decorated, found an undecorated function",
                "Decorate it with: @valor_core.specs.hookimpl",
            )
    functions = [value for value in vars(module).values() if isroutine(value)]
    hooks = [function for function in functions if hasattr(function, _HOOK_MARK)]
    if hooks:
        namespace = _namespace(hooks, module.__name__)
        registry.register(namespace, module, Path(str(module.__file__)).name, "")
        yield namespace
    elif not _decorated(module) and not any(hasattr(each, _FORMAT_MARK) for each in functions):
        raise ManifestError(
            "expected metrics or hooks, found none",
            f'Decorate a metric with @valor_core.metric("{module.__name__}.Name", task="text"), a '
            "report format with @valor_core.results.report_format, or a hook with "
            f"@valor_core.specs.hookimpl. Hooks are {', '.join(_HOOKS)}.",
        )


def _namespace(hooks: Iterable[Callable[[], Any]], default: str) -> str:
    """Return the namespace of the first name that the hooks declare.

    Errors of the hooks are ignored here: registering the manifest raises them with their place.
    """
    for hook in hooks:
        try:
            for spec in hook():
                return str(spec.namespace)
        except Exception:
            continue
    return default


def _decorated(module: ModuleType) -> list[MetricSpec]:
    return [value for value in vars(module).values() if isinstance(value, MetricSpec)]
