"""Main numbers of comparisons, slices that moved, and names of numbers and reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

from valor_core.results.entries import NO_VALUE
from valor_report.comparison.changes import Change
from valor_report.tables.pivot import distinguishing, headlines, text_of


def main_changes(changes: Sequence[Change]) -> list[Change]:
    """Return the main numbers of all items with a direction, in their order.

    Main numbers are those without a label, and one average of each metric. Numbers that neither
    report has are left out.
    """
    of_all = [one for one in changes if not one.entry.result.slice]
    kept = {id(entry) for entry in headlines([one.entry for one in of_all])}
    main = [one for one in of_all if id(one.entry) in kept] or of_all
    return [one for one in main if one.higher_is_better is not None and _has_value(one)]


def _has_value(change: Change) -> bool:
    return change.a is not None or change.b is not None


def moved_slices(changes: Sequence[Change]) -> list[Change]:
    """Return the main numbers of slices that differ.

    Those that differ beyond chance are first, by p-value; then the others, by difference.

    Parameters
    ----------
    changes : sequence of Change
        Numbers in both reports.

    Examples
    --------
    >>> moved_slices([])
    []
    """
    of_slices = [one for one in changes if one.entry.result.slice]
    kept = {id(entry) for entry in headlines([one.entry for one in of_slices])}
    main = [one for one in of_slices if id(one.entry) in kept] or of_slices
    moved = [
        one
        for one in main
        if one.higher_is_better is not None and one.verdict not in ("same", "different")
    ]
    return sorted(moved, key=_order)


def _order(change: Change) -> tuple[bool, float, float]:
    is_clear = change.verdict in ("better", "worse") and change.p is not None
    p = change.p if is_clear and change.p is not None else 1.0
    return not is_clear, p, -abs(change.difference or 0.0)


def slice_name(change: Change) -> str:
    """Return the values of a slice in words, such as ``ink light``."""
    return ", ".join(
        f"{name} {NO_VALUE if value is None else text_of(value)}"
        for name, value in change.entry.result.slice.items()
    )


def names_of(changes: Sequence[Change]) -> Callable[[Change], str]:
    """Return a function from a number to the words that distinguish it within its metric.

    Parameters
    ----------
    changes : sequence of Change
        Numbers to distinguish.

    Examples
    --------
    >>> from valor_core.results import Report, Result
    >>> from valor_report import compare
    >>> report = Report(results=[
    ...     Result(type="F1", parameters={"label": "cat", "at": at}, value=0.5) for at in (1, 2)
    ... ])
    >>> changes = compare(report, report).changes
    >>> list(map(names_of(changes), changes))
    ['cat, at 1', 'cat, at 2']
    """
    differing = distinguishing([change.entry for change in changes])

    def name(change: Change) -> str:
        entry = change.entry
        return ", ".join([*([entry.name] if entry.name else []), *differing(entry)])

    return name


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of files without folder and ``.json``, if that keeps them distinct.

    Examples
    --------
    >>> short_names(["runs/a.json", "runs/b.json"]), short_names(["a/m.json", "b/m.json"])
    (['a', 'b'], ['a/m.json', 'b/m.json'])
    """
    short = [PurePath(name).name.removesuffix(".json") or name for name in names]
    return short if len(set(short)) == len(short) else list(names)
