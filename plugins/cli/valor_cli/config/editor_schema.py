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
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, field, frozen
from valor_report.gallery.parameters import GalleryParameters

from valor_cli.config.files import SCHEMA_KEY
from valor_cli.config.schema import RunConfig
from valor_core.errors import ConfigError
from valor_core.parameters import parameters_of
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
from valor_core.specs.names import folded_name, short_name
from valor_core.specs.query import NameQuery

_S = TypeVar("_S", bound=Spec)
_Json = dict[str, Any]

TITLE = "Valor config"
FILE = "valor.schema.json"
"""Name of the file with the schema in the folder of a config."""

_BEGINNING = 1 << 10
_PLACEHOLDERS = {"#": "[1-9][0-9]*", "%": r"([1-9][0-9]?|0?\.[0-9]+)"}
"""Patterns of the placeholders in well-known names, such as ``AR@#``."""
_DEPENDENT = ("task", "data", "metrics", "engine", "gallery")
"""Keys whose schema depends on the installed components."""
_SEPARATORS = "[_-]*"
_FILLED = r"\{(\w+\}|env:)"
"""Pattern of a text with an environment variable, or a placeholder of ``runs``."""


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
    definitions: _Json = {"filled": {"type": "string", "pattern": _FILLED}}
    keys = _Keys.of(RunConfig)
    others = {key: dict(one) for key, one in keys.schemas.items() if key not in _DEPENDENT}
    others["require"] |= {"additionalProperties": {"type": "string"}}
    others["runs"] |= _runs(keys)
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
        raise ConfigError(f"{file}: cannot be written, {error.strerror}") from error


def is_schema(file: Path) -> bool:
    """Return whether a file is a JSON Schema of configs."""
    with file.open("rb") as stream:
        return f'"title":{_compact(TITLE)}'.encode() in stream.read(_BEGINNING)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@frozen
class _Keys:
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

    schemas: Mapping[str, _Json]
    aliases: Mapping[str, _Json] = field(factory=dict)
    required: tuple[_Json, ...] = ()

    @classmethod
    @lru_cache
    def of(cls, parameter_class: type) -> _Keys:
        """Return the keys of a parameter class."""
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
                f"^({'|'.join(map(_escaped, entry.aliases))})$": properties[entry.name]
                for entry in entries
                if entry.aliases
            },
            (*required, *schema.get("allOf", ())),
        )

    @classmethod
    def of_any(cls, parts: Sequence[_Keys]) -> _Keys:
        """Return the keys of tables that have the keys of any part."""
        if len(parts) == 1:
            return parts[0]
        common = [one for one in parts[0].required if all(one in part.required for part in parts)]
        return cls(
            _either([part.schemas for part in parts]),
            _either([part.aliases for part in parts]),
            tuple(common),
        )

    def __or__(self, other: _Keys) -> _Keys:
        return _Keys(
            {**self.schemas, **other.schemas},
            {**self.aliases, **other.aliases},
            (*self.required, *other.required),
        )

    def mapped(self, convert: Callable[[str, _Json], _Json]) -> _Keys:
        """Return the keys with converted schemas."""
        return evolve(
            self, schemas={name: convert(name, schema) for name, schema in self.schemas.items()}
        )

    def without(self, key: str) -> _Keys:
        """Return the keys without one, which is not required either."""
        schemas = {name: schema for name, schema in self.schemas.items() if name != key}
        needed = [name for one in self.required for name in one.get("required", ()) if name != key]
        return _Keys(schemas, self.aliases, ({"required": needed},) if needed else ())

    def schema(self, *others: str) -> _Json:
        """Return the schema of a table with these keys and others, whose values may be any."""
        aliases = {"patternProperties": dict(self.aliases)} if self.aliases else {}
        return {
            "properties": {**dict.fromkeys(others, True), **self.schemas},
            **aliases,
            "additionalProperties": False,
        }


def _simplify_default(schema: _Json) -> None:
    """Replace a list as the default, which editors offer as "Default value"."""
    default = schema.get("default")
    if not isinstance(default, list):
        return
    del schema["default"]
    if len(default) == 1:
        schema["default"] = default[0]
    elif default:
        schema["description"] += f" Default: {', '.join(map(_compact, default))}."


