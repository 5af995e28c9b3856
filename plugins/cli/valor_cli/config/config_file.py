"""Request: a config to run, from a file or from the report it led to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_cli import config as configs
from valor_cli.config.files import STANDARD_INPUT
from valor_cli.config.limits import check_depth
from valor_cli.config.schema import CheckedConfig
from valor_core.errors import ReportError
from valor_core.results import Report


@frozen
class Request:
    """A config with the folder that its relative paths are relative to.

    Parameters
    ----------
    values : mapping
        Plain values with overrides, environment not filled in.
    folder : Path
        Folder of the config file.
    place : str
        What the config is called in errors.
    file : Path, optional
        The config file, if there is one.
    """

    values: Mapping[str, Any]
    folder: Path
    place: str
    file: Path | None = None

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """The request in a config file, or on standard input, with ``path=value`` settings on top.

        Raises
        ------
        ConfigError
            If the file cannot be read or parsed, or a setting does not fit.
        """
        values = configs.override(configs.parse(path), settings)
        if str(path) == STANDARD_INPUT:
            return cls(values, Path(), "standard input: ")
        return cls(values, Path(path).parent, f"{path}: ", Path(path))

    @classmethod
    def from_report(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """The request that a saved report came from.

        Raises
        ------
        ReportError
            If it is no report, or not one of a config.
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
        """The config, environment filled in and checked once.

        Raises
        ------
        ConfigError
            If a variable is not set, a key is unknown or missing, or a value has a wrong type.
        """
        return configs.check(configs.fill_in(self.values, self.place), self.place)
