"""Runs: ``runs:`` expands a config into several runs that share settings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from math import prod
from pathlib import PurePosixPath
from typing import Any

from attrs import frozen

from valor_cli.config.reading.bases import FromBase, merge
from valor_cli.config.reading.overrides import PATH, put
from valor_cli.config.schema import RunConfig
from valor_core.errors import ConfigError, and_more, did_you_mean, short_repr
from valor_core.parameters import parameters_of
from valor_core.specs.names import in_config

KEY = "runs"
MATRIX = "matrix"
OUTPUTS = ("output", "flat", "items", "state", "gallery")
"""Keys of output files, whose names contain the name of the run."""
_RUN = "run"
_MOST = 1000
_LISTED = 20
_UNSAFE = re.compile(r"[^\w.+=-]+")
_LAST_PART = re.compile(r"[^/\\]+(?=[/\\]*$)")
"""Name of a file or folder in a path of any system."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_WRITE_AS = "Write it as: runs: {small: {data.path: small.csv}, large: {data.path: large.csv}}"

Values = dict[str, Any]


@frozen
class Run:
    """One run of a config.

    Parameters
    ----------
    name : str
        Name, which is also part of the names of its files.
    overrides : tuple of (str, mapping)
        Locations and tables of the settings that differ. Keys may be paths, as for ``--set``.
    placeholders : mapping
        Values of ``{run}`` and of each axis of a matrix.
    """

    name: str
    overrides: tuple[tuple[str, Mapping[str, Any]], ...]
    placeholders: Mapping[str, Any]


def runs_of(section: Any, place: str) -> tuple[Run, ...]:
    """Return the runs of a section ``runs``: a list, a table, or a matrix of these.

    Parameters
    ----------
    section : object
        Value of the key ``runs``.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.

    Raises
    ------
    ConfigError
        If the section has another form, or two runs have the same name.

    Examples
    --------
    >>> [run.name for run in runs_of(["small", {"name": "large", "filter": "a == 1"}], "")]
    ['small', 'large']
    >>> axes = {"model": ["small", "large"], "setting": {"strict": {"filter": "hard == 1"}}}
    >>> [run.name for run in runs_of({"matrix": axes}, "")]
    ['small-strict', 'large-strict']
    """
    where = f"{place}{KEY}"
    if isinstance(section, Mapping) and MATRIX in section:
        others = [str(key) for key in section if key != MATRIX]
        if others:
            raise ConfigError(
                f"{where}: expected matrix alone, got also {others[0]}",
                "List the values of an axis under matrix, such as model: [small, large]",
            )
        found = _matrix(section[MATRIX], f"{where}.{MATRIX}")
    else:
        if isinstance(section, Mapping):
            _check_no_misspelt_matrix(section, where)
        found = [
            Run(name, ((f"{where}.{name}: ", table),) if table else (), {_RUN: value})
            for name, value, table in _axis(section, where)
        ]
    names = [run.name for run in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{where}: expected different names, got {twice!r} twice", _WRITE_AS)
    return tuple(found)


def _check_no_misspelt_matrix(section: Mapping[Any, Any], where: str) -> None:
    """Raise a `ConfigError` for axes under a misspelt key, which would be the name of a run."""
    known = {one.name for one in parameters_of(RunConfig)}
    for name, axes in section.items():
        remedy = did_you_mean(str(name), [MATRIX], cutoff=0.8)
        if remedy is None or not isinstance(axes, Mapping) or not axes:
            continue
        is_matrix = known.isdisjoint(re.split(r"[.\[]", str(key))[0] for key in axes)
        if is_matrix and all(isinstance(axis, (list, Mapping)) for axis in axes.values()):
            found = next(iter(axes))
            raise ConfigError(f"{where}.{name}: expected settings of a run, found {found}", remedy)


def _matrix(section: Any, where: str) -> list[Run]:
    if not isinstance(section, Mapping) or not section:
        raise ConfigError(
            f"{where}: expected a table of axes, got {short_repr(section)}",
            "Write it as: matrix: {model: [small, large], average: [macro, micro]}",
        )
    for name in section:
        if name == _RUN or not _PLACEHOLDER.fullmatch(f"{{{name}}}"):
            raise ConfigError(
                f"{where}: expected a name for an axis, got {short_repr(name)}",
                "Choose another word of letters, digits and underscores, such as model.",
            )
    axes = {name: _axis(axis, f"{where}.{name}") for name, axis in section.items()}
    count = prod(map(len, axes.values()))
    if count > _MOST:
        raise ConfigError(f"{where}: expected at most {_MOST:,} runs, got {count:,}")
    return [
        _combined(dict(zip(axes, chosen, strict=True)), where) for chosen in product(*axes.values())
    ]


def _combined(chosen: Mapping[str, tuple[str, Any, Mapping[str, Any]]], where: str) -> Run:
    """Return the run of a combination: a name, a value and overrides for each axis."""
    name = "-".join(one for one, _, _ in chosen.values())
    overrides = tuple(
        (f"{where}.{axis}.{one}: ", table) for axis, (one, _, table) in chosen.items() if table
    )
    return Run(name, overrides, {_RUN: name, **{axis: one for axis, (_, one, _) in chosen.items()}})


def _axis(axis: Any, where: str) -> list[tuple[str, Any, Mapping[str, Any]]]:
    """Return name, value and overrides of each entry.

    Entries of a list are values, or tables with a name.
    """
    if not isinstance(axis, (list, Mapping)) or not axis:
        raise ConfigError(
            f"{where}: expected a list of names, or a table of settings by name, got "
            f"{short_repr(axis)}",
            _WRITE_AS,
        )
    found = []
    entries = axis.items() if isinstance(axis, Mapping) else map(_named, axis)
    for value, table in entries:
        if not isinstance(value, (str, int, float)):
            raise ConfigError(f"{where}: expected names, got {short_repr(value)}", _WRITE_AS)
        if not isinstance(table, Mapping) and table is not None:
            raise ConfigError(
                f"{where}.{value}: expected a table of settings, got {short_repr(table)}",
                f"Write it as: {KEY}: {{{MATRIX}: {{{in_config({str(value): table})}}}}}"
                if isinstance(table, list)
                else _WRITE_AS,
            )
        found.append((_safe(value, where), value, table or {}))
    return found


def _named(entry: Any) -> tuple[Any, Any]:
    """Return the name and the overrides of an entry of a list."""
    if not isinstance(entry, Mapping) or "name" not in entry:
        return entry, {}
    return entry["name"], {key: value for key, value in entry.items() if key != "name"}


def _safe(value: Any, where: str) -> str:
    """Return a name that can be part of the name of a file."""
    name = _UNSAFE.sub("-", _text(value)).strip("-.")
    if not name:
        raise ConfigError(
            f"{where}: expected names with letters or digits, got {short_repr(value)}"
        )
    return name


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value)