def _fillable(schema: _Json) -> _Json:
    """Return a schema that also accepts a text to be filled in, which may become any value."""
    kinds = schema.get("anyOf", [{k: v for k, v in schema.items() if k not in _ABOUT}])
    if any(not kind or "string" in kind.get("type", ()) for kind in kinds):
        return schema
    about = {key: value for key, value in schema.items() if key in _ABOUT}
    return {"anyOf": [*kinds, {"$ref": "#/$defs/filled"}], **about}


_ABOUT = ("default", "description")


def _runs(keys: _Keys) -> _Json:
    """Return the schema of ``runs``: a list of names, a table of settings by name, or a matrix."""
    one = {"type": ["object", "null"], "properties": {key: {} for key in keys.schemas}}
    axes = {"additionalProperties": {"type": ["array", "object"], "additionalProperties": one}}
    return {
        "type": ["array", "object", "null"],
        "if": {"required": ["matrix"]},
        "then": {"properties": {"matrix": axes}},
        "else": {"additionalProperties": one},
    }


def _either(parts: Sequence[Mapping[str, _Json]]) -> dict[str, _Json]:
    merged: dict[str, list[_Json]] = {}
    for part in parts:
        for key, schema in part.items():
            found = merged.setdefault(key, [])
            if schema not in found:
                found.append(schema)
    return {key: found[0] if len(found) == 1 else {"anyOf": found} for key, found in merged.items()}


