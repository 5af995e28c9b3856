"""Inputs: columns for a module, read from items."""

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
from valor_evaluate.modules.record_fields import ReadSettings, RecordFields
from valor_evaluate.parameters import ModuleParameters

_CLASSES = ("label", "prediction")
"""Columns of tables in which integers are classes, as in all columns outside of tables."""


@frozen(eq=False)
class Inputs:
    """Arguments of a module's computation.

    Parameters
    ----------
    columns : mapping of str to list or ndarray
        Columns; empty if no item has all required fields.
    codes : LabelCodes, optional
        Codes of classes, if a column has classes.
    left_out : mapping of str to int
        Number of excluded items by missing field.
    """

    columns: Mapping[str, Any]
    codes: LabelCodes | None = None
    left_out: Mapping[str, int] = field(factory=dict)


def added_columns(module: LoadedModule, parameters: ModuleParameters) -> tuple[str, ...]:
    """Return options of a module that are fed by fields of the items."""
    sources = Sources(parameters.columns)
    given = parameters.options
    return tuple(
        name
        for name in module.options
        if name in sources.chosen
        or (name not in given and module.needs(name) and sources.takes(name))
    )


def all_columns(module: LoadedModule, parameters: ModuleParameters) -> tuple[str, ...]:
    """Return the paths of all columns that a module may receive."""
    paths: dict[str, None] = {}
    for table in module.features:
        paths |= dict.fromkeys(path for path, _ in leaves(table, parameters.columns))
    return (*paths, *added_columns(module, parameters))


def inputs(module: LoadedModule, fields: RecordFields, parameters: ModuleParameters) -> Inputs:
    """Read the columns of a module by the first of its feature tables that fits the items.

    Parameters
    ----------
    module : LoadedModule
        Module.
    fields : RecordFields
        Items.
    parameters : ModuleParameters
        Settings.

    Raises
    ------
    SchemaError
        If no table fits; with the problem of the first one.
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
    fields: RecordFields,
    parameters: ModuleParameters,
    is_choice: bool,
) -> Inputs:
    sources = Sources(parameters.columns)
    wanted = [
        (path, feature, sources.of(path, fields.task))
        for path, feature in leaves(table, parameters.columns)
    ]
    added = {name: sources.of(name, fields.task) for name in added_columns(module, parameters)}
    fields, left_out = _complete(fields, [*wanted, *((n, None, s) for n, s in added.items())])
    if not len(fields):
        return Inputs({}, left_out=left_out)
    # If integers are one of several accepted types, class names are another.
    coded = [] if is_choice else [(p, f, s) for p, f, s in wanted if _are_classes(p, f, s)]
    codes = LabelCodes.of(fields.classes(source for _, _, source in coded), parameters.labels)
    if coded and module.singles_out_a_class(parameters.options):
        codes.check_two()
    settings = ReadSettings(codes, parameters.lists, parameters.score_threshold)
    columns = {}
    for path, feature, source in wanted:
        if any(path == one for one, _, _ in coded):
            columns[path] = fields.coded(source, path, codes)
            continue
        values = fields.values(source, path, feature, settings)
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
    fields: RecordFields, wanted: list[tuple[str, Any, Any]]
) -> tuple[RecordFields, dict[str, int]]:
    """Select the items with all required fields; count the others by their first missing field."""
    reasons = np.zeros(len(fields), np.int64)
    texts = [""]
    for _, feature, source in wanted:
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
    """Return columns by name; a table becomes a column of dictionaries."""
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
