"""Evaluation events of OpenTelemetry's conventions for generative AI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from valor_core import Failed, Report
from valor_core.errors import SchemaError, short_repr
from valor_core.packages import import_extra, version_of
from valor_core.results import NoScore
from valor_core.results.result import first_line
from valor_hosts.reports import check_report

EVENT = "gen_ai.evaluation.result"

Attributes = dict[str, str | float]


def emit_evaluation_events(report: Report, *, logger: Any = None) -> int:
    """Emit an event ``gen_ai.evaluation.result`` for each number of a report.

    If the report has rows of items, each row is an event whose ``gen_ai.response.id`` is the uid of
    the item: use the ids of the responses as uids. The label of a number with a requirement is
    ``pass`` or ``fail``.

    Parameters
    ----------
    report : Report
        Report of an evaluation, with ``items=True`` for an event for each response.
    logger : opentelemetry.sdk.logs.Logger, optional
        Logger of events. By default that of the global provider.

    Returns
    -------
    int
        Number of events.

    Raises
    ------
    MissingExtraError
        If ``opentelemetry-api`` is not installed.
    SchemaError
        If the first argument is not a report, or the logger cannot emit events.
    """
    check_report(report, "emit_evaluation_events")
    package = "opentelemetry-api"
    logs = import_extra("opentelemetry._logs", "emit_evaluation_events", package)
    if logger is None:
        logger = logs.get_logger("valor_hosts", version_of("valor-hosts"))
    if not hasattr(logger, "emit"):
        raise SchemaError(
            f"emit_evaluation_events: expected a logger, got {short_repr(logger)}",
            "Omit it, or pass LoggerProvider().get_logger('NAME') of opentelemetry.sdk._logs",
        )
    events = list(evaluation_events(report))
    for attributes in events:
        logger.emit(logs.LogRecord(event_name=EVENT, attributes=attributes))
    return len(events)


def evaluation_events(report: Report) -> Iterator[Attributes]:
    """Yield the attributes of the events of a report.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> report = evaluate([1, 0], [1, 1], ["Accuracy"], require={"Accuracy": ">= 0.9"})
    >>> for name, value in next(evaluation_events(report)).items():
    ...     print(name, value)
    gen_ai.evaluation.name Accuracy
    gen_ai.evaluation.score.value 0.5
    gen_ai.evaluation.score.label fail
    """
    numbers = report.flat(short=True)
    labels = {}
    for one in report.requirements:
        named = [name for name in numbers if one.name in (name, name.partition("/")[0])]
        if one.name in numbers or len(named) == 1:
            labels[one.name if one.name in numbers else named[0]] = "pass" if one.met else "fail"
    for name, number in numbers.items():
        attributes = _attributes(name, number)
        if name in labels:
            attributes["gen_ai.evaluation.score.label"] = labels[name]
        yield attributes
    for table in report.items:
        metric = table.metric.partition("@")[0].partition(".")[2]
        for row in table.rows:
            values = row.value if isinstance(row.value, Mapping) else {"": row.value}
            for part, score in values.items():
                name = f"{metric}/{part}" if part else metric
                yield _attributes(name, score) | {"gen_ai.response.id": str(row.uid)}


def _attributes(name: str, score: float | NoScore) -> Attributes:
    attributes: Attributes = {"gen_ai.evaluation.name": name}
    if isinstance(score, (int, float)):
        return attributes | {"gen_ai.evaluation.score.value": float(score)}
    attributes["gen_ai.evaluation.explanation"] = first_line(score.reason)
    return attributes | ({"error.type": "failed"} if isinstance(score, Failed) else {})
