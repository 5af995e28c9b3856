"""Running a request: to a report, its files and its gallery."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from valor_core.config.schema import RunConfig
from valor_core.destinations import check_destinations
from valor_core.errors import found_at
from valor_core.evaluate import Progress, reader_of, run
from valor_core.evaluator import Evaluator
from valor_core.exhibition import Exhibition
from valor_core.exhibition import plan as plan_exhibition
from valor_core.item_file import write_items
from valor_core.metric_module import decorated
from valor_core.registry import Registry
from valor_core.report import Report
from valor_core.request import Request
from valor_core.resolved_config import resolved


def run_config(request: Request, progress: Progress | None = None) -> Report:
    """The report of a config; its output files are written and its gallery is drawn.

    Parameters
    ----------
    request : Request
        The config.
    progress : callable, optional
        Told how far the work is.

    Raises
    ------
    ValorError
        Of the class that says what is wrong, with the path to it.
    """
    checked = request.checked()
    chosen = checked.run
    registry = Registry(chosen.plugins)
    for module in chosen.modules:
        with found_at(request.place):
            for spec in decorated(request.folder / module):
                registry.add(spec)
    output = tuple(request.folder / path for path in chosen.output)
    check_destinations("output", output, (".json", ".csv", ".md", ".html"), request.place)
    if isinstance(chosen.items, Path):
        rows = request.folder / chosen.items
        check_destinations("items", [rows], (".jsonl", ".parquet"), request.place)
    with Evaluator(
        chosen.metrics,
        chosen.task,
        slices=chosen.slices,
        filter=chosen.filter,
        label_map=chosen.label_map,
        require=chosen.require,
        items=bool(chosen.items),
        resources=checked.resources,
        registry=registry,
        folder=request.folder,
        place=request.place,
    ) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(chosen.data, task, registry, request.folder, request.place)
        exhibition = _exhibition(chosen, task, registry, request)
        state = None if chosen.state is None else request.folder / chosen.state
        run(
            evaluator,
            reader,
            engine=chosen.engine,
            progress=progress,
            state=state,
            place=request.place,
        )
        report = evaluator.compute(resolved(request, evaluator, output, exhibition))
        name, version = registry.distribution(registry.reader(chosen.data["reader"], task))
        report = evolve(report, versions={name: version} | dict(report.versions))
    if isinstance(chosen.items, Path):
        write_items(request.folder / chosen.items, report.items)
        report = evolve(report, items=())
    for path in output:
        report.save(path)
    if exhibition is not None:
        exhibition.hang(evaluator.evaluation, reader)
    return report


def _exhibition(
    chosen: RunConfig, task: str, registry: Registry, request: Request
) -> Exhibition | None:
    if chosen.gallery is None:
        return None
    return plan_exhibition(chosen.gallery, task, registry, request.folder, request.place)
