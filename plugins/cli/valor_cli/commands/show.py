"""``valor show``: description and parameters of a metric or another component."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import click
from valor_report.gallery.parameters import GalleryParameters
from valor_report.tables.text_table import Row, TextTable

from valor_cli.commands.list import DIRECTIONS, record
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_core.errors import (
    AmbiguousNameError,
    MissingPluginError,
    RegistryError,
    UnknownNameError,
    did_you_mean,
)
from valor_core.packages import OWNERS, ways
from valor_core.parameters import Parameter, parameters_of
from valor_core.parameters.declaration import plain_value
from valor_core.scoring.decorator import FunctionMetricSpec
from valor_core.specs import GallerySpec, MetricSpec, Registry, Spec
from valor_core.specs.names import folded_name
from valor_core.specs.query import NameQuery
from valor_core.specs.spec import KINDS

_SECTION = re.compile(r"(?m)^(\w[\w ]*)\n-{3,}\n")


@make_command("show")
@click.argument("name")
@module_option
def command(name: str, as_json: bool) -> None:
    """Describe a metric, reader, engine or other component.

    NAME is qualified, such as classification.ROCAUC, or bare if only one plugin has it. Case, _
    and - are ignored.
    """
    registry = chosen_registry()
    spec = find(name, registry)
    facts = record(spec, registry)
    defined = definition(spec)
    if as_json:
        records = [_record(parameter) for parameter in _parameters(spec)]
        streams.say_json(facts | {"definition": defined, "parameters": records})
        return
    streams.say(f"{spec.name}\n{streams.filled(spec.summary)}\n")
    for paragraph in defined.split("\n\n") if defined else ():
        streams.say(f"{streams.filled(paragraph.replace('`', ''), most=88)}\n")
    lines = {_TITLES.get(t, t): text for t, value in facts.items() if (text := _words(t, value))}
    wide = max(map(len, lines)) + 2
    for title, text in lines.items():
        streams.say(streams.filled(f"{title:{wide}}{text}", indent=wide))
    streams.say("")
    if entries := _parameters(spec):
        streams.show([_table(entries)])
    else:
        streams.say("It has no parameters.")


def definition(spec: Spec) -> str:
    """Import an implementation and return the description and notes of its docstring.

    Parameters
    ----------
    spec : Spec
        Declaration of the metric, reader or other component.

    Returns
    -------
    str
        Paragraphs; empty if the code cannot be imported or has no docstring.

    Examples
    --------
    >>> from valor_core.specs import Registry
    >>> from valor_core.specs import ReaderSpec
    >>> definition(Registry().find(ReaderSpec, "csv")).partition(";")[0]
    'Reader of tables with one item per row'
    """
    try:
        code = spec.load()
    except RegistryError:
        return ""
    if isinstance(spec, FunctionMetricSpec):
        return ""
    text, *sections = _SECTION.split(inspect.getdoc(code) or "")
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    paragraphs = [*text.split("\n\n"), *named.get("Notes", "").split("\n\n")]
    return "\n\n".join(" ".join(part.split()) for part in paragraphs if part.strip())


def _parameters(spec: Spec) -> tuple[Parameter, ...]:
    """Return the parameters that a config can set, shared ones first."""
    shared = parameters_of(GalleryParameters) if isinstance(spec, GallerySpec) else ()
    return shared + parameters_of(spec.parameter_class)


def find(name: str, registry: Registry) -> Spec:
    """Find a metric, reader or other component by its qualified or bare name.

    Parameters
    ----------
    name : str
        Name or alias; names win over aliases, and metrics over other kinds.
    registry : Registry
        Registry used to resolve the name.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        If no component, or more than one, has the name.
    """
    if "." not in name:
        return _find_bare(name, registry)
    found: list[Spec] = []
    misses: list[UnknownNameError] = []
    for kind in KINDS.values():
        try:
            found.append(registry.find(kind, name))
        except MissingPluginError:
            raise
        except UnknownNameError as error:
            misses.append(error)
    if found:
        return _exact(name.rpartition(".")[2], found)[0]
    nearest = did_you_mean(name, [spec.name for spec in _all(registry)])
    raise UnknownNameError(misses[0].message, nearest or misses[0].remedy) from None


def _find_bare(name: str, registry: Registry) -> Spec:
    wanted, specs = folded_name(name.partition("@")[0]), _all(registry)
    named = [spec for spec in specs if wanted in map(folded_name, (spec.short_name, *spec.aliases))]
    found = _exact(name, named)
    if len({spec.name for spec in found}) == 1:
        return found[0]
    if found:
        names = " or ".join(repr(spec.name) for spec in found)
        raise AmbiguousNameError(f"{name!r}: several plugins have it", f"Write {names}.")
    candidates = {word for spec in specs for word in (spec.short_name, *spec.aliases)}
    metrics = [spec for spec in specs if isinstance(spec, MetricSpec)]
    query = NameQuery(MetricSpec, name)
    remedy = (
        query.as_written(metrics)
        or query.sought(metrics)
        or query.closest(sorted(candidates))
        or (_not_installed(registry) if metrics else None)
        or registry.where_to_look
    )
    raise UnknownNameError(f"{name!r}: no installed plugin has it", remedy)


def _not_installed(registry: Registry) -> str | None:
    """Return a remedy that lists the plugins of this project that are not installed."""
    missing = [space for space in OWNERS if space not in registry.namespaces]
    if not missing:
        return None
    owners = dict.fromkeys(OWNERS[space] for space in missing)
    return f"Not installed: {', '.join(missing)}. Install with: {ways(*owners)}"


def _exact(name: str, found: list[Spec]) -> list[Spec]:
    """Return the specs whose short name matches, or all if only aliases match."""
    wanted = folded_name(name.partition("@")[0])
    return [spec for spec in found if folded_name(spec.short_name) == wanted] or found


def _all(registry: Registry) -> list[Spec]:
    return [spec for kind in KINDS.values() for spec in registry.all(kind)]


_TITLES = {
    "higher_is_better": "better",
    "other_tasks": "other tasks",
    "per_item": "per item",
    "aliases": "also called",
    "parameter_aliases": "known as",
    "identity": "decided by",
    "divided": "over all workers",
    "kinds": "has kinds, by",
}


def _words(title: str, value: Any) -> str:
    """Format a fact for display; an empty string hides its line."""
    if title in ("name", "summary"):
        return ""
    if title == "higher_is_better":
        return DIRECTIONS[value]
    if title == "task" and value is None:
        return "any"
    if title == "free":
        return "anybody may open it" if value else ""
    if title == "per_item":
        return "yes, the mean of a score for each item" if value else ""
    if isinstance(value, list):
        return ("; " if title == "references" else ", ").join(value)
    return "" if value is None else str(value)


def _table(entries: tuple[Parameter, ...]) -> TextTable:
    rows: list[Row] = []
    for parameter in entries:
        also = f" Also called {', '.join(parameter.aliases)}." if parameter.aliases else ""
        rows.append(
            [
                parameter.name,
                parameter.kind.words,
                "required" if parameter.required else json.dumps(plain_value(parameter.default)),
                parameter.range,
                f"{parameter.help}{also}",
            ]
        )
    return TextTable("Parameters", ["name", "type", "default", "range", "what it means"], rows)


def _record(parameter: Parameter) -> dict[str, Any]:
    default = {} if parameter.required else {"default": plain_value(parameter.default)}
    return {
        "name": parameter.name,
        "type": parameter.kind.words,
        "required": parameter.required,
        **default,
        "range": parameter.range,
        "help": parameter.help,
        "aliases": list(parameter.aliases),
    }
