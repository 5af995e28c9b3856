"""Inputs: the columns that a module computes from, read from items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import SchemaError
from valor_evaluate.modules.feature import as_array, kind_of, leaves, narrowed
from valor_evaluate.modules.label_codes import LabelCodes
from valor_evaluate.modules.loaded_module import LoadedModule
from valor_evaluate.modules.module_source import UID, Sources
from valor_evaluate.modules.record_fields import ItemFields, Reading
from valor_evaluate.parameters import ModuleParameters

_CLASSES = ("label", "prediction")
"""Columns inside tables whose whole numbers are classes, as those outside are."""


@frozen(eq=False)
class Inputs:
    """What a module is called with.

    Parameters
    ----------
    columns : mapping of str to list or ndarray
        Its columns; empty where no item has all that they need.
    codes : LabelCodes, optional
        Numbers of classes, if any column has them.
    left_out : mapping of str to int
        What items lack that do not take part, and how many.
    """

    columns: Mapping[str, Any]
    codes: LabelCodes | None = None
    left_out: Mapping[str, int] = field(factory=dict)


def added_columns(module: LoadedModule, parameters: ModuleParameters) -> tuple[str, ...]:
    """Arguments of a module that are no columns by its own word, and that items feed yet."""
    sources = Sources(parameters.columns)
    given = parameters.options
    return tuple(
        name
        for name in module.options
        if name in sources.chosen
        or (name not in given and module.needs(name) and sources.takes(name))
    )


def all_columns(module: LoadedModule, parameters: ModuleParameters) -> tuple[str, ...]:
    """Paths of all columns that a module may be given."""
    paths: dict[str, None] = {}
    for table in module.features:
        paths |= dict.fromkeys(path for path, _ in leaves(table, parameters.columns))
    return (*paths, *added_columns(module, parameters))


def inputs(module: LoadedModule, fields: ItemFields, parameters: ModuleParameters) -> Inputs:
    """The columns of a module, from the first of its tables of features that the items fit.

    Parameters
    ----------
    module : LoadedModule
        The module.
    fields : ItemFields
        The items.
    parameters : ModuleParameters
        How to read them.

    Raises
    ------
    SchemaError
        If they fit none: what the first one misses.
    """
    misfits: list[SchemaError] = []
    tables = module.features
    for table in tables:
        try:
            return _read(module, table, fields, parameters, is_choice=len(tables) > 1)
        except SchemaError as error:
            misfits.append(error)
    raise misfits[0]


def _read(
    module: LoadedModule,
    table: Mapping[str, Any],
    fields: ItemFields,
    parameters: ModuleParameters,
    is_choice: bool,
) -> Inputs:
    sources = Sources(parameters.columns)
    told = [
        (path, feature, sources.of(path, fields.task))
        for path, feature in leaves(table, parameters.columns)
    ]
    added = {name: sources.of(name, fields.task) for name in added_columns(module, parameters)}
    fields, left_out = _complete(fields, [*told, *((n, None, s) for n, s in added.items())])
    if not len(fields):
        return Inputs({}, left_out=left_out)
    # Where whole numbers are one of several things that will do, names of classes are another.
    coded = [] if is_choice else [(p, f, s) for p, f, s in told if _are_classes(p, f, s)]
    codes = LabelCodes.of(fields.classes(source for _, _, source in coded), parameters.labels)
    if coded and module.singles_out_a_class(parameters.options):
        codes.check_two()
    reading = Reading(codes, parameters.lists, parameters.score_threshold)
    columns = {}
    for path, feature, source in told:
        if any(path == one for one, _, _ in coded):
            columns[path] = fields.coded(source, path, codes)
            continue
        values = fields.values(source, path, feature, reading)
        columns[path] = narrowed(values, feature) if parameters.single_precision else values
    given = _tables(columns, table)
    if module.wants_arrays:
        kept = table if parameters.single_precision else {}
        given = {name: as_array(values, kept.get(name)) for name, values in given.items()}
    given |= {name: fields.plain(source, name) for name, source in added.items()}
    return Inputs(given, codes if coded or fields.task == "classification" else None, left_out)


def _are_classes(path: str, feature: Any, source: Any) -> bool:
    if kind_of(feature) != "whole" or source == UID or not isinstance(source, str):
        return False
    return "." not in path or path.rpartition(".")[2] in _CLASSES


def _complete(
    fields: ItemFields, told: list[tuple[str, Any, Any]]
) -> tuple[ItemFields, dict[str, int]]:
    """The items that lack nothing, and what the others lack first."""
    reasons = np.zeros(len(fields), np.int64)
    texts = [""]
    for _, feature, source in told:
        found = fields.lacking(source, feature)
        if found is None:
            continue
        is_lacking, reason = found
        if reason not in texts:
            texts.append(reason)
        reasons[is_lacking & (reasons == 0)] = texts.index(reason)
    counts = np.bincount(reasons, minlength=len(texts)).tolist()
    left_out = {text: count for text, count in zip(texts, counts, strict=True) if text and count}
    return (fields.select(np.flatnonzero(reasons == 0)) if left_out else fields), left_out


def _tables(columns: Mapping[str, list[Any]], table: Mapping[str, Any], above: str = "") -> Any:
    """The columns by name, those of a table as one column of dictionaries."""
    found: dict[str, Any] = {}
    for name, feature in table.items():
        path = f"{above}{name}"
        if path in columns:
            found[name] = columns[path]
        else:
            inner = _tables(columns, feature, f"{path}.")
            rows = zip(*inner.values(), strict=True)
            found[name] = [dict(zip(inner, row, strict=True)) for row in rows]
    return found
