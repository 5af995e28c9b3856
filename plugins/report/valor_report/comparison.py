"""Comparison: what changed from one report to another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from attrs import Attribute, field, frozen
from numpy.typing import NDArray

from valor_core.errors import RegistryError, ReportError
from valor_core.results import (
    ROW_NAMES,
    ConfusionTable,
    Entry,
    Failed,
    Report,
    Result,
    Undefined,
    entries_of,
    is_number,
    pairs,
    write_text,
)
from valor_core.specs import Registry
from valor_report.settings import differences
from valor_report.tables.pivot import text_of
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    Tone,
    escaped,
    number_text,
)

Verdict = Literal["better", "worse", "different", "appeared", "vanished", "same"]
Gate = Literal["worse", "differ"]
SUFFIXES = (".md", ".html", ".json")
"""Formats of a comparison in a file."""

_TONES: Mapping[str, Tone] = {"better": "good", "worse": "bad", "same": "faint"}


@frozen
class Change:
    """One number in two reports.

    Parameters
    ----------
    entry : Entry
        The number as the second report has it.
    a, b : float or None
        The values; None where a report has none.
    a_reason, b_reason : str or None
        Why there is none.
    verdict : str
        ``"better"`` or ``"worse"`` where the metric's direction is known, else
        ``"different"``; ``"same"`` within a tolerance; ``"appeared"`` or ``"vanished"`` where
        one value is undefined.
    """

    entry: Entry
    a: float | None
    b: float | None
    a_reason: str | None
    b_reason: str | None
    verdict: Verdict

    @property
    def difference(self) -> float | None:
        """How much larger the second value is, where both are there."""
        return None if self.a is None or self.b is None else self.b - self.a

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON has it."""
        record = _name(self.entry.result)
        if self.entry.part:
            record["part"] = self.entry.part
        record |= {"a": self.a, "b": self.b, "difference": self.difference}
        if self.a_reason is not None:
            record["a_reason"] = self.a_reason
        if self.b_reason is not None:
            record["b_reason"] = self.b_reason
        return record | {"verdict": self.verdict}