@frozen
class _Choice:
    """Names that select the same components.

    Parameters
    ----------
    specs : tuple of Spec
        The components: one, or all that share a name without a namespace.
    names : tuple of str
        Canonical names.
    full, bare : frozenset of str
        Normalized names and aliases, with and without a namespace.
    excluded : str, optional
        Parameter that a name sets. The names are all others of the namespace.
    """

    specs: tuple[Spec, ...]
    names: tuple[str, ...] = ()
    full: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    excluded: str | None = None

    @property
    def title(self) -> str:
        """Names of the components."""
        names = [spec.name for spec in self.specs]
        return "+".join(names) + (f".{self.excluded}" if self.excluded else "")

    def keys(self, convert: Callable[[str, _Json], _Json]) -> _Keys:
        """Return the keys of a table with one of the names, with converted schemas."""
        parts = []
        for spec in self.specs:
            keys = _Keys.of(spec.parameter_class)
            resources = spec.resources if isinstance(spec, MetricSpec) else ()
            asked = {short_name(one): _INSTANCE for one in resources}
            parts.append((_Keys(asked) | keys).mapped(convert))
        keys = _Keys.of_any(parts)
        return keys.without(self.excluded) if self.excluded else keys


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
    """

    registry: Registry
    definitions: _Json
    is_closed: bool

    def schema(self, keys: _Keys) -> _Json:
        """Return the schema of the keys that depend on components."""
        tasks = self._tasks()
        chain = self._of_task(None, keys)
        for task in reversed(tasks):
            chain = {"if": self._selects(task), "then": self._of_task(task, keys), "else": chain}
        known: list[_Json] = [{"enum": tasks}, {"type": "null"}]
        properties: _Json = {
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

    def _selects(self, task: str) -> _Json:
        """Return the condition that a config has a task, or no task and a reader of this task."""
        named = {
            "properties": {"task": {"type": "string", "pattern": f"^{_escaped(task)}$"}},
            "required": ["task"],
        }
        choices = [
            choice
            for choice in self._choices(ReaderSpec, self.registry.all(ReaderSpec), None)
            if all(isinstance(spec, ReaderSpec) and spec.task == task for spec in choice.specs)
        ]
        if not choices:
            return self._ref(f"task.{task}", named)
        reader = {"type": "string", "pattern": _pattern(choices)}
        implied = {
            "not": {"required": ["task"]},
            "properties": {"data": {"properties": {"reader": reader}, "required": ["reader"]}},
            "required": ["data"],
        }
        return self._ref(f"task.{task}", {"anyOf": [named, implied]})

    def _of_task(self, task: str | None, keys: _Keys) -> _Json:
        """Return the schema of a config with a task; None for any."""
        metrics = self._metrics(task)
        properties = {
            "data": _described(keys, "data", self._data(task)),
            "metrics": _described(keys, "metrics", metrics),
            "gallery": _described(keys, "gallery", self._gallery(task)),
        }
        return {
            "properties": properties,
            "patternProperties": {"^metrics_to_return$": metrics},
        }

    def _metrics(self, task: str | None) -> _Json:
        choices = self._choices(MetricSpec, self.registry.metrics_of(task), task)
        label = f"metrics.{task or 'any'}"
        return self._list(self._item("name", choices, label), choices, label)

    def _data(self, task: str | None) -> _Json:
        specs = self.registry.all(ReaderSpec)
        for spec in self.registry.all(TaskSpec):
            if spec.short_name == task:
                specs = [reader for reader in specs if reader.serves(spec)]
        choices = self._choices(ReaderSpec, specs, task)
        return {"type": "object", **self._table("reader", choices, f"readers.{task or 'any'}")}

    def _gallery(self, task: str | None) -> _Json:
        specs = [spec for spec in self.registry.all(GallerySpec) if task in (None, spec.task)]
        choices = self._choices(GallerySpec, specs, task)
        default = [spec for spec in specs if spec.short_name == "Gallery"]
        shared = _Keys.of(GalleryParameters)
        table = self._table("name", choices, f"galleries.{task or 'any'}", default, shared)
        return {"type": ["object", "null"], **table}

    def _engine(self) -> _Json:
        choices = self._choices(EngineSpec, self.registry.all(EngineSpec), None)
        local = [spec for choice in choices for spec in choice.specs if spec.name == "core.local"]
        item = self._item("name", choices, "engines", local)
        return {
            "examples": _names(choices),
            "if": {"type": "null"},
            "else": {"type": ["object", "string"], **item},
        }

    def _resources(self) -> _Json:
        """Return the schemas of the sections of resources: a table, or a table of tables."""
        sections: dict[str, list[ResourceSpec]] = {}
        for spec in self.registry.all(ResourceSpec):
            sections.setdefault(spec.short_name, []).append(spec)
        return {name: self._section(specs) for name, specs in sections.items()}

    def _section(self, specs: Sequence[ResourceSpec]) -> _Json:
        keys = _Keys.of_any([self._keys_of_resource(spec) for spec in specs])
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

    def _keys_of_resource(self, spec: ResourceSpec) -> _Keys:
        keys = _Keys.of(spec.parameter_class)
        if spec.kinds is None:
            return keys
        kinds = [kind for kind in self.registry.all(ResourceKindSpec) if kind.resource == spec.name]
        choices = self._choices(ResourceKindSpec, kinds, spec.namespace)
        label = f"{spec.name}.{spec.kinds}"
        item = self._item("name", choices, label)
        one = self._list(item, choices, label) if spec.several_kinds else item
        return keys | _Keys({spec.kinds: one})

    def _choices(self, kind: type[_S], specs: Sequence[_S], task: str | None) -> list[_Choice]:
        """Return the names that select components, as the registry resolves them.

        Without a task, a name without a namespace selects all components of this name.
        """
        query = NameQuery(kind, "", task)
        is_any = task is None and not kind.searched_globally
        homes = self.registry.homes(query)
        selected: dict[tuple[str, ...], set[str]] = {(spec.name,): set() for spec in specs}
        for spelling, names in _by_spelling(specs).items():
            found = names
            if not is_any:
                home = next((home for home in homes if _in(home, names)), None)
                found = names if home is None else _in(home, names)
                if len(found) > 1 or (home is None and not query.accepts_only_match):
                    continue
            selected.setdefault(tuple(found), set()).add(spelling)
        by_name = {spec.name: spec for spec in specs}
        return [
            choice
            for names, bare in selected.items()
            for choice in _choices_of([by_name[name] for name in names], bare)
        ]

    def _item(
        self, key: str, choices: Sequence[_Choice], label: str, default: Sequence[Spec] = ()
    ) -> _Json:
        """Return the schema of a name, or of a table with a name and parameters."""
        # Language servers for YAML offer the examples of a table without a name: they read the
        # beginning of a name in a list as the first key of a table. Those for JSON offer the
        # examples of the item. `allOf` hides these from the former, which would always offer them.
        table = self._table(key, choices, label, default)
        rule = {
            "if": {"type": "object"},
            "then": {**table, "if": {"required": [key]}, "else": self._offered(choices, label)},
            "else": self._name(choices, label),
        }
        return self._ref(label, {"examples": _names(choices), "allOf": [rule]})

    def _list(self, item: _Json, choices: Sequence[_Choice], label: str) -> _Json:
        """Return the schema of an item or a list of items."""
        schema = {
            "allOf": [self._offered(choices, label)],
            "if": {"type": "array"},
            "then": {"items": item, "minItems": 1},
            "else": item,
        }
        return self._ref(f"list.{label}", schema)

    def _offered(self, choices: Sequence[_Choice], label: str) -> _Json:
        return self._ref(f"offered.{label}", {"examples": _names(choices)})

    def _table(
        self,
        key: str,
        choices: Sequence[_Choice],
        label: str,
        default: Sequence[Spec] = (),
        shared: _Keys | None = None,
    ) -> _Json:
        """Return the schema of a table with a name under a key, and parameters."""
        unnamed = {"not": {"required": [key]}}
        cases = [(unnamed, _Choice(tuple(default)))] if default else []
        cases += [(self._selected(key, choice), choice) for choice in choices]
        rules: list[_Json] = []
        needed: list[_Json] = [] if default else [{"required": [key]}]
        for condition, choice in cases:
            keys = choice.keys(lambda name, one: self._ref(f"key.{name}", one))
            keys = keys if shared is None else shared | keys
            table = self._ref("keys", keys.schema(*({key} - keys.schemas.keys())))
            about = {"title": choice.title, "description": choice.specs[0].summary}
            rules.append(
                self._ref(f"when.{choice.title}", {"if": condition, "then": about | table})
            )
            needed += [{"if": condition, "then": one} for one in keys.required]
        parts = [self._ref(f"rules.{label}", {"allOf": rules})] if rules else []
        parts += needed if self.is_closed else []
        names = {"properties": {key: self._name(choices, label)}}
        return self._ref(f"table.{label}", names | ({"allOf": parts} if parts else {}))

    def _selected(self, key: str, choice: _Choice) -> _Json:
        """Return the condition that a table has a name of a choice."""
        name = {"type": "string", "pattern": _pattern([choice])}
        condition = {"properties": {key: name}, "required": [key]}
        return self._ref(f"selected.{choice.title}", condition)

    def _name(self, choices: Sequence[_Choice], label: str) -> _Json:
        names = self._ref(f"names.{label}", {"enum": _names(choices)})
        others = {"pattern": _pattern(choices, f".*{_FILLED}.*")} if self.is_closed else {}
        return self._ref(f"name.{label}", {"type": "string", "anyOf": [names, others]})

    def _ref(self, name: str, schema: _Json) -> _Json:
        """Add a definition, under another name if the name is taken, and return a reference."""
        key, number = name, 1
        while self.definitions.setdefault(key, schema) != schema:
            number += 1
            key = f"{name}.{number}"
        return {"$ref": f"#/$defs/{key}"}


_INSTANCE: _Json = {
    "type": "string",
    "description": "Which of several resources of this sort.",
}


def _choices_of(specs: Sequence[Spec], bare: Collection[str]) -> Iterator[_Choice]:
    """Yield the choice of components with the spellings of their bare names."""
    named = [spec.short_name for spec in specs if folded_name(spec.short_name) in bare]
    short = list(dict.fromkeys(named))
    if len(specs) > 1:
        yield _Choice(tuple(specs), tuple(short), bare=frozenset(bare))
        return
    spec = specs[0]
    full = frozenset(_direct(spec) + _aliases(spec))
    yield _Choice((spec,), (*short, spec.name), full, frozenset(bare))
    if isinstance(spec, MetricSpec) and spec.name_parameter:
        yield _Choice((spec,), full=full, excluded=spec.name_parameter)


def _direct(spec: Spec) -> list[str]:
    return [folded_name(name) for name in (spec.short_name, *spec.aliases)]


def _aliases(spec: Spec) -> list[str]:
    known = spec.parameter_aliases if isinstance(spec, MetricSpec) else ()
    return [folded_name(alias.name) for alias in known if alias.is_clear]


def _by_spelling(specs: Iterable[Spec]) -> dict[str, list[str]]:
    """Return the names of the components by normalized bare name; names win over aliases."""
    direct: dict[str, list[str]] = {}
    aliases: dict[str, list[str]] = {}
    for spec in specs:
        for name in dict.fromkeys(_direct(spec)):
            direct.setdefault(name, []).append(spec.name)
        for name in dict.fromkeys(_aliases(spec)):
            aliases.setdefault(name, []).append(spec.name)
    return aliases | direct


def _in(namespace: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.partition(".")[0] == namespace]


def _names(choices: Iterable[_Choice]) -> list[str]:
    """Return the canonical names, those without a namespace first."""
    names = dict.fromkeys(name for choice in choices for name in choice.names)
    return sorted(names, key=lambda name: ("." in name, name.casefold()))


def _described(keys: _Keys, key: str, schema: _Json) -> _Json:
    return {"description": keys.schemas[key]["description"], **schema}


def _pattern(choices: Sequence[_Choice], other: str | None = None) -> str:
    """Return the pattern of all names of some choices."""
    full: dict[str, set[str]] = {}
    parts: list[str] = []
    for choice in choices:
        namespace = choice.specs[0].namespace
        if choice.excluded:
            excluded = _any_of(choice.full)
            parts.append(rf"{_any_case(namespace)}\.(?!{excluded}(@|$))[^.]+")
        elif choice.full:
            full.setdefault(namespace, set()).update(choice.full)
            parts += [_escaped(one.identity) for one in choice.specs if isinstance(one, MetricSpec)]
    bare = {name for choice in choices for name in choice.bare}
    groups = [("", bare.difference(*full.values()))]
    for namespace, names in full.items():
        space = _any_case(namespace) + r"\."
        groups += [(f"({space})?", names & bare), (space, names - bare)]
    parts += [start + _any_of(frozenset(group)) for start, group in groups if group]
    return f"^({'|'.join([*parts, *([other] if other else [])])})$"


@lru_cache(maxsize=8192)
def _any_of(names: frozenset[str]) -> str:
    """Return a pattern of normalized names that ignores case, underscores and hyphens.

    Names with the same beginning share its pattern, which makes the schema smaller.
    """
    beginning = min(names)
    while not all(name.startswith(beginning) for name in names):
        beginning = beginning[:-1]
    letters = [_PLACEHOLDERS.get(letter) or _any_case(letter) for letter in beginning]
    groups: dict[str, set[str]] = {}
    for name in names:
        if end := name[len(beginning) :]:
            groups.setdefault(end[0], set()).add(end)
    ends = [_any_of(frozenset(groups[letter])) for letter in sorted(groups)]
    if not ends:
        return _SEPARATORS.join(letters)
    rest = ends[0] if len(ends) == 1 else f"({'|'.join(ends)})"
    if letters:
        rest = _SEPARATORS + rest
    return _SEPARATORS.join(letters) + (f"({rest})?" if beginning in names else rest)


@lru_cache(maxsize=1024)
def _any_case(name: str) -> str:
    return "".join(
        f"[{letter.upper()}{letter}]" if letter.isalpha() else _escaped(letter) for letter in name
    )


def _escaped(text: str) -> str:
    """Escape a text for patterns in JavaScript, which reject escapes of other characters."""
    return re.sub(r"[$()*+./?\[\\\]^{|}]", r"\\\g<0>", text)
