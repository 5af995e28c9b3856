"""Paths in configs: found by the declarations of parameters, and rewritten for another folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from valor_report.baselines import BaselineParameters

from valor_core.errors import ValorError
from valor_core.parameters import parameters_of
from valor_core.specs import Registry, ResourceSpec

Move = Callable[[str], str]


def moved_paths(
    section: Mapping[str, Any], cls: type, move: Callable[[str], Any]
) -> dict[str, Any]:
    """Apply `move` to the values of a config section that its parameter class types as paths."""
    kinds = {
        name: entry.kind
        for entry in parameters_of(cls)
        if entry.kind.has_paths
        for name in (entry.name, *entry.aliases)
    }
    return {
        key: each_text(value, lambda text: text if text.startswith("${env:") else move(text))
        if key in kinds and kinds[key].holds_paths(value)
        else value
        for key, value in section.items()
    }


def moved_requirements(require: Any, move: Move) -> Any:
    """Apply `move` to the paths of earlier reports in a section ``require``."""
    if not isinstance(require, Mapping):
        return require
    return {
        name: moved_paths(one, BaselineParameters, move) if isinstance(one, Mapping) else one
        for name, one in require.items()
    }


def each_text(value: Any, change: Callable[[str], Any]) -> Any:
    """Apply a function to all strings in a value of a config.

    Examples
    --------
    >>> each_text({"paths": ["a.csv", 3]}, str.upper)
    {'paths': ['A.CSV', 3]}
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [each_text(item, change) for item in value]
    if isinstance(value, Mapping):
        return {key: each_text(item, change) for key, item in value.items()}
    return value


def moved_resource(
    section: Mapping[str, Any], spec: ResourceSpec, registry: Registry, move: Move
) -> dict[str, Any]:
    """Apply `move` to the paths in the section of a resource, its instances and its kinds."""
    entries = parameters_of(spec.parameter_class)
    own = {spec.kinds, *(name for one in entries for name in (one.name, *one.aliases))}
    if not own & section.keys() and all(isinstance(one, Mapping) for one in section.values()):
        return {
            name: moved_resource(one, spec, registry, move) if one else one
            for name, one in section.items()
        }
    moved = moved_paths(section, spec.parameter_class, move)
    chosen = None if spec.kinds is None else moved.get(spec.kinds)
    if isinstance(chosen, Mapping):
        moved[str(spec.kinds)] = _moved_kind(chosen, spec, registry, move)
    elif isinstance(chosen, list):
        moved[str(spec.kinds)] = [_moved_kind(one, spec, registry, move) for one in chosen]
    return moved


def _moved_kind(chosen: Any, spec: ResourceSpec, registry: Registry, move: Move) -> Any:
    if isinstance(chosen, Mapping) and isinstance(chosen.get("name"), str):
        with suppress(ValorError):
            kind = registry.resource_kind(chosen["name"], spec)
            return moved_paths(chosen, kind.parameter_class, move)
    return chosen


def path_from(home: Path, path: Path) -> str:
    """Return a path relative to the folder `home`."""
    try:
        return Path(os.path.relpath(path.resolve(), home.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()