@frozen
class Comparison:
    """Two reports, result by result.

    Parameters
    ----------
    changes : tuple of Change
        Numbers that are in both reports, in the order of the first.
    structures : tuple of Result
        Curves and matrices that differ by more than a tolerance, as the second report has them.
    only_a, only_b : tuple of Result
        Results that the other report does not have.
    remarks : tuple of str
        What else is not the same: data and settings, versions, numbers of items.
    """

    changes: tuple[Change, ...]
    structures: tuple[Result, ...]
    only_a: tuple[Result, ...]
    only_b: tuple[Result, ...]
    remarks: tuple[str, ...]

    def count(self, verdict: Verdict) -> int:
        """How many numbers have a verdict."""
        return sum(change.verdict == verdict for change in self.changes)

    @property
    def same(self) -> bool:
        """Whether both reports have the same results, within the tolerances."""
        return not self.failing("differ")

    def failing(self, gate: Gate) -> tuple[str, ...]:
        """What must not be, in words; nothing where the second report passes.

        Parameters
        ----------
        gate : str
            ``"worse"`` lets no number be worse or vanish, and no metric with numbers have none
            in common; ``"differ"`` lets nothing differ.

        Examples
        --------
        >>> lost = Report(results=[Result(type="F1", value=0.5)])
        >>> compare(lost, Report(results=())).failing("worse")
        ('no number of F1 to compare',)
        """
        found = self._counts()
        if gate == "differ":
            return tuple(f"{n:,} {what}" for what, n in found.items() if n and what != "same")
        losses = [f"{found[what]:,} {what}" for what in ("worse", "vanished") if found[what]]
        return (*losses, *(f"no number of {name} to compare" for name in self._lost()))

    def _lost(self) -> list[str]:
        """Metrics with numbers in the first report of which none is in the second."""
        compared = {change.entry.metric for change in self.changes}
        of_numbers = (
            entry
            for one in self.only_a
            for entry in entries_of([one])
            if _number(entry.value) is not None
        )
        return list(dict.fromkeys(e.metric for e in of_numbers if e.metric not in compared))

    def _counts(self) -> dict[str, int]:
        """How many there are of everything that the summary counts."""
        return {verdict: self.count(verdict) for verdict in get_args(Verdict)} | {
            "of other values different": len(self.structures),
            "only in the first": len(self.only_a),
            "only in the second": len(self.only_b),
        }

    @property
    def summary(self) -> str:
        """The outcome in a line.

        Examples
        --------
        >>> compare(Report(results=()), Report(results=())).summary
        '0 numbers compared'
        """
        parts = [f"{len(self.changes):,} number{'' if len(self.changes) == 1 else 's'} compared"]
        parts += [f"{count:,} {what}" for what, count in self._counts().items() if count]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "changes": [change.to_dict() for change in self.changes],
            "structures": [_name(one) for one in self.structures],
            "only_a": [_name(one) for one in self.only_a],
            "only_b": [_name(one) for one in self.only_b],
            "remarks": list(self.remarks),
            "same": self.same,
        }

    def tables(self, *, whole: bool = True) -> tuple[TextTable, ...]:
        """The comparison as tables: numbers, and what cannot be compared.

        Parameters
        ----------
        whole : bool
            Whether the numbers that are the same have rows, too, or are counted only.
        """
        shown = [change for change in self.changes if whole or change.verdict != "same"]
        ready = [_changes(shown, len(self.changes) - len(shown))] if shown else []
        others = [
            *((one, "differs") for one in self.structures),
            *((one, "only in the first") for one in self.only_a),
            *((one, "only in the second") for one in self.only_b),
        ]
        if others:
            rows: list[Row] = [
                [one.type, _coordinates(one.slice, one.parameters), note] for one, note in others
            ]
            ready.append(TextTable("Other results", ["metric", "of", "outcome"], rows))
        return tuple(ready)

    def save(self, path: Path, title: str) -> None:
        """Write the comparison to a file in a format of `SUFFIXES`.

        Raises
        ------
        ReportError
            If the file cannot be written.
        """
        if path.suffix == ".html":
            from valor_report.pages.comparison_page import html

            text = html(self, title)
        elif path.suffix == ".md":
            text = self.markdown(title)
        else:
            text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
        write_text(path, text)

    def markdown(self, title: str) -> str:
        """The comparison as Markdown, without the numbers that are the same.

        Parameters
        ----------
        title : str
            What is compared with what.

        Examples
        --------
        >>> print(compare(Report(results=()), Report(results=())).markdown("a, then b"))
        # a, then b
        <BLANKLINE>
        **0 numbers compared**
        <BLANKLINE>
        """
        parts = [f"# {escaped(title)}", f"**{self.summary}**"]
        if self.remarks:
            parts.append("\n".join(f"- {escaped(remark)}" for remark in self.remarks))
        parts += [table.markdown() for table in self.tables(whole=False)]
        return "\n\n".join(parts) + "\n"


def check_directions(comparison: Comparison, registry: Registry) -> None:
    """Raise a `RegistryError` if a number differs and its metric is not installed.

    Without the metric, no direction is known, and a worse number would pass.
    """
    changes = comparison.changes
    for name in {change.entry.metric: None for change in changes if change.verdict == "different"}:
        registry.metric(name)


