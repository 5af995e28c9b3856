"""Scores: a report as the flat dictionary that modules of evaluate return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from valor_core.results import Report, Result, is_number
from valor_core.schemas import DEFAULT_KEY


def scores(report: Report, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Every value of a report of one metric, under a short name.

    A name is that of the metric and what tells the result from the others, ``F1/label:cat``, as
    `Report.flat` writes it. It leaves out what the module was made with, which is the same for all
    of its results, what is null, and the label key ``class``.

    Parameters
    ----------
    report : Report
        The report.
    parameters : mapping
        Parameters of the metric, as the report's config has them.

    Returns
    -------
    dict of str to float or None
        Numbers as float, and None where there is none: never NaN. A value of several named numbers
        is a name for each. What is more than a number, such as a curve or a matrix, stands as in
        the report, in lists and tables.

    Examples
    --------
    >>> from valor_core.results import Undefined
    >>> asked = {"use_stemmer": True}
    >>> found = [Result(type="ROUGE", parameters=asked, value={"rouge1": 0.5, "rouge2": None}),
    ...          Result(type="Recall", parameters={"label": "a"}, value=Undefined("no items"))]
    >>> scores(Report(results=found), asked)
    {'ROUGE/rouge1': 0.5, 'ROUGE/rouge2': None, 'Recall/label:a': None}
    """
    parts = [part for result in report.results for part in _parts(result, parameters)]
    # `flat` leaves out what is no number, so that it is asked for the names of zeros.
    names = evolve(report, results=[zero for zero, _ in parts], slices=()).flat()
    return dict(zip(names, (value for _, value in parts), strict=True))


def _parts(result: Result, parameters: Mapping[str, Any]) -> Iterator[tuple[Result, Any]]:
    """Each value of a result, behind a result that has 0 in its place."""
    value = result.value
    named = {
        name: told
        for name, told in result.parameters.items()
        if told is not None
        and (name, told) != ("label_key", DEFAULT_KEY)
        and not (name in parameters and parameters[name] == told)
    }
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield evolve(result, parameters=named, value={name: 0.0}), _plain(part)
    else:
        lacking = result.undefined or result.error
        yield evolve(result, parameters=named, value=0.0), None if lacking else _plain(value)


def _plain(value: Any) -> Any:
    return float(value) if is_number(value) else value
