"""Base configs: ``extends: base.yaml`` merges a config into those it names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from attrs import field, frozen
from valor_report.gallery.parameters import GalleryParameters

from valor_cli.config.modules import registry_with
from valor_cli.config.paths import (
    Move,
    each_text,
    moved_paths,
    moved_requirements,
    moved_resource,
    path_from,
)
from valor_cli.config.reading.files import parse
from valor_cli.config.reading.overrides import SHORT
from valor_cli.config.schema import RunConfig
from valor_core.errors import ConfigError, ValorError, did_you_mean_file, short_repr
from valor_core.parameters import parameters_of
from valor_core.parameters.environment import fill_in
from valor_core.specs import GallerySpec, ReaderSpec, Registry, ResourceSpec
from valor_core.specs.lookup import meaning_of
from valor_core.specs.names import folded_name

_SYNONYMS = tuple({one.name, *one.aliases} for one in parameters_of(RunConfig) if one.aliases)
_MOST_BASES = 100


@frozen
class ExtendedConfig:
    """Config merged with its bases.

    Parameters
    ----------
    merged : mapping
        Built-in types without the key ``extends``; strings of bases are `FromBase`.
    folder : Path
        Folder that relative paths of `values` start from.
    bases : tuple of Path
        Files that were merged, outermost first.
    """

    merged: Mapping[str, Any]
    folder: Path = field(factory=Path)
    bases: tuple[Path, ...] = field(default=())

    @property
    def values(self) -> Mapping[str, Any]:
        """The merged config with paths relative to `folder`."""
        return self.finished(self.merged)

    def finished(self, merged: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a config made from `merged`, with paths relative to `folder`."""
        if not self.bases:
            return merged
        if any(not _is_same(base.parent, self.folder) for base in self.bases):
            merged = _moved(merged, self.folder)
        return dict(each_text(merged, str))


def with_bases(
    values: Mapping[str, Any], folder: Path, place: str, file: Path | None = None
) -> ExtendedConfig:
    """Merge a config with the files it extends.

    Keys of the config win over those of its bases, and later bases over earlier ones. Tables are
    merged key by key; lists and other values are replaced. A table that names another reader,
    engine or metric is replaced too, since its parameters belong to the former one.

    Parameters
    ----------
    values : mapping
        Content of the config.
    folder : Path
        Folder that its relative paths start from. Paths of bases are rewritten relative to it.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.
    file : Path, optional
        The config file, which a base must not extend again.

    Raises
    ------
    ConfigError
        If a base is missing, cannot be parsed, or extends itself, or `extends` is no path.

    Examples
    --------
    >>> with_bases({"metrics": ["F1"]}, Path(), "config.yaml: ").bases
    ()
    """
    if "extends" not in values:
        return ExtendedConfig(values, folder)
    found: list[Path] = []
    outermost = () if file is None else (file,)
    merged = _collected(values, folder, place, outermost, found)
    return ExtendedConfig(merged, folder, tuple(found))


class FromBase(str):
    """String of a base config, with the folder that it is relative to if it is a path.

    Examples
    --------
    >>> FromBase.of("a.csv", Path("bases")).folder.name
    'bases'
    """

    folder: Path

    @classmethod
    def of(cls, text: str, folder: Path) -> Self:
        """Return a text with its folder."""
        made = cls(text)
        made.folder = folder
        return made


def _collected(
    values: Mapping[str, Any],
    folder: Path,
    place: str,
    extending: tuple[Path, ...],
    found: list[Path],
) -> dict[str, Any]:
    """Return a config merged with all its bases, whose strings are marked with their folder."""
    merged: dict[str, Any] = {}
    for name in _names(values["extends"], place) if "extends" in values else ():
        base = folder / name
        if any(_is_same(base, one) for one in extending):
            chain = " extends ".join(map(str, (*extending, base)))
            raise ConfigError(
                f"{place}extends: expected a config that does not extend itself, {chain}",
                f"Remove extends from {extending[-1]}, or name another file.",
            )
        if not base.is_file():
            raise ConfigError(f"{place}extends: no such file: {base}", did_you_mean_file(base))
        found.append(base)
        if len(found) > _MOST_BASES:
            raise ConfigError(f"{place}extends: expected at most {_MOST_BASES} files, found more")
        marked = each_text(parse(base), partial(FromBase.of, folder=base.parent))
        more = _collected(marked, base.parent, f"{base}: ", (*extending, base), found)
        merged = merge(merged, more)
    return merge(merged, {key: one for key, one in values.items() if key != "extends"})


