"""Resolved config: the config recorded in a report, from which the run can be repeated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from valor_report.gallery.parameters import GalleryParameters

from valor_cli.config.config_file import Request
from valor_cli.config.schema import RunConfig
from valor_core.evaluation import Evaluator
from valor_core.parameters import declared
from valor_core.specs import ReaderSpec

if TYPE_CHECKING:
    from valor_report.gallery.worst_items import PlannedGallery


def resolved(
    request: Request,
    evaluator: Evaluator,
    output: Iterable[Path],
    planned: PlannedGallery | None,
) -> dict[str, Any]:
    """Return the config to record: metrics in full, paths relative to the report's folder.

    Environment variables stay references, so reports contain no secrets.
    """
    excluded = ("metrics_to_return", "output", "state")
    values = {key: value for key, value in request.values.items() if key not in excluded}
    evaluation, registry = evaluator.evaluation, evaluator.registry
    values |= {key: evaluation.describe()[key] for key in ("task", "metrics")}
    home = next((path.parent for path in output), Path.cwd())

    def move(text: str) -> str:
        return path_from(home, request.folder / text)

    def move_found(text: str) -> str:
        return move(text) if (request.folder / text).exists() else text

    values["metrics"] = [
        moved_paths(described, metric.spec.parameter_class, move_found)
        for described, metric in zip(values["metrics"], evaluation.plan.metrics, strict=True)
    ]
    reader = registry.find(ReaderSpec, values["data"]["reader"], evaluation.task)
    values["data"] = moved_paths(values["data"], reader.parameter_class, move)
    for resource in evaluation.resources:
        name, cls = resource.spec.short_name, resource.spec.parameter_class
        if name in values:
            values[name] = moved_paths(values[name], cls, move)
    if planned is not None:
        for cls in (GalleryParameters, planned.parameters):
            values["gallery"] = moved_paths(values["gallery"], cls, move)
    files: dict[str, Any] = {key: values[key] for key in ("modules", "items") if key in values}
    return values | moved_paths(files, RunConfig, move)


def moved_paths(
    section: Mapping[str, Any], cls: type, move: Callable[[str], Any]
) -> dict[str, Any]:
    """Apply `move` to the values of a config section that its parameter class types as paths."""
    kinds = {
        name: entry.kind
        for entry in declared(cls)
        if entry.kind.has_paths
        for name in (entry.name, *entry.aliases)
    }
    return {
        key: _with_paths(value, move) if key in kinds and kinds[key].holds_paths(value) else value
        for key, value in section.items()
    }


def _with_paths(value: Any, move: Callable[[str], Any]) -> Any:
    if isinstance(value, str):
        return value if "${env:" in value else move(value)
    if isinstance(value, (list, tuple)):
        return [_with_paths(item, move) for item in value]
    if isinstance(value, Mapping):
        return {key: _with_paths(item, move) for key, item in value.items()}
    return value


def path_from(home: Path, path: Path) -> str:
    """Return a path relative to the folder `home`."""
    try:
        return Path(os.path.relpath(path.resolve(), home.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()
