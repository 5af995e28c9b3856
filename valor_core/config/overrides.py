"""Overrides: ``--set metrics[0].iou_threshold=0.5`` on top of a config."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from valor_core.errors import ConfigError, shown

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_PATH = re.compile(r"[^.\[\]=]+(\.[^.\[\]=]+|\[\d+\])*")


def override(config: Mapping[str, Any], settings: Iterable[str]) -> dict[str, Any]:
    """A config with some values replaced or added.

    Parameters
    ----------
    config : mapping
        Plain values; left as they are.
    settings : iterable of str
        ``path=value``; the path has dots and list positions, the value is JSON, or text where
        it is not and begins with no bracket.

    Raises
    ------
    ConfigError
        If a setting has no path or no place in the config, or begins like JSON and is not.

    Examples
    --------
    >>> override({"metrics": [{"name": "AP"}]}, ["metrics[0].iou_threshold=0.5", "task=detection"])
    {'metrics': [{'name': 'AP', 'iou_threshold': 0.5}], 'task': 'detection'}
    """
    changed = copy.deepcopy(dict(config))
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not _PATH.fullmatch(path):
            raise ConfigError(
                f"--set {setting}: expected path=value",
                "Write it as: --set engine.workers=2",
            )
        _put(changed, path, _value(path, text))
    return changed


def _put(target: Any, path: str, value: Any) -> None:
    steps: list[str | int] = [name if name else int(number) for name, number in _STEP.findall(path)]
    for step, following in pairwise(steps):
        if isinstance(step, str) and isinstance(target, dict):
            if target.get(step) is None:
                target[step] = [] if isinstance(following, int) else {}
            target = target[step]
        elif isinstance(step, int) and isinstance(target, list) and step < len(target):
            if isinstance(target[step], str) and isinstance(following, str):
                target[step] = {"name": target[step]}
            target = target[step]
        else:
            raise _no_place(path, step, target)
    last = steps[-1]
    if isinstance(last, str) and isinstance(target, dict):
        target[last] = value
    elif isinstance(last, int) and isinstance(target, list) and last <= len(target):
        target[last : last + 1] = [value]
    else:
        raise _no_place(path, last, target)


def _no_place(path: str, step: str | int, target: Any) -> ConfigError:
    wanted = f"a table with {step!r}" if isinstance(step, str) else f"a list with entry {step}"
    return ConfigError(f"--set {path}: expected {wanted}, found {shown(target)}")


def _value(path: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if text.startswith(("[", "{")):
            raise ConfigError(
                f"--set {path}: expected JSON after a bracket, found {shown(text)}",
                "Put double quotes around texts: --set 'metrics=[\"F1\"]'",
            ) from error
        return text
