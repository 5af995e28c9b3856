"""Resolved config: the config recorded in a report, from which the run can be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from valor_report.gallery.parameters import GalleryParameters

from valor_cli.config.config_file import Request
from valor_cli.config.paths import moved_paths, moved_requirements, moved_resource, path_from
from valor_cli.config.schema import RunConfig
from valor_core.evaluation import Evaluator
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
    excluded = ("metrics_to_return", "output", "flat", "state")
    values = {key: value for key, value in request.values.items() if key not in excluded}
    evaluation, registry = evaluator.evaluation, evaluator.registry
    described = evaluation.describe()
    values |= {key: described[key] for key in ("task", "metrics")}
    if isinstance(described.get("slices"), Mapping):  # with boundaries instead of quantiles
        values["slices"] = described["slices"]
    home = next((path.parent for path in output), Path.cwd())

    def move(text: str) -> str:
        return path_from(home, request.folder / text)

    def move_found(text: str) -> str:
        return move(text) if (request.folder / text).exists() else text

    values["metrics"] = [
        moved_paths(described, metric.spec.parameter_class, move_found)
        | ({} if metric.asked is None else {"asked": metric.asked})
        for described, metric in zip(values["metrics"], evaluation.plan.metrics, strict=True)
    ]
    reader = registry.find(ReaderSpec, values["data"]["reader"], evaluation.task)
    values["data"] = moved_paths(values["data"], reader.parameter_class, move)
    for resource in evaluation.resources:
        name = resource.spec.short_name
        if name in values:
            values[name] = moved_resource(values[name], resource.spec, registry, move)
    if "require" in values:
        values["require"] = moved_requirements(values["require"], move)
    if planned is not None:
        for cls in (GalleryParameters, planned.parameters):
            values["gallery"] = moved_paths(values["gallery"], cls, move)
    files: dict[str, Any] = {key: values[key] for key in ("modules", "items") if key in values}
    return values | moved_paths(files, RunConfig, move)