def compare(
    a: Report,
    b: Report,
    *,
    tolerance: float = 0.0,
    relative_tolerance: float = 0.0,
    registry: Registry | None = None,
) -> Comparison:
    """What changed from report `a` to report `b`.

    Results are matched by their slice, the metric's name and all their parameters, not by its
    version.

    Parameters
    ----------
    a, b : Report
        The reports.
    tolerance : float
        Differences up to this are the same.
    relative_tolerance : float
        So are differences up to this share of the first value.
    registry : Registry, optional
        Where the metrics' directions are looked up; without it there is no better or worse.

    Raises
    ------
    ReportError
        If a tolerance is below 0.

    Examples
    --------
    >>> old = Report(results=[Result(type="F1", parameters={"label": "cat"}, value=0.5)])
    >>> new = Report(results=[Result(type="F1", parameters={"label": "cat"}, value=0.75)])
    >>> (change,) = compare(old, new).changes
    >>> change.difference, change.verdict
    (0.25, 'different')
    """
    tolerances = _Tolerances(tolerance, relative_tolerance)
    ours, theirs = _by_identity(a), _by_identity(b)
    shared = [identity for identity in ours if identity in theirs]
    directions = {name: _direction(name, registry) for name, *_ in shared}
    changes: list[Change] = []
    structures = []
    for identity in shared:
        mine, other = ours[identity], theirs[identity]
        direction = directions[identity[0]]
        if direction is None:
            direction = other.parameters.get("higher_is_better")
        for one, two in _numbers(mine, other):
            changes.append(_change(one, two, direction, tolerances))
        if not tolerances.allow(_rest(mine), _rest(other)):
            structures.append(other)
    return Comparison(
        tuple(changes),
        tuple(structures),
        tuple(one for identity, one in ours.items() if identity not in theirs),
        tuple(one for identity, one in theirs.items() if identity not in ours),
        tuple(_remarks(a, b)),
    )


def _at_least_0(instance: object, attribute: Attribute[float], value: float) -> None:
    if not value >= 0:
        raise ReportError(f"compare: {attribute.name} must be at least 0, got {value}")


@frozen
class _Tolerances:
    """How far values may be apart that are the same."""

    tolerance: float = field(validator=_at_least_0)
    relative_tolerance: float = field(validator=_at_least_0)

    def allow(self, a: Any, b: Any) -> bool:
        """Whether two values are the same: numbers, or lists and mappings of them."""
        if is_number(a) and is_number(b):
            return bool(abs(b - a) <= max(self.tolerance, self.relative_tolerance * abs(a)))
        if isinstance(a, ConfusionTable) and isinstance(b, ConfusionTable):
            pair = a.aligned(b)
            return pair is not None and self._allow_all(*pair)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            return a.keys() == b.keys() and all(self.allow(a[name], b[name]) for name in a)
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(map(self.allow, a, b))
        return bool(a == b)

    def _allow_all(self, a: NDArray[Any], b: NDArray[Any]) -> bool:
        most = np.maximum(self.tolerance, self.relative_tolerance * np.abs(a))
        return bool((np.abs(b - a) <= most).all())


_Identity = tuple[str, str, str]


def _by_identity(report: Report) -> dict[_Identity, Result]:
    return {
        (_plain_name(one), _text(one.slice), _text(one.parameters)): one
        for one in chain(report, *report.slices)
    }


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, default=str)


def _plain_name(result: Result) -> str:
    return (result.metric or result.type).partition("@")[0]


def _numbers(ours: Result, theirs: Result) -> Iterable[tuple[Entry, Entry]]:
    """The numbers of both, with the whole reason in place of each that one has not."""
    mine = {entry.part: entry for entry in entries_of([ours])}
    other = {entry.part: entry for entry in entries_of([theirs])}
    for part in dict.fromkeys([*mine, *other]):
        if not part and len(mine | other) > 1:
            continue
        one = mine.get(part) or _in_place(mine, ours, part)
        two = other.get(part) or _in_place(other, theirs, part)
        yield one, two


def _in_place(entries: Mapping[str, Entry], result: Result, part: str) -> Entry:
    whole = entries.get("")
    return Entry(result, part, None if whole is None else whole.value)


def _rest(result: Result) -> Any:
    """What the value holds beyond its numbers."""
    named = {entry.part for entry in entries_of([result])}
    if "" in named:
        return None
    content = result.content
    if isinstance(content, Mapping) and not isinstance(content, ConfusionTable):
        return {key: value for key, value in content.items() if str(key) not in named}
    return content


def _change(
    one: Entry, two: Entry, higher_is_better: bool | None, tolerances: _Tolerances
) -> Change:
    a, b = _number(one.value), _number(two.value)
    return Change(
        two,
        a,
        b,
        _reason(one.value),
        _reason(two.value),
        _verdict(a, b, higher_is_better, tolerances),
    )


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None