def expanded(values: Values, run: Run, place: str, change: Callable[[Values], Values]) -> Values:
    """Return the config of one run.

    Parameters
    ----------
    values : dict
        Config with the key ``runs``.
    run : Run
        The run.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.
    change : callable
        Changes of the command line, which win over the run's settings.

    Raises
    ------
    ConfigError
        If a setting does not fit the config.
    """
    merged = {key: value for key, value in values.items() if key != KEY}
    own: set[str] = set()
    for where, table in run.overrides:
        for key, value in table.items():
            root = re.split(r"[.\[]", str(key))[0]
            if root in (KEY, "extends"):
                raise ConfigError(
                    f"{where}{root}: expected settings of one run, found {root}",
                    f"Write {root} as a key of the config.",
                )
            if not PATH.fullmatch(str(key)):
                raise ConfigError(
                    f"{where}expected a key or a path, got {short_repr(key)}",
                    "Write a path as: metrics[0].average",
                )
            own.add(root)
            if key == root:
                merged = merge(merged, {key: value})
            else:
                merged = put(merged, str(key), value, where.removesuffix(": "))
    changed = change(merged)
    filled: Values = {key: _filled(one, run.placeholders) for key, one in changed.items()}
    files = {name: _safe(value, f"{place}{KEY}") for name, value in run.placeholders.items()}
    for key in OUTPUTS:
        if changed.get(key):
            is_shared = key not in own or changed[key] != merged.get(key)
            named = _of_run(changed[key], files, run.name if is_shared else None)
            filled[key] = {**filled[key], **named} if isinstance(named, Mapping) else named
    return filled | {_RUN: run.name}


def _of_run(value: Any, files: Mapping[str, Any], name: str | None) -> Any:
    """Return output files with placeholders filled in, or else the run's name added.

    Of a table, return the key with a file only.
    """
    if isinstance(value, str):
        filled = _filled(value, files)
        return filled if filled != value or name is None else _renamed(value, name)
    if isinstance(value, list):
        return [_of_run(one, files, name) for one in value]
    if isinstance(value, Mapping):
        return {key: _of_run(value[key], files, name) for key in ("folder",) if key in value}
    return value


def _renamed(text: str, name: str) -> str:
    found = _LAST_PART.search(text)
    if found is None:
        return text
    path = PurePosixPath(found[0])
    renamed = f"{path.stem}-{name}{path.suffix}"
    return _like(text, f"{text[: found.start()]}{renamed}{text[found.end() :]}")


def _filled(value: Any, placeholders: Mapping[str, Any]) -> Any:
    """Replace ``{run}`` and the names of axes; a placeholder alone keeps the type of its value."""
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        if alone is not None and alone[1] in placeholders:
            return placeholders[alone[1]]

        def text_of(found: re.Match[str]) -> str:
            return _text(placeholders[found[1]]) if found[1] in placeholders else found[0]

        return _like(value, _PLACEHOLDER.sub(text_of, value))
    if isinstance(value, Mapping):
        if (
            len(value) == 1
            and None in value.values()
            and (name := next(iter(value))) in placeholders
        ):
            return placeholders[name]  # YAML reads average: {average} as a table
        return {key: _filled(one, placeholders) for key, one in value.items()}
    return [_filled(one, placeholders) for one in value] if isinstance(value, list) else value


def _like(text: str, changed: str) -> str:
    """Return a changed text, relative to the same folder as before if it is a path of a base."""
    return FromBase.of(changed, text.folder) if isinstance(text, FromBase) else changed


def chosen(runs: Sequence[Run], only: Collection[str], place: str) -> Iterator[Run]:
    """Yield the runs with a name, or a pattern such as ``small-*``; all without names.

    Raises
    ------
    ConfigError
        If a name fits no run.
    """
    names = [run.name for run in runs]
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in names):
            listed = f"{', '.join(names[:_LISTED])}{and_more(len(names) - _LISTED)}"
            raise ConfigError(
                f"{place}--only {pattern}: no run of this name",
                did_you_mean(pattern, names) or f"Runs: {listed}.",
            )
    for run in runs:
        if not only or any(fnmatchcase(run.name, pattern) for pattern in only):
            yield run
