"""Scores: a report as the flat dictionary that modules of evaluate return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from valor_core.report import Report
from valor_core.result import Failed, NotRun, Result, Undefined


def scores(report: Report) -> dict[str, Any]:
    """Every value of a report under the key that `Report.flat` has for it.

    Parameters
    ----------
    report : Report
        The report; slices are left out.

    Returns
    -------
    dict of str to float or None
        Numbers as float, and None where there is none: never NaN. A value of several named numbers
        is a key for each. What is more than a number, such as a curve or a matrix, stands as in
        the report, in lists and tables.

    Examples
    --------
    >>> found = [Result(type="ROUGE", value={"rouge1": 0.5, "rouge2": None}),
    ...          Result(type="Recall", parameters={"label": "a"}, value=Undefined("no items"))]
    >>> scores(Report(results=found))
    {'ROUGE/rouge1': 0.5, 'ROUGE/rouge2': None, 'Recall/label:a': None}
    """
    parts = [part for result in report.results for part in _parts(result)]
    # `flat` leaves out what is not a number, so that it is asked for the keys of zeros.
    keys = evolve(report, results=[zero for zero, _ in parts], slices=()).flat()
    return dict(zip(keys, (value for _, value in parts), strict=True))


def _parts(result: Result) -> Iterator[tuple[Result, Any]]:
    """Each value of a result, behind a result that has 0 in its place."""
    value = result.value
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield evolve(result, value={name: 0.0}), _plain(part)
    else:
        yield evolve(result, value=0.0), _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, (Undefined, Failed, NotRun)):
        return None
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_whole else value
