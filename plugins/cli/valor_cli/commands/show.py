"""``valor show``: what a metric, or anything else that a plugin brings, is and takes."""

from __future__ import annotations

import json
from typing import Any

import click
from valor_report.gallery.parameters import GalleryParameters
from valor_report.tables.text_table import Row, TextTable

from valor_cli.commands.definition import definition
from valor_cli.commands.list import DIRECTIONS, record
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_core.errors import AmbiguousNameError, MissingPluginError, UnknownNameError, did_you_mean
from valor_core.packages import OWNERS, ways
from valor_core.parameters import Parameter, declared, plain_value
from valor_core.specs import KINDS, GallerySpec, MetricSpec, NameQuery, Registry, Spec, fold


@make_command("show")
@click.argument("name")
def command(name: str, as_json: bool) -> None:
    """Show what a metric, reader, engine or the like is and takes.

    NAME is qualified, such as classification.ROCAUC, or bare where only one plugin has it. Case,
    _ and - do not matter.
    """
    registry = Registry()
    spec = find(name, registry)
    facts = record(spec, registry)
    defined = definition(spec)
    if as_json:
        records = [_record(parameter) for parameter in _taken(spec)]
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
    taken = _taken(spec)
    if taken:
        streams.show([_table(taken)])
    else:
        streams.say("It takes no parameters.")


def _taken(spec: Spec) -> tuple[Parameter, ...]:
    """What a config can say of it."""
    shared = declared(GalleryParameters) if isinstance(spec, GallerySpec) else ()
    return shared + declared(spec.parameter_class)


def find(name: str, registry: Registry) -> Spec:
    """The metric, reader or anything else of a name, qualified or not.

    Parameters
    ----------
    name : str
        What to find; names come before aliases, and metrics first.
    registry : Registry
        Where to look.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        With the names that come nearest.
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
    wanted, specs = fold(name.partition("@")[0]), _all(registry)
    known = [spec for spec in specs if wanted in map(fold, (spec.short_name, *spec.aliases))]
    found = _exact(name, known)
    if len({spec.name for spec in found}) == 1:
        return found[0]
    if found:
        names = " or ".join(repr(spec.name) for spec in found)
        raise AmbiguousNameError(f"{name!r}: several plugins have it", f"Write {names}.")
    candidates = {word for spec in specs for word in (spec.short_name, *spec.aliases)}
    metrics = [spec for spec in specs if isinstance(spec, MetricSpec)]
    looked_for = NameQuery(MetricSpec, name)
    remedy = (
        looked_for.as_written(metrics)
        or looked_for.sought(metrics)
        or looked_for.closest(sorted(candidates))
        or (_not_installed(registry) if metrics else None)
        or registry.where_to_look
    )
    raise UnknownNameError(f"{name!r}: no installed plugin has it", remedy)


def _not_installed(registry: Registry) -> str | None:
    """Remedy for a name that a plugin of this project may have that is not installed."""
    missing = [space for space in OWNERS if space not in registry.namespaces]
    if not missing:
        return None
    owners = dict.fromkeys(OWNERS[space] for space in missing)
    return f"Not installed: {', '.join(missing)}. Install with: {ways(*owners)}"


def _exact(name: str, found: list[Spec]) -> list[Spec]:
    """Those with the very name; where there are none, those with it as an alias."""
    wanted = fold(name.partition("@")[0])
    return [spec for spec in found if fold(spec.short_name) == wanted] or found


def _all(registry: Registry) -> list[Spec]:
    return [spec for kind in KINDS.values() for spec in registry.all(kind)]


_TITLES = {
    "higher_is_better": "better",
    "other_tasks": "other tasks",
    "per_item": "per item",
    "aliases": "also called",
    "known_as": "known as",
    "identity": "decided by",
    "divided": "over all workers",
    "kinds": "has kinds, by",
}


def _words(title: str, value: Any) -> str:
    """A fact as people read it; nothing where there is nothing to say."""
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


def _table(taken: tuple[Parameter, ...]) -> TextTable:
    rows: list[Row] = []
    for parameter in taken:
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
