"""JSON Schema of configs, with which editors complete and check them.

Language servers differ in the parts of JSON Schema that they evaluate for completion, so the schema
is limited to what servers for YAML and JSON have in common:

- Conditions are patterns. Some servers accept a prefix of a ``const`` or an ``enum`` in an ``if``.
- ``required`` is never in a schema with ``properties``. Servers would also offer all required keys
  at once.
- Aliases of keys are ``patternProperties``, which are checked and not offered.
- Names are an ``enum`` beside a pattern of all other spellings. Names in a list are ``examples``,
  since an item may also be a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen
from valor_report.baselines import BaselineParameters
from valor_report.gallery.parameters import GalleryParameters

from valor_cli.config.editor.keys import FILLED, Json, Keys
from valor_cli.config.editor.names import (
    Choice,
    canonical_names,
    choices_of,
    escaped,
    pattern_of,
)
from valor_cli.config.inferred.unknown_files import new_folder
from valor_cli.config.reading.files import SCHEMA_KEY
from valor_cli.config.schema import RunConfig
from valor_core.errors import ConfigError
from valor_core.parameters.declaration import json_schema as parameter_schema
from valor_core.specs import (
    EngineSpec,
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    Registry,
    ResourceKindSpec,
    ResourceSpec,
    Spec,
    TaskSpec,
)
from valor_core.specs.extensions import INTERVALS, extension
from valor_core.specs.names import short_name

TITLE = "Valor config"
FILE = "valor.schema.json"
"""Name of the file with the schema in the folder of a config."""

_ANY = "any"
"""Label of definitions for a config without a task."""
_BEGINNING = 1 << 10
_DEPENDENT = ("task", "data", "metrics", "engine", "gallery")
"""Keys whose schema depends on the installed components."""


def json_schema(registry: Registry) -> dict[str, Any]:
    """Return the JSON Schema of configs with all installed plugins.

    Parameters
    ----------
    registry : Registry
        Registry of the metrics, readers and other components.

    Examples
    --------
    >>> json_schema(Registry())["title"]
    'Valor config'
    """
    keys = Keys.of(RunConfig)
    others = {key: dict(one) for key, one in keys.schemas.items() if key not in _DEPENDENT}
    condition: Json = parameter_schema(BaselineParameters) | {"type": ["string", "object"]}
    others["require"] |= {"additionalProperties": _CONDITION}
    definitions: Json = {
        "filled": {"type": "string", "pattern": FILLED},
        "condition": condition,
    }
    for key, schema in _tables_of_intervals(definitions).items():
        others[key] = _described(keys, key, schema)
    definitions["run"] = {"properties": {key: {} for key in keys.schemas} | others}
    others["runs"] = {**others["runs"], "type": ["array", "object", "null"]} | _runs("run")
    return {
        SCHEMA_KEY: "https://json-schema.org/draft/2020-12/schema",
        "title": TITLE,
        "type": "object",
        "properties": others,
        # Files of `modules` and configs in `extends` can bring components and keys, and each of
        # the runs can have other keys.
        "if": {"anyOf": [{"required": [key]} for key in ("modules", "extends", "runs")]},
        "then": _Config(registry, definitions, is_closed=False).schema(keys),
        "else": _Config(registry, definitions, is_closed=True).schema(keys),
        "$defs": definitions,
    }


def schema_text(schema: Mapping[str, Any]) -> str:
    """Return a JSON Schema as JSON, with a line for each definition.

    Examples
    --------
    >>> print(schema_text({"title": "Valor config", "$defs": {"names": {"enum": ["F1"]}}}))
    {
    "title":"Valor config",
    "$defs":{
    "names":{"enum":["F1"]}
    }}
    """

    def lines(table: Mapping[str, Any]) -> str:
        written = (f"{_compact(key)}:{_compact(value)}" for key, value in table.items())
        return ",\n".join(written)

    head = {key: value for key, value in schema.items() if key != "$defs"}
    return f'{{\n{lines(head)},\n"$defs":{{\n{lines(schema["$defs"])}\n}}}}'


def write_schema(file: Path, registry: Registry) -> None:
    """Write the JSON Schema of configs to a file.

    Raises
    ------
    ConfigError
        If the file cannot be written.
    """
    try:
        file.write_text(f"{schema_text(json_schema(registry))}\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{file}: cannot be written, {error.strerror}", new_folder(file)
        ) from error


def is_schema(file: Path) -> bool:
    """Return whether a file is a JSON Schema of configs."""
    with file.open("rb") as stream:
        return f'"title":{_compact(TITLE)}'.encode() in stream.read(_BEGINNING)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@frozen
class _Names:
    """Names under a key of a table.

    Parameters
    ----------
    key : str
        The key, ``"name"`` or ``"reader"``.
    choices : sequence of Choice
        The names.
    label : str
        Name of their definitions.
    """

    key: str
    choices: Sequence[Choice]
    label: str

    @property
    def canonical(self) -> list[str]:
        """Canonical names."""
        return canonical_names(self.choices)


@frozen
class _Config:
    """Part of the schema that depends on the components in a registry.

    Parameters
    ----------
    registry : Registry
        Registry of the components.
    definitions : dict
        Definitions of the schema; methods add to them.
    is_closed : bool
        Whether to reject missing keys and names that are not in the registry.
    shared : dict
        Names of definitions by their JSON.
    """

    registry: Registry
    definitions: Json
    is_closed: bool
    shared: dict[str, str] = field(factory=dict)

    def schema(self, keys: Keys) -> Json:
        """Return the schema of the keys that depend on components."""
        tasks = self._tasks()
        chain = self._of_task(None, keys)
        for task in reversed(tasks):
            chain = {"if": self._selects(task), "then": self._of_task(task, keys), "else": chain}
        known: list[Json] = [{"enum": tasks}, {"type": "null"}]
        properties: Json = {
            "task": _described(keys, "task", {"anyOf": known if self.is_closed else [*known, {}]}),
            "engine": _described(keys, "engine", self._engine()),
            **self._resources(),
        }
        others = [key for key in keys.schemas if key not in properties]
        properties |= dict.fromkeys([*others, SCHEMA_KEY, "metrics_to_return"], True)
        if not self.is_closed:
            sections = {"type": "object"}
            return {"properties": properties, "additionalProperties": sections, **chain}
        return {
            "properties": properties,
            "additionalProperties": False,
            "allOf": [
                {"required": ["data"]},
                {"if": {"required": ["metrics_to_return"]}, "else": {"required": ["metrics"]}},
            ],
            **chain,
        }

    def _tasks(self) -> list[str]:
        # A plugin may use a task without declaring it.
        declared = [spec.short_name for spec in self.registry.all(TaskSpec)]
        used = [task for spec in self.registry.all(MetricSpec) for task in spec.tasks]
        return list(dict.fromkeys([*declared, *sorted(used)]))

    def _selects(self, task: str) -> Json:
        """Return the condition that a config has a task, or no task and a reader of this task."""
        named = {
            "properties": {"task": {"type": "string", "pattern": f"^{escaped(task)}$"}},
            "required": ["task"],
        }
        choices = [
            choice
            for choice in choices_of(ReaderSpec, self.registry.all(ReaderSpec), None, self.registry)
            if all(isinstance(spec, ReaderSpec) and spec.task == task for spec in choice.specs)
        ]
        if not choices:
            return self._ref(f"task.{task}", named)
        reader = {"type": "string", "pattern": pattern_of(choices)}
        implied = {
            "not": {"required": ["task"]},
            "properties": {"data": {"properties": {"reader": reader}, "required": ["reader"]}},
            "required": ["data"],
        }
        return self._ref(f"task.{task}", {"anyOf": [named, implied]})

    def _of_task(self, task: str | None, keys: Keys) -> Json:
        """Return the schema of a config with a task; None for any."""
        metrics = self._metrics(task)
        properties = {
            "data": _described(keys, "data", self._data(task)),
            "metrics": _described(keys, "metrics", metrics),
            "gallery": _described(keys, "gallery", self._gallery(task)),
            "require": self._require(task),
        }
        run = {"properties": {**properties, "engine": self._engine()}}
        self._ref(label := f"run.{task or _ANY}", run)
        return {
            "properties": {**properties, "runs": _runs(label)},
            "patternProperties": {"^metrics_to_return$": metrics},
        }

    def _metrics(self, task: str | None) -> Json:
        names = self._metric_names(task)
        return self._list(names, self._item(names))

    def _require(self, task: str | None) -> Json:
        """Return the schema of thresholds, whose keys are names of metrics."""
        names = [name for name in self._metric_names(task).canonical if "." not in name]
        properties = dict.fromkeys(names, _CONDITION)
        return self._ref(f"require.{task or _ANY}", {"properties": properties})

    def _metric_names(self, task: str | None) -> _Names:
        specs = self.registry.metrics_of(task)
        choices = choices_of(MetricSpec, specs, task, self.registry)
        return _Names("name", choices, f"metrics.{task or _ANY}")

    def _data(self, task: str | None) -> Json:
        specs = self.registry.all(ReaderSpec)
        for spec in self.registry.all(TaskSpec):
            if spec.short_name == task:
                specs = [reader for reader in specs if reader.serves(spec)]
        choices = choices_of(ReaderSpec, specs, task, self.registry)
        return {
            "type": "object",
            **self._table(_Names("reader", choices, f"readers.{task or _ANY}")),
        }

    def _gallery(self, task: str | None) -> Json:
        specs = [spec for spec in self.registry.all(GallerySpec) if task in (None, spec.task)]
        choices = choices_of(GallerySpec, specs, task, self.registry)
        names = _Names("name", choices, f"galleries.{task or _ANY}")
        default = [spec for spec in specs if spec.short_name == "Gallery"]
        table = self._table(names, default, Keys.of(GalleryParameters))
        return {"type": ["object", "null"], **table}

    def _engine(self) -> Json:
        specs = self.registry.all(EngineSpec)
        names = _Names("name", choices_of(EngineSpec, specs, None, self.registry), "engines")
        item = self._item(names, [spec for spec in specs if spec.name == "core.local"])
        return {
            "examples": names.canonical,
            "if": {"type": "null"},
            "else": {"type": ["object", "string"], **item},
        }

    def _resources(self) -> Json:
        """Return the schemas of the sections of resources: a table, or a table of tables."""
        sections: dict[str, list[ResourceSpec]] = {}
        for spec in self.registry.all(ResourceSpec):
            sections.setdefault(spec.short_name, []).append(spec)
        return {name: self._section(specs) for name, specs in sections.items()}

    def _section(self, specs: Sequence[ResourceSpec]) -> Json:
        keys = Keys.of_any([self._keys_of_resource(spec) for spec in specs])
        one = self._ref(f"resources.{'+'.join(spec.name for spec in specs)}", keys.schema())
        needed = {"allOf": list(keys.required)} if self.is_closed and keys.required else {}
        instances = {
            "minProperties": 1,
            "propertyNames": {"not": {"enum": list(keys.schemas)}},
            "additionalProperties": {"type": "object"},
        }
        return {
            "type": "object",
            "description": specs[0].summary,
            "if": instances,
            "then": {"additionalProperties": {**one, **needed}},
            "else": {**one, **needed},
        }

    def _keys_of_resource(self, spec: ResourceSpec) -> Keys:
        keys = Keys.of(spec.parameter_class).mapped(self._key)
        if spec.kinds is None:
            return keys
        kinds = [kind for kind in self.registry.all(ResourceKindSpec) if kind.resource == spec.name]
        choices = choices_of(ResourceKindSpec, kinds, spec.namespace, self.registry)
        names = _Names("name", choices, f"{spec.name}.{spec.kinds}")
        item = self._item(names)
        return keys | Keys({spec.kinds: self._list(names, item) if spec.several_kinds else item})

    def _item(self, names: _Names, default: Sequence[Spec] = ()) -> Json:
        """Return the schema of a name, or of a table with a name and parameters."""
        # Language servers for YAML offer the examples of a table without a name: they read the
        # beginning of a name in a list as the first key of a table. Those for JSON offer the
        # examples of the item. `allOf` hides these from the former, which would always offer them.
        unnamed = {"if": {"required": [names.key]}, "else": self._offered(names)}
        rule = {
            "if": {"type": "object"},
            "then": self._table(names, default) | unnamed,
            "else": self._name(names),
        }
        return self._ref(names.label, {"examples": names.canonical, "allOf": [rule]})

    def _list(self, names: _Names, item: Json) -> Json:
        """Return the schema of an item or a list of items."""
        schema = {
            "allOf": [self._offered(names)],
            "if": {"type": "array"},
            "then": {"items": item, "minItems": 1},
            "else": item,
        }
        return self._ref(f"list.{names.label}", schema)

    def _offered(self, names: _Names) -> Json:
        return self._ref(f"offered.{names.label}", {"examples": names.canonical})

    def _table(
        self, names: _Names, default: Sequence[Spec] = (), shared: Keys | None = None
    ) -> Json:
        """Return the schema of a table with a name and parameters.

        Parameters
        ----------
        names : _Names
            The names.
        default : sequence of Spec
            Components of a table without a name; empty if the name is required.
        shared : Keys, optional
            Keys of all tables.
        """
        key = names.key
        cases = [({"not": {"required": [key]}}, Choice(tuple(default)))] if default else []
        cases += [(self._selected(key, choice), choice) for choice in names.choices]
        rules: list[Json] = []
        needed: list[Json] = [] if default else [{"required": [key]}]
        for condition, choice in cases:
            keys = _keys_of(choice, self._key)
            keys = keys if shared is None else shared | keys
            table = self._same("keys", choice, keys.schema(*({key} - keys.schemas.keys())))
            about = {"title": choice.title, "description": choice.specs[0].summary}
            rule = {"if": condition, "then": about | table}
            rules.append(self._ref(f"when.{choice.title}", rule))
            needed += [{"if": condition, "then": one} for one in keys.required]
        parts = [self._ref(f"rules.{names.label}", {"allOf": rules})] if rules else []
        parts += needed if self.is_closed else []
        properties = {"properties": {key: self._name(names)}}
        return self._ref(f"table.{names.label}", properties | ({"allOf": parts} if parts else {}))

    def _selected(self, key: str, choice: Choice) -> Json:
        """Return the condition that a table has a name of a choice."""
        name = {"type": "string", "pattern": pattern_of([choice])}
        condition = {"properties": {key: name}, "required": [key]}
        return self._ref(f"selected.{choice.title}", condition)

    def _name(self, names: _Names) -> Json:
        """Return the schema of a name."""
        canonical = self._ref(f"names.{names.label}", {"enum": names.canonical})
        others = self._spellings(names) if self.is_closed else [{}]
        schema = {"type": "string", "anyOf": [canonical, *others]}
        return self._ref(f"name.{names.label}", schema)

    def _spellings(self, names: _Names) -> list[Json]:
        """Return the schemas of the names in other spellings, and of text to be filled in."""
        if names.label == f"metrics.{_ANY}":  # the patterns of all tasks are much smaller
            tasks = [self._metric_names(task) for task in self._tasks()]
            return [one for each in tasks for one in self._spellings(each)]
        pattern = pattern_of(names.choices, f".*{FILLED}.*")
        return [self._ref(f"spellings.{names.label}", {"pattern": pattern})]

    def _same(self, name: str, choice: Choice, schema: Json) -> Json:
        """Add a definition that choices with the same schema share, and return a reference."""
        text = _compact(schema)
        label = self.shared.setdefault(text, f"{name}.{choice.title}")
        return self._ref(label, schema)

    def _key(self, name: str, schema: Json) -> Json:
        return self._ref(f"key.{name}", schema)

    def _ref(self, name: str, schema: Json) -> Json:
        """Add a definition, under another name if the name is taken, and return a reference."""
        key, number = name, 1
        while self.definitions.setdefault(key, schema) != schema:
            number += 1
            key = f"{name}.{number}"
        return {"$ref": f"#/$defs/{key}"}


_INSTANCE: Json = {
    "type": "string",
    "description": "Which of several resources of this sort.",
}


_CONDITION: Json = {"$ref": "#/$defs/condition"}


def _runs(label: str) -> Json:
    """Return the schema of ``runs``: a list of names, a table of settings by name, or a matrix.

    Parameters
    ----------
    label : str
        Name of the definition of the settings of a run.
    """
    settings = {"$ref": f"#/$defs/{label}"}
    by_name = {"items": settings, "additionalProperties": {"type": ["object", "null"], **settings}}
    axes = {"additionalProperties": {"type": ["array", "object"], **by_name}}
    return {
        "if": {"type": "object", "required": ["matrix"]},
        "then": {"properties": {"matrix": axes}},
        "else": by_name,
    }


def _tables_of_intervals(definitions: Json) -> Json:
    """Return the schemas of keys whose tables `valor_intervals` defines; empty without it.

    Parameters
    ----------
    definitions : dict
        Definitions of the schema, to which those of the tables are added.
    """
    names = ("confidence_parameters", "range_parameters", "slice_parameters")
    found = [extension(INTERVALS, name) for name in names]
    confidence, ranges, slices = (None if one is None else Keys.of(one.load()) for one in found)
    if confidence is None or ranges is None or slices is None:
        return {}
    fields = _list_of(_if("object", {"$ref": "#/$defs/range"}, {"type": "string"}))
    by = slices.schemas["by"] | _list_of({"$ref": "#/$defs/fields"})
    options = Keys({**slices.schemas, "by": by})
    # A table without keys may become either.
    either = _with_key("of", {"$ref": "#/$defs/range"}, (options | ranges).schema())
    level = {"anyOf": [confidence.schemas["level"], {"type": "null"}]}
    table = _with_key("by", options.schema(), either)
    definitions |= {
        "range": ranges.schema(),
        "fields": fields,
        "slices": _if("object", table, {"$ref": "#/$defs/fields"}),
        "confidence": _if("object", confidence.schema(), level),
    }
    return {
        "confidence": {"$ref": "#/$defs/confidence"},
        "slices": _list_of({"$ref": "#/$defs/slices"}),
    }


def _with_key(key: str, then: Json, otherwise: Json) -> Json:
    return {"if": {"required": [key]}, "then": then, "else": otherwise}


def _if(kind: str, then: Json, otherwise: Json) -> Json:
    return {"if": {"type": kind}, "then": then, "else": otherwise}


def _list_of(item: Json) -> Json:
    """Return the schema of an item or a list of items."""
    return _if("array", {"items": item}, item)


def _described(keys: Keys, key: str, schema: Json) -> Json:
    return {"description": keys.schemas[key]["description"], **schema}


def _keys_of(choice: Choice, convert: Callable[[str, Json], Json]) -> Keys:
    """Return the keys of a table with one of the names, with converted schemas."""
    parts = []
    for spec in choice.specs:
        keys = Keys.of(spec.parameter_class)
        resources = spec.resources if isinstance(spec, MetricSpec) else ()
        asked = {short_name(one): _INSTANCE for one in resources}
        parts.append((Keys(asked) | keys).mapped(convert))
    keys = Keys.of_any(parts)
    return keys.without(choice.excluded) if choice.excluded else keys
