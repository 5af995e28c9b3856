"""Thresholds of the metrics of a report, and their numbers at other values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeGuard

from attrs import evolve, field, frozen

from valor_core.errors import ReportError, ValorError, did_you_mean, short_repr
from valor_core.parameters import Parameter, parameters_of
from valor_core.results import Report, Result
from valor_core.results.entries import Entry, entries_of
from valor_core.results.result import is_number
from valor_core.specs import MetricSpec
from valor_report.plots.charts import Drawing, Line
from valor_report.plots.curve_figures import curve_chart, curve_name
from valor_report.plots.curve_lines import CurveLines
from valor_report.tables.pivot import Notes, cell_of, headings
from valor_report.tables.sections import structured
from valor_report.tables.structures import Curve
from valor_report.tables.text_table import Cell, Row, TextColumn, TextTable
from valor_report.viewer.source import ReportSource

_NAME = re.compile(r"(\w+_)?thresholds?")
_SCORE = "score_threshold"
_MOST_CACHED = 64
_MOST_ROWS = 300


@frozen
class Threshold:
    """Parameter of metrics that is a threshold.

    Parameters
    ----------
    name : str
        Name without the plural, such as ``"score_threshold"``.
    help : str
        Its meaning.
    low, high : float
        Range of values.
    singles : tuple of float
        Values of the metrics with one value in the report.
    metrics : tuple of str
        Names of the metrics that have it.
    """

    name: str
    help: str
    low: float = 0.0
    high: float = 1.0
    singles: tuple[float, ...] = ()
    metrics: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name in words: ``"IoU threshold"``."""
        return self.name.replace("_", " ").replace("iou", "IoU")

    @property
    def only(self) -> float | None:
        """Value in the report, if all metrics with one value have the same."""
        return self.singles[0] if len(self.singles) == 1 else None


def is_threshold(one: Parameter) -> bool:
    """Return whether a parameter is a threshold, or a list of them.

    Examples
    --------
    >>> from valor_core.parameters import parameter, parameters, parameters_of
    >>> @parameters
    ... class Cut:
    ...     score_thresholds: tuple[float, ...] = parameter(default=(0.5,), help="Lowest score.")
    ...     bins: int = parameter(default=10, help="Number of bins.")
    >>> [is_threshold(one) for one in parameters_of(Cut)]
    [True, False]
    """
    if not _NAME.fullmatch(one.name):
        return False
    try:
        one.kind.fit([0.5] if one.name.endswith("s") else 0.5, one.name)
    except ValorError:
        return False
    return True


def thresholds_of(
    chosen: Iterable[tuple[str, Sequence[Parameter], Mapping[str, Any]]],
) -> tuple[Threshold, ...]:
    """Collect the thresholds of metrics.

    Parameters
    ----------
    chosen : iterable of (str, sequence of Parameter, mapping)
        Name, parameters and their values of each metric.
    """
    found: dict[str, Threshold] = {}
    for metric, declared, values in chosen:
        for one in filter(is_threshold, declared):
            name = one.name.removesuffix("s")
            given = values.get(one.name, () if one.required else one.default)
            given = given if isinstance(given, (list, tuple)) else [given]
            numbers = [float(value) for value in given if is_number(value)]
            check = one.check
            before = found.get(name) or Threshold(
                name,
                one.help,
                0.0 if check is None or check.low is None else check.low,
                1.0 if check is None or check.high is None else check.high,
            )
            found[name] = evolve(
                before,
                singles=tuple(sorted({*before.singles, *(numbers if len(numbers) == 1 else ())})),
                metrics=tuple(dict.fromkeys([*before.metrics, metric])),
            )
    return tuple(found.values())


def chosen_values(
    pairs: Iterable[tuple[str, str]], available: Sequence[Threshold]
) -> dict[str, float]:
    """Parse the values of thresholds in an address; empty ones are ignored.

    Raises
    ------
    ReportError
        If there is no such threshold, or a value is not a number.

    Examples
    --------
    >>> chosen_values([("score_threshold", "0.3")], [Threshold("score_threshold", "")])
    {'score_threshold': 0.3}
    """
    names = [one.name for one in available]
    found = {}
    for name, text in pairs:
        if name not in names:
            raise ReportError(
                f"thresholds: no threshold {short_repr(name)}",
                did_you_mean(name, names) or f"Thresholds: {', '.join(names) or 'none'}.",
            )
        if not text.strip():
            continue
        if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?", text.strip(), re.ASCII):
            raise ReportError(
                f"thresholds: {name}: expected a number, got {short_repr(text)}",
                f"Write it as: {name}=0.5",
            )
        found[name] = float(text)
    return found


