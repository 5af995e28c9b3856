"""``valor list``: what can be chosen by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from valor_core.cli import streams
from valor_core.cli.command import command as make_command
from valor_core.registry import Registry, install_metrics
from valor_core.spec import GallerySpec, MetricSpec, ReaderSpec, Spec
from valor_core.table import Row, Table

DIRECTIONS = {True: "higher", False: "lower", None: "neither"}


@make_command("list")
@click.argument("namespaces", nargs=-1)
@click.option("--readers", is_flag=True, help="List readers instead.")
@click.option("--resources", is_flag=True, help="List resources instead.")
@click.option("--galleries", is_flag=True, help="List galleries instead.")
def command(
    namespaces: tuple[str, ...], readers: bool, resources: bool, galleries: bool, as_json: bool
) -> None:
    """List the metrics that can be chosen by name.

    NAMESPACES are the plugins to look in; all that are installed without any.
    """
    registry = Registry()
    for namespace in namespaces:
        registry.manifest(namespace)
    kinds: dict[str, Iterable[Spec]] = {}
    if readers:
        kinds["readers"] = registry.readers()
    if resources:
        kinds["resources"] = registry.resources()
    if galleries:
        kinds["galleries"] = registry.galleries()
    if not kinds:
        kinds["metrics"] = registry.metrics()
    found = {
        kind: [spec for spec in specs if not namespaces or spec.namespace in namespaces]
        for kind, specs in kinds.items()
    }
    failures = {} if namespaces else registry.failures()
    if as_json:
        listed: dict[str, Any] = {
            kind: [_record(spec, registry) for spec in specs] for kind, specs in found.items()
        }
        streams.say_json(listed | {"failures": {k: str(e) for k, e in failures.items()}})
        return
    for kind, specs in found.items():
        streams.show(_tables(specs, registry))
        if not specs:
            streams.talk(f"no {kind} are installed")
            if kind == "metrics":
                streams.talk(install_metrics())
    for namespace, error in failures.items():
        streams.talk(f"not usable: {namespace}: {error}")


def _tables(specs: Iterable[Spec], registry: Registry) -> Iterable[Table]:
    by_namespace: dict[str, list[Spec]] = {}
    for spec in specs:
        by_namespace.setdefault(spec.namespace, []).append(spec)
    for namespace, own in by_namespace.items():
        name, version = registry.distribution(own[0])
        yield Table(f"{namespace}, from {name} {version}", _columns(own[0]), map(_row, own))


def _columns(spec: Spec) -> tuple[str, ...]:
    if isinstance(spec, MetricSpec):
        return ("metric", "task", "better", "what it is")
    if isinstance(spec, ReaderSpec):
        return ("reader", "task", "what it reads")
    if isinstance(spec, GallerySpec):
        return ("gallery", "task", "what it draws")
    return ("resource", "what it is")


def _row(spec: Spec) -> Row:
    if isinstance(spec, MetricSpec):
        return [spec.name, spec.task, DIRECTIONS[spec.higher_is_better], spec.summary]
    if isinstance(spec, (ReaderSpec, GallerySpec)):
        return [spec.name, spec.task or "any", spec.summary]
    return [spec.name, spec.summary]


def _record(spec: Spec, registry: Registry) -> dict[str, Any]:
    name, version = registry.distribution(spec)
    record: dict[str, Any] = {"name": spec.name, "summary": spec.summary}
    if isinstance(spec, (MetricSpec, ReaderSpec, GallerySpec)):
        record["task"] = spec.task
    if isinstance(spec, MetricSpec):
        record |= {"higher_is_better": spec.higher_is_better, "version": spec.version}
    return record | {"aliases": list(spec.aliases), "distribution": f"{name} {version}"}
