"""Overrides of config values, such as ``--set metrics[0].iou_threshold=0.5``."""

from __future__ import annotations

import copy
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from valor_cli.config.reading.files import PARSERS
from valor_cli.config.reading.limits import check_depth, nested_too_deeply, too_many_digits
from valor_core.errors import ConfigError, ValorError, short_repr

_STEP = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")
PATH = re.compile(r"[^.\[\]=]+(\.[^.\[\]=]+|\[[0-9]{1,9}\])*")
"""Path of a value: keys separated by dots, and indices in brackets."""


SHORT = {"data": "reader", "engine": "name"}
"""Keys whose table may be written as a name, and the key of this name in the table."""


def override(config: Mapping[str, Any], settings: Iterable[str]) -> dict[str, Any]:
    """Return a copy of a config with values replaced or added.

    Parameters
    ----------
    config : mapping
        Config in built-in types; not modified.
    settings : iterable of str
        ``path=value``; the path has dots and list indices, and the value is JSON. Any other value
        is a string unless it begins with a bracket.

    Raises
    ------
    ConfigError
        If a path is missing or does not fit the config, or a value in brackets is not JSON.

    Examples
    --------
    >>> override({"metrics": [{"name": "AP"}]}, ["metrics[0].iou_threshold=0.5", "task=detection"])
    {'metrics': [{'name': 'AP', 'iou_threshold': 0.5}], 'task': 'detection'}
    """
    changed = copy.deepcopy(dict(config))
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not PATH.fullmatch(path):
            raise ConfigError(
                f"--set {setting[:80]}: expected path=value",
                "Write it as: --set engine.workers=2",
            )
        _put(changed, path, _value(path, text), f"--set {path}")
    return changed


def put(config: Mapping[str, Any], path: str, value: Any, place: str) -> dict[str, Any]:
    """Return a copy of a config with one value replaced or added.

    Parameters
    ----------
    config : mapping
        Config in built-in types; not modified.
    path : str
        Path as in `override`.
    value : object
        New value.
    place : str
        Option named in errors, such as ``"--workers"``.

    Raises
    ------
    ConfigError
        If the path does not fit the config.

    Examples
    --------
    >>> put({"engine": "local"}, "engine.workers", 2, "--workers")
    {'engine': {'name': 'local', 'workers': 2}}
    """
    changed = copy.deepcopy(dict(config))
    _put(changed, path, value, f"{place}: {path}")
    return changed


def _put(target: Any, path: str, value: Any, place: str) -> None:
    steps: list[str | int] = [name if name else int(number) for name, number in _STEP.findall(path)]
    for depth, (step, following) in enumerate(pairwise(steps)):
        if isinstance(step, str) and isinstance(target, dict):
            if target.get(step) is None:
                target[step] = [] if isinstance(following, int) else {}
        elif not (isinstance(step, int) and isinstance(target, list) and step < len(target)):
            raise _misfit(place, step, target)
        may_be_table = depth > 0 or step in SHORT
        if isinstance(target[step], str) and isinstance(following, str) and may_be_table:
            target[step] = {SHORT.get(str(step), "name"): target[step]}
        target = target[step]
    last = steps[-1]
    if isinstance(last, str) and isinstance(target, dict):
        target[last] = value
    elif isinstance(last, int) and isinstance(target, list) and last <= len(target):
        target[last : last + 1] = [value]
    else:
        raise _misfit(place, last, target)


def _misfit(place: str, step: str | int, target: Any) -> ConfigError:
    wanted = f"a table with {step!r}" if isinstance(step, str) else f"a list with entry {step}"
    remedy = "See the schema of configs with: valor schema"
    if isinstance(target, list):
        is_name = isinstance(step, str)
        remedy = "Use the index of an entry, such as [0]" if is_name else f"Next is [{len(target)}]"
    elif isinstance(step, int) and isinstance(target, str):
        remedy = f"Make it a list in the config: [{target}]"
    return ConfigError(f"{place}: expected {wanted}, found {short_repr(target)}", remedy)


def _in_json(path: str, text: str) -> str:
    """Return a setting in YAML as an argument in JSON, or an example if it is no YAML."""
    try:
        value = json.dumps(PARSERS[".yaml"](text, Path("--set")), ensure_ascii=False)
    except (ValorError, TypeError, ValueError):
        path, value = "metrics", '["F1"]'
    return shlex.quote(f"{path}={value}")


def _value(path: str, text: str) -> Any:
    try:
        value = json.loads(text)
        check_depth(value, f"--set {path}")
    except json.JSONDecodeError as error:
        if text.startswith(("[", "{")):
            raise ConfigError(
                f"--set {path}: expected JSON after a bracket, found {short_repr(text)}",
                f"Put strings in double quotes: --set {_in_json(path, text)}",
            ) from error
        return text
    except RecursionError as error:
        raise nested_too_deeply(f"--set {path}") from error
    except ValueError as error:
        raise too_many_digits(f"--set {path}") from error
    return value
