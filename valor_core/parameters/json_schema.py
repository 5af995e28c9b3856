"""JSON Schema of parameter classes, for editors that complete config files."""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from valor_core.parameters.declaration import Parameter, Within, declared, plain_value

JsonSchema = dict[str, Any]
_TYPES: Mapping[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}


def json_schema(cls: type) -> JsonSchema:
    """JSON Schema of a class made with `parameters`.

    Examples
    --------
    >>> from valor_core.parameters.declaration import parameter, parameters
    >>> @parameters
    ... class Smoothing:
    ...     width: int = parameter(default=3, help="Points in the window.", check=Within(1))
    >>> json_schema(Smoothing)["properties"]["width"]["minimum"]
    1
    """
    properties: JsonSchema = {}
    required: list[str] = []
    choices: list[JsonSchema] = []
    for parameter in declared(cls):
        names = (parameter.name, *parameter.aliases)
        properties |= dict.fromkeys(names, _property(parameter))
        if parameter.required and parameter.aliases:
            choices.append({"anyOf": [{"required": [name]} for name in names]})
        elif parameter.required:
            required.append(parameter.name)
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    needed: JsonSchema = {"required": required} if required else {}
    return schema | needed | ({"allOf": choices} if choices else {})


def _property(parameter: Parameter) -> JsonSchema:
    entry = _schema(parameter.annotation, parameter.check) | {"description": parameter.help}
    if not parameter.required:
        entry["default"] = plain_value(parameter.default)
    return entry


def _schema(annotation: Any, check: Within | None = None) -> JsonSchema:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _TYPES:
        bounds = _bounds(check) if check and annotation in (int, float) else {}
        return {"type": _TYPES[annotation]} | bounds
    if annotation is type(None):
        return {"type": "null"}
    if annotation is Path:
        return {"type": "string", "format": "path"}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(member, check) for member in arguments]}
    if origin is tuple:
        item = _schema(arguments[0], check)
        return {"anyOf": [{"type": "array", "items": item}, item]}
    if origin is not None:
        return {"type": "object", "additionalProperties": _schema(arguments[1], check)}
    return json_schema(annotation) if attrs.has(annotation) else {}


def _bounds(check: Within) -> JsonSchema:
    words = {
        "exclusiveMinimum" if check.open_low else "minimum": check.low,
        "exclusiveMaximum" if check.open_high else "maximum": check.high,
    }
    return {word: bound for word, bound in words.items() if bound is not None}