def _names(value: Any, place: str) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    filled: list[Any] = fill_in(
        [str(one) if isinstance(one, str) else one for one in listed], f"{place}extends"
    )
    if not filled or not all(isinstance(one, str) and one for one in filled):
        raise ConfigError(
            f"{place}extends must be a path or a list of paths, got {short_repr(value)}",
            "Write it as: extends: base.yaml",
        )
    return filled


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with the keys of both; values of `over` win, and tables in both are merged.

    Examples
    --------
    >>> merge({"data": {"reader": "wide", "path": "a.csv"}}, {"data": {"path": "b.csv"}})
    {'data': {'reader': 'wide', 'path': 'b.csv'}}
    """
    given = {alias for names in _SYNONYMS if names & over.keys() for alias in names - over.keys()}
    merged = {key: value for key, value in base.items() if key not in given}
    for key, value in over.items():
        below: Any = merged.get(key)
        if isinstance(below, str) and isinstance(value, Mapping) and key in SHORT:
            below = {SHORT[key]: below}
        is_merged = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = merge(below, value) if is_merged and not _differ(below, value) else value
    return merged


def _differ(base: Mapping[str, Any], over: Mapping[str, Any]) -> bool:
    """Return whether two tables name different readers, engines or clients."""
    return any(
        key in base and key in over and folded_name(str(base[key])) != folded_name(str(over[key]))
        for key in ("reader", "name")
    )


def _moved(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Rewrite the paths in a merged config relative to its folder.

    Sections with unknown names stay unchanged; later checks report them.
    """

    def move(text: str) -> str:
        if not isinstance(text, FromBase) or os.path.isabs(text) or text.startswith("~"):
            return text
        return path_from(folder, text.folder / text)

    def move_found(text: str) -> str:
        is_found = isinstance(text, FromBase) and (text.folder / text).exists()
        return move(text) if is_found else text

    moved = moved_paths(values, RunConfig, move)
    if "require" in moved:
        moved["require"] = moved_requirements(moved["require"], move)
    with suppress(ValorError):
        registry = _registry(moved, folder)
        _move_names(moved, registry, move, move_found)
    return moved


def _registry(values: Mapping[str, Any], folder: Path) -> Registry:
    modules, plugins = values.get("modules") or (), values.get("plugins")
    paths = modules if isinstance(modules, list) else [modules] if modules else []
    return registry_with(
        [folder / str(path) for path in paths], plugins if isinstance(plugins, Mapping) else {}
    )


def _move_names(
    values: dict[str, Any],
    registry: Registry,
    move: Move,
    move_found: Move,
) -> None:
    """Rewrite the paths in parameters of the reader, metrics, resources and the gallery."""
    task, data = values.get("task"), values.get("data")
    if isinstance(data, Mapping) and isinstance(data.get("reader"), str):
        with suppress(ValorError):
            reader = registry.find(ReaderSpec, data["reader"], task)
            values["data"] = moved_paths(data, reader.parameter_class, move)
    for key in ("metrics", "metrics_to_return"):
        chosen = values.get(key)
        if isinstance(chosen, list):
            values[key] = [_moved_metric(one, task, registry, move_found) for one in chosen]
    for resource in registry.all(ResourceSpec):
        section = values.get(resource.short_name)
        if isinstance(section, Mapping):
            values[resource.short_name] = moved_resource(section, resource, registry, move)
    gallery = values.get("gallery")
    if isinstance(gallery, Mapping):
        classes = [GalleryParameters, *(one.parameter_class for one in registry.all(GallerySpec))]
        for cls in classes:
            values["gallery"] = moved_paths(values["gallery"], cls, move)


def _moved_metric(choice: Any, task: Any, registry: Registry, move: Move) -> Any:
    if not isinstance(choice, Mapping) or not isinstance(choice.get("name"), str):
        return choice
    with suppress(ValorError):
        spec = meaning_of(choice["name"], registry, task).spec
        return moved_paths(choice, spec.parameter_class, move)
    return choice


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()
