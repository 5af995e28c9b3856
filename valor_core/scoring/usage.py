"""Resource facts: what opened resources tell of themselves, added up for the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from valor_core.errors import ReportError, ResourceError, shown
from valor_core.results.json_values import as_json

Facts = Mapping[str, Mapping[str, Any]]
"""What resources tell of themselves, by resource: numbers that add up, and texts."""


WARNINGS = "warnings"
"""The fact that stands among a report's warnings, each with the name of its resource."""


def told_by(name: str, tell: Callable[[], Any]) -> dict[str, Any]:
    """What a resource tells of itself, checked.

    Parameters
    ----------
    name : str
        What errors call it.
    tell : callable
        Its method ``facts``.

    Raises
    ------
    ResourceError
        If it raises, or what it tells is no table of numbers and texts.

    Examples
    --------
    >>> told_by("judge", lambda: {"calls": 3, "model": "m1"})
    {'calls': 3, 'model': 'm1'}
    """
    try:
        facts = tell()
        told = as_json(facts, f"{name}: facts")
    except ReportError as error:
        raise ResourceError(error.message) from error
    except Exception as error:
        raise ResourceError(
            f"{name}: facts cannot be told, {type(error).__name__}: {error}"
        ) from error
    kinds = (bool, int, float, str, list)
    if not isinstance(told, dict) or not all(isinstance(one, kinds) for one in told.values()):
        raise ResourceError(
            f"{name}: facts must be a table of numbers and texts, got {shown(facts)}"
        )
    warned = told.get(WARNINGS, [])
    if not isinstance(warned, list) or not all(isinstance(one, str) for one in warned):
        raise ResourceError(f"{name}: warnings must be a list of texts, got {shown(warned)}")
    return told


def added_up(openings: Iterable[Facts]) -> dict[str, dict[str, Any]]:
    """Facts of all openings together: numbers added up, texts each once, warnings left out.

    Examples
    --------
    >>> one = {"judge": {"calls": 2, "model": "m1"}}
    >>> added_up([one, {"judge": {"calls": 3, "model": "m1"}}])
    {'judge': {'calls': 5, 'model': 'm1'}}
    """
    total: dict[str, dict[str, Any]] = {}
    for facts in openings:
        for name, told in facts.items():
            own = total.setdefault(name, {})
            for key, value in told.items():
                if key != WARNINGS:
                    own[key] = _together(own[key], value) if key in own else value
    return {name: dict(sorted(total[name].items())) for name in sorted(total)}


def warned(openings: Iterable[Facts]) -> list[str]:
    """What the resources of all openings warn of, each once.

    Examples
    --------
    >>> told = {"judge": {"calls": 2, "warnings": ["the model is a draft"]}}
    >>> warned([told, told])
    ['judge: the model is a draft']
    """
    lines = {
        f"{name}: {warning}": None
        for facts in openings
        for name, told in facts.items()
        for warning in told.get(WARNINGS, ())
    }
    return sorted(lines)


def _together(one: Any, other: Any) -> Any:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one + other
    several = [*(one if isinstance(one, list) else [one])]
    several += other if isinstance(other, list) else [other]
    distinct = sorted(set(map(str, several)))
    return distinct[0] if len(distinct) == 1 else distinct