def _reason(value: Any) -> str | None:
    return value.reason if isinstance(value, (Undefined, Failed)) else None


def _verdict(
    a: float | None, b: float | None, higher_is_better: bool | None, tolerances: _Tolerances
) -> Verdict:
    if a is None or b is None:
        return "same" if a is b else "appeared" if a is None else "vanished"
    if tolerances.allow(a, b):
        return "same"
    if higher_is_better is None:
        return "different"
    return "better" if (b > a) is higher_is_better else "worse"


def _direction(name: str, registry: Registry | None) -> bool | None:
    if registry is None or "." not in name:
        return None
    try:
        return registry.metric(name).higher_is_better
    except RegistryError:
        return None


def _remarks(a: Report, b: Report) -> Iterable[str]:
    yield from differences(a.config, b.config)
    for name in dict.fromkeys([*a.versions, *b.versions]):
        one, two = a.versions.get(name, "none"), b.versions.get(name, "none")
        if one != two:
            yield f"version of {name}: {one}, then {two}"
    identities = {_plain_name(result): result.metric for result in a}
    for name, identity in {_plain_name(result): result.metric for result in b}.items():
        if identities.get(name, identity) != identity:
            yield f"version of the metric: {identities[name]}, then {identity}"
    for which, report in (("first", a), ("second", b)):
        if report.stopped is not None:
            yield f"{which} report: {report.stopped}"
    for key in ("read", "skipped", "failed", "not_run"):
        one_count, two_count = a.counts.get(key, 0), b.counts.get(key, 0)
        if one_count != two_count:
            yield f"items {key.replace('_', ' ')}: {one_count:,}, then {two_count:,}"


def _name(one: Result) -> dict[str, Any]:
    sliced = {"slice": dict(one.slice)} if one.slice else {}
    named = {"type": one.type, "metric": _plain_name(one)}
    return named | sliced | {"parameters": dict(one.parameters)}


def _changes(changes: Sequence[Change], same: int) -> TextTable:
    constant = _constant([change.entry.result.parameters for change in changes])
    rows: list[Row] = []
    for change in changes:
        result = change.entry.result
        own = {k: v for k, v in result.parameters.items() if k not in constant}
        rows.append(
            [
                f"{result.type} {change.entry.part}".rstrip(),
                _coordinates(result.slice, own),
                _value(change.a),
                _value(change.b),
                _difference(change),
                Cell(change.verdict, tone=_TONES.get(change.verdict, "")),
            ]
        )
    numeric = [TextColumn(title, numeric=True) for title in ("first", "second", "difference")]
    caption = [_coordinates({}, constant), f"{same:,} more are the same" if same else ""]
    return TextTable(
        "Comparison",
        ["metric", "of", *numeric, "verdict"],
        rows,
        caption="; ".join(filter(None, caption)),
        keys=2,
    )


def _constant(parameters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Parameters with one value wherever they are given; a label is never one of them."""
    values: dict[str, list[Any]] = {}
    for given in parameters:
        for name, value in given.items():
            values.setdefault(name, []).append(value)
    return {
        name: found[0]
        for name, found in values.items()
        if name not in ROW_NAMES and len(found) > 1 and all(value == found[0] for value in found)
    }


def _coordinates(slice: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    words = pairs(slice)
    for name, value in parameters.items():
        if name == "label":
            words.append(text_of(value))
        elif name == "average":
            words.append(f"{value} average")
        elif (name, value) != ("label_key", "class"):
            words.append(f"{name} {text_of(value)}")
    return ", ".join(words)


def _value(value: float | None) -> Cell:
    return Cell(MISSING, tone="faint") if value is None else Cell(number_text(value), value)


def _difference(change: Change) -> Cell:
    difference = change.difference
    if difference is None:
        return Cell("")
    sign = "+" if difference > 0 else ""
    tone = _TONES.get(change.verdict, "")
    return Cell("0" if difference == 0 else f"{sign}{number_text(difference)}", difference, tone)
