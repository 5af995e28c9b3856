"""Request: a config to run, read from a config file or a saved report."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from attrs import evolve, frozen

from valor_cli import config as configs
from valor_cli.config.reading import runs as config_runs
from valor_cli.config.reading.bases import with_bases
from valor_cli.config.reading.files import STANDARD_INPUT
from valor_cli.config.reading.limits import check_depth
from valor_cli.config.schema import CheckedConfig
from valor_core.errors import ConfigError, ReportError
from valor_core.results import Report

Change = Callable[[dict[str, Any], Iterable[str]], dict[str, Any]]
"""Function that changes a config by settings ``path=value``."""


@frozen
class Request:
    """Config and the folder that its relative paths start from.

    Parameters
    ----------
    values : mapping
        Built-in types after overrides, before environment variables are filled in.
    folder : Path
        Folder of the config file.
    place : str
        Prefix of error messages, such as ``"config.yaml: "``.
    file : Path, optional
        The config file; None for standard input and reports.
    bases : tuple of Path
        Files that the config extends, which are merged into `values`.
    run : str, optional
        Name of the run, if the config has several.
    """

    values: Mapping[str, Any]
    folder: Path
    place: str
    file: Path | None = None
    bases: tuple[Path, ...] = ()
    run: str | None = None

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """Read a config file, or standard input, merge its bases and apply ``path=value`` settings.

        Raises
        ------
        ConfigError
            If a file cannot be read or parsed, a setting does not fit, or the config has several
            runs.
        """
        requests = cls.each_from_file(path, settings)
        if len(requests) > 1 or requests[0].run is not None:
            first = requests[0].run
            raise ConfigError(
                f"{path}: {config_runs.KEY}: expected one run, got {len(requests)}",
                f"Run them all with: valor run {quote(str(path))}, or one with: --only {first}",
            )
        return requests[0]

    @classmethod
    def each_from_file(
        cls,
        path: str | os.PathLike[str],
        settings: Iterable[str] = (),
        change: Change = configs.override,
        only: Collection[str] = (),
    ) -> tuple[Request, ...]:
        """Read the runs of a config file, or its only one.

        Parameters
        ----------
        path : path
            Config file, or ``-`` for standard input.
        settings : iterable of str
            Settings ``path=value``. Those of ``runs`` change the file, others each run.
        change : callable
            Applies the settings to a run, and possibly further changes.
        only : collection of str
            Names of runs to keep, or patterns of names. By default, all are kept.

        Raises
        ------
        ConfigError
            If a file cannot be read or parsed, a setting does not fit, or no run has a name.
        """
        settings = tuple(settings)
        about_runs = [one for one in settings if _is_about_runs(one)]
        others = [one for one in settings if not _is_about_runs(one)]
        is_piped = str(path) == STANDARD_INPUT
        file, name = (None, "standard input") if is_piped else (Path(path), str(path))
        folder = Path() if file is None else file.parent
        parsed = configs.parse(path)
        parsed = configs.override(parsed, about_runs) if about_runs else parsed
        extended = with_bases(parsed, folder, f"{name}: ", file)
        of = [f"extends {', '.join(base.name for base in extended.bases)}"] * bool(extended.bases)

        def place(*more: str) -> str:
            return f"{name} ({', '.join([*of, *more])}): " if of or more else f"{name}: "

        def changed(values: Mapping[str, Any]) -> dict[str, Any]:
            return change(dict(values), others)

        one = cls({}, folder, place(), file, extended.bases)
        if extended.merged.get(config_runs.KEY) is None:
            if only:
                raise ConfigError(
                    f"{place()}--only {next(iter(only))}: the config has no runs",
                    "Remove --only, or add runs to the config.",
                )
            merged = {k: v for k, v in extended.values.items() if k != config_runs.KEY}
            return (evolve(one, values=changed(merged)),)
        merged = dict(extended.merged)
        runs = config_runs.runs_of(merged[config_runs.KEY], place())
        return tuple(
            evolve(
                one,
                values=extended.finished(config_runs.expanded(merged, run, place(), changed)),
                place=place(f"run {run.name}"),
                run=run.name,
            )
            for run in config_runs.chosen(runs, only, place())
        )

    @classmethod
    def from_report(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """Read the config recorded in a saved report and apply ``path=value`` settings.

        Raises
        ------
        ReportError
            If the file is not a report, or the report has no config with data.
        ConfigError
            If a setting does not fit.
        """
        return cls.of_report(Report.load(path), path, settings)

    @classmethod
    def of_report(
        cls, report: Report, path: str | os.PathLike[str], settings: Iterable[str] = ()
    ) -> Request:
        """Return the config recorded in a report, with arguments and errors as `from_report`."""
        config = report.config
        if "data" not in config:
            raise ReportError(
                f"{path}: has no data section to run again",
                "Only reports of a config can be rerun.",
            )
        check_depth(config, f"{path}: config")
        return cls(configs.override(config, settings), Path(path).parent, f"{path}: config.")

    @cached_property
    def checked(self) -> CheckedConfig:
        """The config, validated after environment variables are filled in; cached.

        Raises
        ------
        ConfigError
            If a variable is not set, a key is unknown or missing, or a value has a wrong type.
        """
        for name, example in (("extends", "base.yaml"), (config_runs.KEY, "[small, large]")):
            if name in self.values:
                where = "expected in a config file, found in a setting or a report"
                raise ConfigError(
                    f"{self.place}{name}: {where}",
                    f"Write it as a key of the file: {name}: {example}",
                )
        return configs.check(configs.fill_in(self.values, self.place), self.place)


def _is_about_runs(setting: str) -> bool:
    return setting.startswith(tuple(f"{config_runs.KEY}{end}" for end in ".[="))
