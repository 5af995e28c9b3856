"""Comparison of the config settings that can change the numbers of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from valor_core.errors import short_repr

_WITHOUT_EFFECT = frozenset(
    ("metrics", "output", "items", "state", "gallery", "engine", "require", "plugins", "modules")
)
"""Config keys that change no number, and metrics, which are compared by name."""


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """Describe each setting that differs between two runs in one line.

    Metrics that only one run computes are excluded, because the comparison lists their results.

    Parameters
    ----------
    first, second : mapping
        Configs of two reports. An empty config is not compared.

    Examples
    --------
    >>> list(differences({"data": {"path": "a.csv"}}, {"data": {"path": "b.csv"}}))
    ["data.path: 'a.csv', then 'b.csv'"]
    """
    if not (first and second):
        return
    yield from _changed(_settings(first), _settings(second))
    ours, theirs = (_metrics(config.get("metrics", ())) for config in (first, second))
    for name, settings in ours.items():
        for one, two in zip(*_unshared(settings, theirs.get(name, [])), strict=False):
            yield from (f"{name}: {line}" for line in _changed(one, two))


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with an effect; nested mappings such as ``data`` are flattened."""
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if key in _WITHOUT_EFFECT:
            continue
        if isinstance(value, Mapping) and key != "label_map":
            flat |= {f"{key}.{name}": entry for name, entry in value.items()}
        else:
            flat[key] = value
    return {key: value for key, value in flat.items() if value not in (None, [], {})}


def _changed(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*first, *second]):
        one, two = (short_repr(side[key]) if key in side else "none" for side in (first, second))
        if one != two:
            yield f"{key}: {one}, then {two}"


def _metrics(requested: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """Parameters of each metric by name, one mapping per occurrence."""
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in requested:
        settings = dict(entry) if isinstance(entry, Mapping) else {"name": entry}
        name = str(settings.pop("name", "")).partition("@")[0]
        found.setdefault(name, []).append(settings)
    return found


def _unshared(
    first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Settings of each run that the other run does not have."""
    return (
        [one for one in first if one not in second],
        [one for one in second if one not in first],
    )
