"""Schema of configs: their keys, and validation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import Any

from attrs import frozen
from valor_files import matching_readers

from valor_cli.config.inferred.unknown_files import missing, not_read
from valor_core.errors import ConfigError, ParameterError, ValorError, did_you_mean, short_repr
from valor_core.evaluation.options import EvaluationOptions, as_table
from valor_core.parameters import parameter, parameters, parameters_from, parameters_of
from valor_core.specs import (
    MetricSpec,
    ReaderSpec,
    Registry,
    Spec,
)
from valor_core.specs.lookup import meaning_of
from valor_core.specs.names import in_config


@parameters
class RunConfig(EvaluationOptions):
    """Keys of a config."""

    data: Mapping[str, Any] = parameter(help="Name and parameters of the reader of the data.")
    output: tuple[Path, ...] = parameter(
        default=(), help="Files for the report; the suffix sets the format, such as .json or .html."
    )
    flat: Path | None = parameter(
        default=None, help="JSON file for the numbers alone, for DVC and experiment trackers."
    )
    gallery: Mapping[str, Any] | None = parameter(
        default=None,
        help="Images of the worst items: their folder, and parameters of the gallery.",
    )
    plugins: Mapping[str, str] = parameter(
        default={}, help="Distribution to use for a namespace that several claim."
    )
    modules: tuple[Path, ...] = parameter(
        default=(), help="Python files with metrics, readers or other components."
    )
    extends: tuple[Path, ...] = parameter(
        default=(), help="Configs that this one is merged into; paths are relative to this file."
    )
    runs: Any = parameter(
        default=None,
        help="Settings of several runs by name, a list of names, or a matrix of these.",
    )
    run: str | None = parameter(
        default=None, help="Name of the run, which its report records. runs sets it."
    )


@frozen
class CheckedConfig:
    """Validated config.

    Parameters
    ----------
    run : RunConfig
        Keys of the schema.
    resources : mapping of str to mapping
        Sections of resources by name.
    """

    run: RunConfig
    resources: Mapping[str, Any]


def check(values: Mapping[str, Any], place: str) -> CheckedConfig:
    """Validate a config.

    Other keys that hold a table are sections of resources. The evaluator checks later that a
    selected metric uses them.

    Parameters
    ----------
    values : mapping
        Built-in types, with overrides and environment variables filled in.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.

    Raises
    ------
    ConfigError
        If a key is unknown or missing, or a value has a wrong type.

    Examples
    --------
    >>> check({"data": {"reader": "csv"}, "metrics": ["F1"]}, "").run.metrics
    ('F1',)
    """
    if "valor_report" in values and "results" in values:
        file = quote(place.removesuffix(": ") or "report.json")
        raise ConfigError(
            f"{place}expected a config, found a report",
            f"Show it with: valor view {file}\nRun its config again with: valor rerun {file}",
        )
    known = {name for entry in parameters_of(RunConfig) for name in (entry.name, *entry.aliases)}
    for name in values:
        meant = [] if name in known else get_close_matches(str(name), _ELSEWHERE, 1, 0.9)
        if meant:
            raise ConfigError(f"{place}{name}: unknown key", _ELSEWHERE[meant[0]])
    if isinstance(values.get("run"), (Mapping, list)):
        raise ConfigError(
            f"{place}run must be a name, got {short_repr(values['run'])}",
            "Rename the key to runs.",
        )
    if values.get("items") in ("yes", "on", "no", "off"):
        raise ConfigError(
            f"{place}items must be true, false or a path, got {short_repr(values['items'])}",
            f"Write it as: items: {'true' if values['items'] in ('yes', 'on') else 'false'}",
        )
    sections = {k: v for k, v in values.items() if isinstance(v, Mapping) and _is_foreign(k, known)}
    own = {k: v for k, v in values.items() if k not in sections}
    files = _named_files(own.get("data"))
    if files:
        raise ConfigError(
            f"{place}data must be a table, got {short_repr(own['data'])}",
            _data_remedy(files, own, place),
        )
    _check_not_only_format(own, place)
    meant = [name for name in sections if did_you_mean("data", [name], cutoff=0.5)]
    if meant and "data" not in own:
        raise ConfigError(
            f"{place}data: expected a table, found none", f"Rename {meant[0]} to data."
        )
    if "data" not in values and set(own) <= known:
        raise ConfigError(
            f"{place}data: expected a table, found none",
            "Write it as, for example: data: {reader: predicted, path: preds.csv}\n"
            "See the readers with: valor list --readers",
        )
    for name, value in own.items():
        if name not in known:
            _check_no_kind(name, value, place)
            is_misspelt = did_you_mean(str(name), known, cutoff=0.8) is not None
            _check_misplaced(name, value, own, place, is_misspelt=is_misspelt)
    try:
        return CheckedConfig(parameters_from(RunConfig, own, place), sections)
    except ParameterError as error:
        form = _FORMS.get(error.sentence.partition(" ")[0])
        remedy = error.remedy or (f"Write it as: {form}" if form else None)
        raise ConfigError(error.message, remedy) from error


def _named_files(data: Any) -> list[str]:
    """Names of files instead of a table with a reader."""
    if isinstance(data, str):
        return [data]
    if isinstance(data, list) and all(isinstance(one, str) for one in data):
        return data
    if isinstance(data, Mapping) and "reader" not in data and {*data} <= {*_SIDES, "path"}:
        names = [one for key in (*_SIDES, "path") if (one := data.get(key)) is not None]
        return [str(name) for name in names if isinstance(name, str)]
    return []


def _check_not_only_format(own: Mapping[str, Any], place: str) -> None:
    """Raise a `ConfigError` if the reader is the format of a table that another one recognizes."""
    data, metrics = own.get("data"), own.get("metrics")
    if not isinstance(data, Mapping) or {*data} != {"reader", "path"}:
        return
    reader, file = data["reader"], data["path"]
    if reader not in _FORMATS or not isinstance(file, str):
        return
    matches = []
    with suppress(ValorError, OSError):  # raised again where the file is read
        path = Path(place.partition(": ")[0]).parent / file
        chosen: list[Any] = metrics if isinstance(metrics, list) else []
        matches = matching_readers([path], Registry(), metrics=chosen)
    if matches and matches[0].reader.task is not None:
        raise ConfigError(
            f"{place}data.reader: expected a reader of {matches[0].task}, got {reader!r}",
            _data_remedy([file], own, place),
        )


def _data_remedy(files: Sequence[str], own: Mapping[str, Any], place: str) -> str:
    """Suggest a data section for files, with the reader that recognizes them."""
    registry, folder = Registry(), Path(place.partition(": ")[0]).parent
    paths = [folder / file for file in files]
    task, chosen = own.get("task"), own.get("metrics")
    task = task if isinstance(task, str) else None
    metrics: list[Any] = chosen if isinstance(chosen, list) else []
    typed = " ".join(["valor run", *(quote(str(path)) for path in paths)])
    try:
        absent = [path for path in paths if not path.exists()]
        if absent:
            return str(missing(absent[0]))
        matches = matching_readers(paths, registry, task=task, metrics=metrics)
        if not matches:
            return str(not_read(paths, typed, task, registry, metrics))
    except ValorError as error:  # of a damaged table
        return str(error)
    except OSError:  # of a name that is too long
        return "See the readers with: valor list --readers"
    written = {str(path): file for path, file in zip(paths, files, strict=True)}
    section = {
        key: written.get(value, value) if isinstance(value, str) else value
        for key, value in matches[0].section.items()
    }
    also = "" if task else f" and task: {matches[0].task}"
    return f"Write it as: data: {{{in_config(section)}}}{also}"


def _check_no_kind(name: str, value: Any, place: str) -> None:
    """Raise a `ConfigError` if a resource is a string, probably its kind, instead of a table."""
    # The registry of the run is made later, since it depends on the key `plugins`.
    remedy = as_table(name, value, Registry())
    if remedy is not None:
        raise ConfigError(f"{place}{name}: expected a table, got {short_repr(value)}", remedy)


_FORMATS = ("csv", "jsonl", "json", "parquet")
_SIDES = ("groundtruths", "predictions")

_FORMS = {
    "engine": "engine: {name: local, workers: 4}",
    "flat": "flat: metrics.json",
    "gallery": "gallery: {folder: gallery}",
    "modules": "modules: [mine.py]",
    "output": "output: report.json",
    "plugins": "plugins: {NAMESPACE: DISTRIBUTION}",
    "require": 'require: {F1: ">= 0.9"}',
    "state": "state: counts.valor",
}
"""Written forms of keys, shown if a value has a wrong type."""

_ELSEWHERE = {
    "metric_params": "Write them with each metric: metrics: [{name: NAME, PARAMETER: VALUE}]",
    "parameters": "Write them with each metric: metrics: [{name: NAME, PARAMETER: VALUE}]",
    "evaluation_parameters": "Write each of them as a key of the config or of a metric.",
    "llm_api_params": "Write judge: {client: {name: openai, base_url: BASE_URL, model: MODEL}}",
    "matrix": "Write it as: runs: {matrix: {model: [small, large]}}",
    "datum_uid": "Name the column under data: {reader: predicted, path: preds.csv, uid: COLUMN}",
}
"""Remedies for arguments of the Python functions that are not config keys."""


def _check_misplaced(
    name: str, value: Any, own: Mapping[str, Any], place: str, *, is_misspelt: bool
) -> None:
    """Raise a `ConfigError` for a key that is a parameter of a metric or of the reader."""
    registry, written = Registry(), in_config({name: value})
    chosen, task, data = own.get("metrics"), own.get("task"), own.get("data")

    def misplaced(owner: object, remedy: str) -> ConfigError:
        return ConfigError(
            f"{place}{name}: unknown key, {owner} has a parameter of this name", remedy
        )

    for position, choice in enumerate(chosen if isinstance(chosen, list) else [chosen]):
        metric = choice.get("name") if isinstance(choice, Mapping) else choice
        try:
            spec = meaning_of(str(metric), registry, task and str(task)).spec
        except ValorError:  # raised again where metrics are resolved
            continue
        if _has(spec, name):
            setting = f"metrics[{position}].{written.replace(': ', '=', 1)}"
            also = f", or: --set {quote(setting)}" if isinstance(chosen, list) else ""
            raise misplaced(
                metric, f"Write it with the metric: {{name: {metric}, {written}}}{also}"
            )
    if is_misspelt:
        return
    reader = data.get("reader") if isinstance(data, Mapping) else None
    found = None
    with suppress(ValorError):
        found = registry.find(ReaderSpec, reader, task) if isinstance(reader, str) else None
    if found is not None and _has(found, name):
        raise misplaced(found.name, f"Write it under data: {{reader: {reader}, {written}}}")
    metrics = [metric for metric in registry.all(MetricSpec) if _has(metric, name)]
    metrics.sort(key=lambda metric: metric.task != task)
    if metrics:
        first = metrics[0].name
        raise misplaced(first, f"Write it with the metric: {{name: {first}, {written}}}")


def _has(spec: Spec, name: str) -> bool:
    """Return whether a spec has a parameter of this name or alias."""
    return any(name in (one.name, *one.aliases) for one in parameters_of(spec.parameter_class))


def _is_foreign(key: object, known: Collection[str]) -> bool:
    """Return whether a key is probably a resource, that is, no misspelt config key."""
    return key not in known and did_you_mean(str(key), known, cutoff=0.8) is None
