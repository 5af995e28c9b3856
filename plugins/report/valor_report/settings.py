"""Settings: what a run was asked for that can change its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from valor_core.errors import shown

_WITHOUT_EFFECT = frozenset(
    ("metrics", "output", "items", "state", "gallery", "engine", "require", "plugins", "modules")
)
"""Keys of a config that change no number; metrics are compared by their names."""


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """One line for each setting that two runs do not share.

    Metrics that only one of them has are left out: their results say so themselves.

    Parameters
    ----------
    first, second : mapping
        Configs as reports have them; an empty one says nothing.

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
    """The keys with an effect, those of a table of data or of a resource one by one."""
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
        one, two = (shown(held[key]) if key in held else "none" for held in (first, second))
        if one != two:
            yield f"{key}: {one}, then {two}"


def _metrics(requested: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """The parameters of each metric by its name, as often as it is there."""
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in requested:
        settings = dict(entry) if isinstance(entry, Mapping) else {"name": entry}
        name = str(settings.pop("name", "")).partition("@")[0]
        found.setdefault(name, []).append(settings)
    return found


def _unshared(
    first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The settings of both that the other does not have, in their order."""
    return (
        [one for one in first if one not in second],
        [one for one in second if one not in first],
    )
