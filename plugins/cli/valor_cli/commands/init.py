"""``valor init``: a config for data files."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click
from valor_report.requirements import conditions_of

from valor_cli.config.config_file import Request
from valor_cli.config.editor.json_schema import FILE, is_schema, write_schema
from valor_cli.config.inferred.data_files import (
    check_there,
    config_of,
    named_metrics,
    save_config,
    with_modules,
)
from valor_cli.config.inferred.trial import read_first_batch
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option, modules, require_option
from valor_cli.program.command import command as make_command
from valor_cli.program.questions import (
    ask,
    asked_config,
    asked_requirements,
    can_ask,
    is_confirmed,
)
from valor_cli.run import evaluator_of
from valor_core.errors import ConfigError, error_at
from valor_core.evaluation import Evaluator
from valor_core.specs import Registry
from valor_core.specs.lookup import meaning_of


@make_command("init")
@click.argument("files", metavar="[DATA...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("-m", "--metrics", multiple=True, help="Names of metrics, such as F1,ROCAUC.")
@click.option("--task", help="Task of the data, if it cannot be inferred.")
@click.option("--reader", help="Reader of the data, if it cannot be inferred.")
@module_option
@require_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("valor.yaml"),
    show_default=True,
    help="File for the config, in .yaml or .json.",
)
def command(
    files: tuple[Path, ...],
    metrics: tuple[str, ...],
    task: str | None,
    reader: str | None,
    require: tuple[str, ...],
    output: Path,
    as_json: bool,
) -> None:
    """Write a config for data files, with questions about missing settings.

    The file valor.schema.json next to it lets editors complete names and parameters.

    DATA is the input of a reader: a table of predictions, two COCO files, two folders.
    """
    if output.exists() and not (can_ask() and is_confirmed(f"Replace {output}?")):
        raise ConfigError(
            f"init: {output} exists already", "Specify another file, such as: -o other.yaml"
        )
    registry = chosen_registry()
    names = named_metrics(metrics)
    if can_ask():
        files = files or ask("Which file has the predictions? (or two files)", _paths)
        values = asked_config(files, names, task, reader, registry)
        if not names and not require:
            values["require"] = asked_requirements(values, partial(_evaluator, registry=registry))
    elif files:
        values = config_of(files, names, task, reader, registry, modules=modules(), command="init")
    else:
        raise ConfigError(
            "init: expected files of data, got nothing",
            "Name them: valor init predictions.csv --metrics Accuracy",
        )
    for position, name in enumerate(values["metrics"]):
        with error_at(f"metrics[{position}]: "):
            written = name["name"] if isinstance(name, Mapping) else name
            meaning_of(str(written), registry, values.get("task"))
    values["require"] = {**values.get("require", {}), **conditions_of(require)}
    values = {key: value for key, value in values.items() if key != "require" or value}
    read_first_batch(values["data"], _evaluator(values, registry).evaluation.task, registry)
    schema = output.parent / FILE
    if schema.exists() and not is_schema(schema):
        raise ConfigError(
            f"init: {schema} exists already and is not a schema of configs",
            "Rename that file, or write the config to another folder.",
        )
    save_config(with_modules(values, modules()), output, Path(), registry, FILE)
    write_schema(schema, registry)
    if as_json:
        streams.say_json({"config": str(output), "schema": str(schema)})
        return
    streams.say(str(output))
    streams.talk(f"Run it with: valor run {shlex.quote(str(output))}")
    streams.talk(f"Editors complete it with: {schema}")


def _evaluator(values: Mapping[str, Any], registry: Registry) -> Evaluator:
    """Return the evaluator of a config, or raise the error of a setting."""
    request = Request(with_modules(dict(values), modules()), Path(), "")
    with evaluator_of(request.checked, registry, request) as evaluator:
        return evaluator


def _paths(answer: str) -> tuple[Path, ...]:
    try:
        names = shlex.split(answer.replace(",", " "))
    except ValueError as error:
        raise ConfigError(f"expected paths, got {answer!r}", "Close the quotes.") from error
    paths = tuple(map(Path, names))
    if not paths:
        raise ConfigError("expected a file, got nothing")
    check_there(paths)
    return paths