def changed_parameters(
    declared: Iterable[Parameter], values: Mapping[str, float]
) -> dict[str, float | list[float]]:
    """Return the parameters that set thresholds to other values.

    Raises
    ------
    ReportError
        If a value is out of the range of a parameter.
    """
    found: dict[str, float | list[float]] = {}
    for one in filter(is_threshold, declared):
        name = one.name.removesuffix("s")
        if name not in values:
            continue
        if one.check is not None and not one.check(values[name]):
            raise ReportError(
                f"thresholds: {name} must {one.check.expectation}, got {values[name]:g}",
                "Write a number in this range.",
            )
        found[one.name] = [values[name]] if one.name.endswith("s") else values[name]
    return found


@frozen
class ThresholdNumbers:
    """Numbers of a report and those at other thresholds.

    Parameters
    ----------
    table : TextTable
        Numbers, with a row for each.
    drawings : tuple of (str, Drawing)
        Title and SVG of each curve, that of the report in gray.
    warnings : tuple of str
        Warnings of the evaluation.
    """

    table: TextTable
    drawings: tuple[tuple[str, Drawing], ...]
    warnings: tuple[str, ...]


@frozen(eq=False, repr=False)
class Thresholds:
    """Thresholds of a report, and evaluations at other values.

    Parameters
    ----------
    source : ReportSource
        Report, metrics and data.
    """

    source: ReportSource
    _cache: dict[tuple[tuple[str, float], ...], ThresholdNumbers] = field(factory=dict, init=False)

    @property
    def available(self) -> tuple[Threshold, ...]:
        """Thresholds of the metrics that cost nothing."""
        source = self.source
        names = source.names
        return thresholds_of(
            (names[position], self._declared(position), dict(self._entry(position)))
            for position in source.repeatable
        )

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the metrics that are not computed again, since they need a resource."""
        source = self.source
        return tuple(
            dict.fromkeys(
                name for at, name in enumerate(source.names) if at not in source.repeatable
            )
        )

    def _entry(self, position: int) -> Mapping[str, Any]:
        options = self.source.options
        entry = {} if options is None else options.metrics[position]
        return entry if isinstance(entry, Mapping) else {"name": entry}

    def _declared(self, position: int) -> Sequence[Parameter]:
        spec: MetricSpec = self.source.evaluation.plan.metrics[position].spec
        return parameters_of(spec.parameter_class)

    @cached_property
    def unchanged(self) -> ThresholdNumbers:
        """Numbers and curves of the report, before a threshold is changed."""
        source = self.source
        types = {
            source.evaluation.plan.metrics[position].spec.name
            for position in source.repeatable
            if any(map(is_threshold, self._declared(position)))
        }
        held = [one for one in source.report if _name(one) in types]
        return ThresholdNumbers(_table(held, held, {}), tuple(_drawn(source.report)), ())

    def at(self, values: Mapping[str, float]) -> ThresholdNumbers:
        """Evaluate the metrics with a threshold at other values.

        Parameters
        ----------
        values : mapping of str to float
            Values by name of the threshold.

        Raises
        ------
        ValorError
            If a value is out of range, or the data cannot be read.
        """
        key = tuple(sorted(values.items()))
        if key not in self._cache:
            while len(self._cache) >= _MOST_CACHED:
                self._cache.pop(next(iter(self._cache)), None)
            self._cache[key] = self._compared(values)
        return self._cache[key]

    def _compared(self, values: Mapping[str, float]) -> ThresholdNumbers:
        metrics, types = [], set()
        for position in self.source.repeatable:
            changes = changed_parameters(self._declared(position), values)
            if changes:
                entry = self._entry(position)
                metrics.append({**entry, **changes})
                types.add(self.source.evaluation.plan.metrics[position].spec.name)
        now = self.source.evaluated(metrics)
        before = [one for one in self.source.report if _name(one) in types]
        others = [one for one in self.source.report if _name(one) not in types]
        drawings = (*_curves(before, now), *_positions(others, values))
        return ThresholdNumbers(_table(before, now, values), drawings, tuple(now.warnings))


def _name(result: Result) -> str:
    return (result.metric or result.type).partition("@")[0]


def _key(result: Result, values: Mapping[str, float]) -> tuple[Any, ...]:
    """Key of results that differ in the changed thresholds only."""
    parameters = sorted(
        (name, repr(value))
        for name, value in result.parameters.items()
        if name.removesuffix("s") not in values
    )
    return (_name(result), result.type, *parameters)


def _table(
    before: Sequence[Result], now: Iterable[Result], values: Mapping[str, float]
) -> TextTable:
    """Numbers of the report and at the changed thresholds, totals before labels."""
    earlier: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in entries_of(before):
        earlier.setdefault((*_key(entry.result, values), entry.part), []).append(entry)
    heading = headings(now)
    notes, rows = Notes(), list[tuple[bool, Row]]()
    for entry in entries_of(now):
        title = heading(entry.result)[0]
        name = f"{title}, {entry.part}" if entry.part else title
        then = earlier.get((*_key(entry.result, values), entry.part), [])
        of_label = "label" in entry.result.parameters
        rows.append(
            (
                of_label,
                [
                    name,
                    cell_of(entry, notes),
                    _difference(then, entry),
                    _earlier(then, values, notes),
                ],
            )
        )
    rows.sort(key=lambda one: one[0])
    hidden = len(rows) - _MOST_ROWS
    return TextTable(
        "Numbers",
        [
            "metric",
            TextColumn("now", numeric=True),
            TextColumn("difference", numeric=True),
            TextColumn("in the report", numeric=True),
        ],
        [row for _, row in rows[:_MOST_ROWS]],
        caption=f"the first {_MOST_ROWS}; {hidden:,} more" if hidden > 0 else "",
        notes=notes.all,
    )


def _earlier(then: Sequence[Entry], values: Mapping[str, float], notes: Notes) -> Cell:
    """Cell of the numbers in the report, with their thresholds if there are several."""
    if not then:
        return Cell("")
    if len(then) == 1:
        return cell_of(then[0], notes)
    texts = []
    for entry in then:
        at = [
            f"{value:g}" if is_number(value) else str(value)
            for name, value in entry.result.parameters.items()
            if name.removesuffix("s") in values and not isinstance(value, (list, tuple))
        ]
        texts.append(f"{cell_of(entry, notes).text}{' at ' if at else ''}{', '.join(at)}")
    return Cell("; ".join(texts))


def _difference(then: Sequence[Entry], now: Entry) -> Cell:
    if len(then) != 1 or not is_number(then[0].value) or not is_number(now.value):
        return Cell("")
    change = float(now.value) - float(then[0].value)
    return Cell(f"{change:+.4f}" if change else "0", change)


def _curves(before: Sequence[Result], now: Report) -> Iterator[tuple[str, Drawing]]:
    """Yield the curves at the changed thresholds in color over those of the report in gray."""
    earlier = [(one, found) for one, found in structured(before) if _are_curves(found)]
    heading = headings(now)
    for result, found in structured(now):
        if not _are_curves(found):
            continue
        kind = found[0].kind
        gray = [
            evolve(line, tone="other", name="")
            for one, curves in earlier
            if _name(one) == _name(result)
            and one.type == result.type
            and curves[0].kind == kind
            and one.parameters.get("label_key") == result.parameters.get("label_key")
            for line in CurveLines.of(curves).bright
        ]
        yield _over(heading(result)[0], kind, gray, found)


def _drawn(results: Report) -> Iterator[tuple[str, Drawing]]:
    """Yield the curves of a report in color."""
    heading = headings(results)
    for result, found in structured(results):
        if _are_curves(found):
            yield _over(heading(result)[0], found[0].kind, (), found)


def _positions(
    results: Iterable[Result], values: Mapping[str, float]
) -> Iterator[tuple[str, Drawing]]:
    """Yield curves over all scores with the points at a changed score threshold.

    The values of these curves list the score threshold of each point, in descending order.
    """
    results = list(results)
    threshold = values.get(_SCORE)
    heading = headings(results)
    for result, found in structured(results):
        if threshold is None or not _are_curves(found):
            continue
        points = [
            curve
            for label, entry in (result.content.items() if result.content else ())
            for curve in _point(found, str(label), entry, threshold)
        ]
        if points:
            gray = [evolve(line, tone="other", name="") for line in CurveLines.of(found).bright]
            yield _over(heading(result)[0], found[0].kind, gray, points)


def _point(curves: Sequence[Curve], label: str, entry: Any, threshold: float) -> Iterator[Curve]:
    """Yield the point of a label as a curve."""
    held = entry.get("thresholds") if isinstance(entry, Mapping) else None
    curve = next((one for one in curves if one.label == label), None)
    if curve is None or not isinstance(held, (list, tuple)) or len(held) != len(curve.points):
        return
    reached = sum(is_number(score) and score >= threshold for score in held)
    unreachable = sum(not is_number(score) for score in held)  # the first point has no score
    yield evolve(curve, points=(curve.points[max(reached + unreachable - 1, 0)],))


def _over(
    title: str, kind: str, gray: Sequence[Line], curves: Sequence[Curve]
) -> tuple[str, Drawing]:
    lines = [*gray, *CurveLines.of(curves).bright]
    return title, Drawing(f"{title}: {curve_name(kind)}", (curve_chart(kind, lines),))


def _are_curves(found: Any) -> TypeGuard[tuple[Curve, ...]]:
    return isinstance(found, tuple) and bool(found) and isinstance(found[0], Curve)
