"""``valor list``: installed metrics and other components."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from valor_report.tables.text_table import Row, TextTable

from valor_cli.commands.diagnosis import foreign_claims
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    Registry,
    ResourceKindSpec,
    ResourceSpec,
    Spec,
    TaskSpec,
)
from valor_core.specs.names import in_config
from valor_core.specs.registry import install_metrics
from valor_core.specs.spec import KINDS

DIRECTIONS = {True: "higher", False: "lower", None: "neither"}


def _choices(function: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each kind of component other than metrics."""
    for kinds in reversed([*KINDS]):
        if kinds != "metrics":
            option = f"--{kinds.replace('_', '-')}"
            text = f"List {kinds.replace('_', ' ')} instead."
            function = click.option(option, kinds, is_flag=True, help=text)(function)
    return function


@make_command("list")
@click.argument("namespaces", nargs=-1)
@_choices
@module_option
def command(namespaces: tuple[str, ...], as_json: bool, **wanted: bool) -> None:
    """List the installed metrics.

    NAMESPACES are the plugins to list; all installed plugins by default.
    """
    registry = chosen_registry()
    for namespace in namespaces:
        registry.manifest(namespace)
    found = {
        kinds: [
            spec
            for spec in registry.all(KINDS[kinds])
            if not namespaces or spec.namespace in namespaces
        ]
        for kinds in [kinds for kinds in KINDS if wanted.get(kinds)] or ["metrics"]
    }
    failures = {} if namespaces else registry.failures()
    if as_json:
        listed: dict[str, Any] = {
            kinds: [_listed_record(spec, registry) for spec in specs]
            for kinds, specs in found.items()
        }
        streams.say_json(listed | {"failures": {k: str(e) for k, e in failures.items()}})
        return
    for kinds, specs in found.items():
        streams.show(_tables(specs, registry))
        if not specs:
            streams.talk(f"no {kinds.replace('_', ' ')} are installed")
            if kinds == "metrics":
                streams.talk(install_metrics())
    for warning in () if namespaces else foreign_claims(registry):
        streams.talk(f"warning: {warning}")
    for namespace, error in failures.items():
        streams.talk(f"not usable: {namespace}: {error}")


def _tables(specs: Iterable[Spec], registry: Registry) -> Iterable[TextTable]:
    by_namespace: dict[str, list[Spec]] = {}
    for spec in specs:
        by_namespace.setdefault(spec.namespace, []).append(spec)
    for namespace, members in by_namespace.items():
        name, version = registry.distribution(members[0])
        facts = [facts_of(spec) for spec in members]
        keys = [key for key in facts[0] if any(each[key] != namespace for each in facts)]
        rows: list[Row] = [
            [spec.name, *(each[key] for key in keys), spec.summary]
            for spec, each in zip(members, facts, strict=True)
        ]
        kind = members[0].kind
        columns = [kind, *keys, _SUMMARY_TITLES.get(kind, "what it is")]
        yield TextTable(f"{namespace}, from {name} {version}".rstrip(), columns, rows)


_SUMMARY_TITLES = {"reader": "what it reads", "gallery": "what it draws"}


def facts_of(spec: Spec) -> dict[str, str]:
    """Return the columns of a component in lists, besides its name and summary.

    Examples
    --------
    >>> facts_of(Registry().find(ReaderSpec, "csv"))
    {'task': 'any'}
    """
    if isinstance(spec, MetricSpec):
        return {"task": ", ".join(spec.tasks), "better": DIRECTIONS[spec.higher_is_better]}
    if isinstance(spec, (ReaderSpec, GallerySpec)):
        return {"task": spec.task or "any"}
    if isinstance(spec, ResourceKindSpec):
        return {"resource": spec.resource}
    return {}


_IN_LISTS = ("name", "summary", "task", "resource", "other_tasks", "higher_is_better", "version")


def _listed_record(spec: Spec, registry: Registry) -> dict[str, Any]:
    facts = record(spec, registry)
    return {key: facts[key] for key in (*_IN_LISTS, "aliases", "distribution") if key in facts}


def record(spec: Spec, registry: Registry) -> dict[str, Any]:
    """Return the JSON record of a metric, reader or other component."""
    name, version = registry.distribution(spec)
    facts: dict[str, Any] = {"name": spec.name, "summary": spec.summary, "kind": spec.kind}
    if isinstance(spec, (MetricSpec, ReaderSpec, GallerySpec)):
        facts["task"] = spec.task
    if isinstance(spec, MetricSpec):
        facts |= {
            "other_tasks": list(spec.other_tasks),
            "higher_is_better": spec.higher_is_better,
            "range": str(spec.range),
            "version": spec.version,
            "per_item": isinstance(spec, ItemMetricSpec),
            "resources": list(spec.resources),
            "requires": [*spec.requires, *(f"{name} (optional)" for name in spec.uses)],
            "references": [str(reference) for reference in spec.references],
            "parameter_aliases": [
                f"{one.name} ({in_config(one.parameters)})" for one in spec.parameter_aliases
            ],
        }
    if isinstance(spec, ResourceSpec):
        facts |= {"identity": _listed(spec.identity), "free": spec.free}
        facts |= {"divided": _listed(spec.divided), "kinds": spec.kinds}
    if isinstance(spec, ResourceKindSpec):
        facts |= {"resource": spec.resource, "identity": _listed(spec.identity)}
    if isinstance(spec, TaskSpec):
        facts |= {"item": spec.item, "batch": spec.implementation}
    return facts | {
        "aliases": list(spec.aliases),
        "distribution": f"{name} {version}".rstrip(),
        "extra": spec.extra,
    }


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)
