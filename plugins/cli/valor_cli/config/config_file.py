"""Request: a config to run, read from a config file or a saved report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_cli import config as configs
from valor_cli.config.bases import with_bases
from valor_cli.config.files import STANDARD_INPUT
from valor_cli.config.limits import check_depth
from valor_cli.config.schema import CheckedConfig
from valor_core.errors import ConfigError, ReportError
from valor_core.results import Report


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
    """

    values: Mapping[str, Any]
    folder: Path
    place: str
    file: Path | None = None
    bases: tuple[Path, ...] = ()

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """Read a config file, or standard input, merge its bases and apply ``path=value`` settings.

        Raises
        ------
        ConfigError
            If a file cannot be read or parsed, or a setting does not fit.
        """
        is_piped = str(path) == STANDARD_INPUT
        file, name = (None, "standard input") if is_piped else (Path(path), str(path))
        folder = Path() if file is None else file.parent
        extended = with_bases(configs.parse(path), folder, f"{name}: ", file)
        if extended.bases:
            name += f" (extends {', '.join(base.name for base in extended.bases)})"
        values = configs.override(extended.values, settings)
        return cls(values, folder, f"{name}: ", file, extended.bases)

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
        config = Report.load(path).config
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
        if "extends" in self.values:
            raise ConfigError(
                f"{self.place}extends: expected in a config file, found in a setting or a report",
                "Write it as a key of the file: extends: base.yaml",
            )
        return configs.check(configs.fill_in(self.values, self.place), self.place)
