"""Gates: when a comparison fails a build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from valor_core.errors import ConfigError, did_you_mean
from valor_core.results.entries import entries_of
from valor_core.specs import Registry
from valor_core.specs.names import folded_name
from valor_report.comparison.changes import Change, number_of

if TYPE_CHECKING:
    from valor_report.comparison.two_reports import Comparison

Gate = Literal["worse", "differ"]
"""Gate of a comparison: nothing is worse, or nothing differs."""


def losses(changes: Iterable[Change], *, without_test: bool) -> list[Change]:
    """Return the numbers that are worse, either beyond chance or without a test.

    Examples
    --------
    >>> losses([], without_test=True)
    []
    """
    worse = (change for change in changes if change.verdict == "worse")
    return [change for change in worse if change.is_tested is not without_test]


def reasons(
    comparison: Comparison, changes: Sequence[Change], *, lost: bool = True
) -> Iterator[str]:
    """Yield why numbers fail the gate ``worse``.

    A number without a test fails if no number has one, or if a tolerance says which loss matters.

    Parameters
    ----------
    comparison : Comparison
        Comparison of two reports.
    changes : sequence of Change
        Numbers to judge.
    lost : bool
        Whether a metric without a number in common fails.
    """
    clear = losses(changes, without_test=False)
    untested = losses(changes, without_test=True)
    if clear:
        yield f"{len(clear):,} worse beyond chance"
    if untested and judges_untested(comparison):
        yield f"{len(untested):,} worse without a test"
    vanished = sum(change.verdict == "vanished" for change in changes)
    if vanished:
        yield f"{vanished:,} vanished"
    if lost:
        yield from (f"no number of {name} to compare" for name in without_numbers(comparison))


def judges_untested(comparison: Comparison) -> bool:
    """Return whether numbers without a test can fail the gate ``worse``."""
    return comparison.has_tolerance or not any(one.is_tested for one in comparison.changes)


def judged(comparison: Comparison) -> str:
    """Say how the gate ``worse`` judges numbers, and which setting makes a test possible."""
    tested = sum(change.is_tested for change in comparison.changes)
    untested = len(losses(comparison.changes, without_test=True))
    if not tested:
        text = "no number has a test, each is judged by the tolerance"
    else:
        text = f"{tested:,} number{'' if tested == 1 else 's'} judged by a test"
        if untested and not judges_untested(comparison):
            verb = "number is" if untested == 1 else "numbers are"
            text += f"; {untested:,} {verb} worse without a test, which does not fail"
    if comparison.has_tolerance:
        return text
    return text if tested and not untested else f"{text}; {_REMEDY}"


_REMEDY = "intervals make a test possible: valor run … --confidence 0.95"


def without_numbers(comparison: Comparison) -> list[str]:
    """Return the metrics with numbers in the first report and no number in common."""
    compared = {change.entry.metric for change in comparison.changes}
    of_numbers = (
        entry
        for one in comparison.only_a
        for entry in entries_of([one])
        if number_of(entry.value) is not None
    )
    return list(dict.fromkeys(e.metric for e in of_numbers if e.metric not in compared))


def of_metric(comparison: Comparison, name: str) -> list[Change]:
    """Return the numbers of a metric, or the number with a short key such as ``F1/macro``.

    Raises
    ------
    ConfigError
        If the comparison has no such number.
    """
    wanted = _folded(name)
    found = [one for one in comparison.changes if wanted in map(_folded, _names(one))]
    if not found:
        names = list(dict.fromkeys(one.entry.result.type for one in comparison.changes))
        raise ConfigError(
            f"--fail-on worse:{name}: no number of this name is in both reports",
            did_you_mean(name, names) or f"Names: {', '.join(names)}.",
        )
    return found


def _names(change: Change) -> tuple[str, ...]:
    entry, type = change.entry, change.entry.result.type
    return type, entry.metric, entry.key(type, ()), f"{type}/{entry.part}"


def _folded(name: str) -> str:
    return "/".join(map(folded_name, name.split("/")))


def check_directions(comparison: Comparison, registry: Registry) -> None:
    """Raise a `RegistryError` if a number differs and its metric is not installed.

    Only the metric defines whether a higher number is better, so a worse one would pass.
    """
    changes = comparison.changes
    for name in {change.entry.metric: None for change in changes if change.verdict == "different"}:
        registry.metric(name)
