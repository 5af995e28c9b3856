"""Values that hosts read from a report: single numbers, and the reasons why it fails."""

from __future__ import annotations

from attrs import evolve
from valor_report import requirement_table, select, troubles

from valor_core import Report
from valor_core.errors import SchemaError, error_at, short_repr


def check_report(report: object, host: str) -> None:
    """Raise a `SchemaError` for another object than a report.

    Examples
    --------
    >>> check_report("report.json", "log_to_mlflow")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: log_to_mlflow: expected a report, got 'report.json'
    Pass the result of evaluate, or valor_core.Report.load(PATH)
    """
    if not isinstance(report, Report):
        raise SchemaError(
            f"{host}: expected a report, got {short_repr(report)}",
            "Pass the result of evaluate, or valor_core.Report.load(PATH)",
        )


def single_number(report: Report, key: str | None = None, place: str = "") -> float:
    """Return a single number of a report.

    Parameters
    ----------
    report : Report
        Report, of one metric if there is no key.
    key : str, optional
        Key of the number, as in ``require``: ``"F1/cat"``.
    place : str
        Prefix of errors.

    Raises
    ------
    ReportError
        If there is no such number, there are several, or it has no value.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> report = evaluate(["cat", "dog"], ["cat", "cat"], ["F1"])
    >>> single_number(report, "F1/dog")
    0.0
    >>> single_number(report, place="mine: ")
    Traceback (most recent call last):
        ...
    valor_core.errors.ReportError: mine: expected one number, found 5
    Write one of: F1/cat, F1/dog, F1/micro, F1/macro, F1/weighted.
    """
    with error_at(place):
        return float(select(key or report[0].type, report))


def failures(report: Report) -> str:
    """Return what is wrong with a report as text, empty if it is ok.

    Parameters
    ----------
    report : Report
        Report with the outcomes of its requirements.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> require = {"Accuracy": ">= 0.9", "F1/macro": ">= 0.3"}
    >>> report = evaluate(["cat", "dog"], ["cat", "cat"], ["Accuracy", "F1"], require=require)
    >>> print(failures(report))
    1 of 2 requirements not met
    <BLANKLINE>
    result    required  found  outcome
    --------  --------  -----  -------
    Accuracy  >= 0.9      0.5  not met
    """
    unmet = [one for one in report.requirements if not one.met]
    title = f"{len(unmet)} of {len(report.requirements)} requirements not met"
    tables = [evolve(one, title=title) for one in requirement_table(unmet)]
    return "\n\n".join(
        [*(one.plain() for one in tables), *troubles(evolve(report, requirements=()))]
    )
