"""Scores: a report as the flat dictionary that modules of evaluate return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from valor_core.results import Report, Result, is_number
from valor_core.schemas import DEFAULT_KEY


def scores(report: Report, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return all values of the report of one metric, by short names.

    A name consists of the metric and the parameters that distinguish its results, such as
    ``F1/label:cat``, as in `Report.flat`. It does not contain the arguments of the module, null
    values, and the label key ``class``.

    Parameters
    ----------
    report : Report
        Report.
    parameters : mapping
        Parameters of the metric in the config of the report.

    Returns
    -------
    dict of str to float or None
        Numbers as float, None for undefined values, never NaN. A value with several named numbers
        has one key for each. Curves and matrices are lists and tables, as in the report.

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
    # `flat` skips values that are not numbers, so get the names for zeros.
    names = evolve(report, results=[zero for zero, _ in parts], slices=()).flat()
    return dict(zip(names, (value for _, value in parts), strict=True))


def _parts(result: Result, parameters: Mapping[str, Any]) -> Iterator[tuple[Result, Any]]:
    """Yield each value of a result, after a copy of the result with value 0."""
    value = result.value
    named = {
        name: each
        for name, each in result.parameters.items()
        if each is not None
        and (name, each) != ("label_key", DEFAULT_KEY)
        and not (name in parameters and parameters[name] == each)
    }
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield evolve(result, parameters=named, value={name: 0.0}), _plain(part)
    else:
        lacking = result.undefined or result.error
        yield evolve(result, parameters=named, value=0.0), None if lacking else _plain(value)


def _plain(value: Any) -> Any:
    return float(value) if is_number(value) else value
