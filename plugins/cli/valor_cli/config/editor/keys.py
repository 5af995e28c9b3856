"""Keys in the JSON Schema of configs: the parameters of a component."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from attrs import evolve, field, frozen

from valor_cli.config.editor.names import escaped
from valor_core.parameters import parameters_of
from valor_core.parameters.declaration import json_schema as parameter_schema

Json = dict[str, Any]

FILLED = r"\{(\w+\}|env:)"
"""Pattern of a text with an environment variable, or a placeholder of ``runs``."""


@frozen
class Keys:
    """Keys of a table: the fields of a parameter class.

    Parameters
    ----------
    schemas : mapping of str to dict
        JSON Schema by key.
    aliases : mapping of str to dict
        JSON Schema by pattern of the aliases of a key.
    required : tuple of dict
        Schemas of tables that have the required keys.
    """

    schemas: Mapping[str, Json]
    aliases: Mapping[str, Json] = field(factory=dict)
    required: tuple[Json, ...] = ()

    @classmethod
    @lru_cache
    def of(cls, parameter_class: type) -> Keys:
        """Return the keys of a parameter class.

        Examples
        --------
        >>> from valor_core.parameters import parameter, parameters
        >>> @parameters
        ... class Smoothing:
        ...     width: int = parameter(default=3, help="Points in the window.", aliases=("w",))
        >>> keys = Keys.of(Smoothing)
        >>> list(keys.schemas), list(keys.aliases)
        (['width'], ['^(w)$'])
        """
        schema = parameter_schema(parameter_class)
        properties = schema["properties"]
        entries = parameters_of(parameter_class)
        for entry in entries:
            _simplify_default(properties[entry.name])
            properties[entry.name] = _fillable(properties[entry.name])
        required = [{"required": schema["required"]}] if "required" in schema else []
        return cls(
            {entry.name: properties[entry.name] for entry in entries},
            {
                f"^({'|'.join(map(escaped, entry.aliases))})$": properties[entry.name]
                for entry in entries
                if entry.aliases
            },
            (*required, *schema.get("allOf", ())),
        )

    @classmethod
    def of_any(cls, parts: Sequence[Keys]) -> Keys:
        """Return the keys of tables that have the keys of any part."""
        if len(parts) == 1:
            return parts[0]
        common = [one for one in parts[0].required if all(one in part.required for part in parts)]
        return cls(
            _either([part.schemas for part in parts]),
            _either([part.aliases for part in parts]),
            tuple(common),
        )

    def __or__(self, other: Keys) -> Keys:
        return Keys(
            {**self.schemas, **other.schemas},
            {**self.aliases, **other.aliases},
            (*self.required, *other.required),
        )

    def mapped(self, convert: Callable[[str, Json], Json]) -> Keys:
        """Return the keys with converted schemas."""
        return evolve(
            self, schemas={name: convert(name, schema) for name, schema in self.schemas.items()}
        )

    def without(self, key: str) -> Keys:
        """Return the keys without one, which is not required either."""
        schemas = {name: schema for name, schema in self.schemas.items() if name != key}
        needed = [name for one in self.required for name in one.get("required", ()) if name != key]
        return Keys(schemas, self.aliases, ({"required": needed},) if needed else ())

    def schema(self, *others: str) -> Json:
        """Return the schema of a table with these keys and others, whose values may be any."""
        aliases = {"patternProperties": dict(self.aliases)} if self.aliases else {}
        return {
            "properties": {**dict.fromkeys(others, True), **self.schemas},
            **aliases,
            "additionalProperties": False,
        }


def _simplify_default(schema: Json) -> None:
    """Replace a default that editors offer as "Default value", or a second time."""
    default = schema.get("default")
    if default is not None and not isinstance(default, list):
        return
    schema.pop("default", None)
    if default is None:  # offered as a type already
        return
    if len(default) == 1:
        schema["default"] = default[0]
    elif default:
        schema["description"] += f" Default: {', '.join(map(json.dumps, default))}."


def _fillable(schema: Json) -> Json:
    """Return a schema that also accepts a text to be filled in, which may become any value."""
    kinds = schema.get("anyOf", [{k: v for k, v in schema.items() if k not in _ABOUT}])
    if any(not kind or "string" in kind.get("type", ()) for kind in kinds):
        return schema
    about = {key: value for key, value in schema.items() if key in _ABOUT}
    return {"anyOf": [*kinds, {"$ref": "#/$defs/filled"}], **about}


_ABOUT = ("default", "description")


def _either(parts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    merged: dict[str, list[Json]] = {}
    for part in parts:
        for key, schema in part.items():
            found = merged.setdefault(key, [])
            if schema not in found:
                found.append(schema)
    return {key: found[0] if len(found) == 1 else {"anyOf": found} for key, found in merged.items()}
