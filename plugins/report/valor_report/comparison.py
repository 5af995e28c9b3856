"""Comparison of two reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from attrs import Attribute, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import RegistryError, ReportError, and_more
from valor_core.results import ConfusionTable, Failed, Report, Result, Undefined
from valor_core.results.entries import ROW_NAMES, Entry, entries_of, grouped, pairs
from valor_core.results.files import write_text
from valor_core.results.result import is_number
from valor_core.specs import Registry
from valor_core.specs.extensions import INTERVALS, extension
from valor_report.settings import differences
from valor_report.tables.pivot import text_of
from valor_report.tables.slice_tables import DIFFERENCE
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    Tone,
    escaped,
    number_text,
    probability_text,
)

Verdict = Literal["better", "worse", "unclear", "different", "appeared", "vanished", "same"]
Gate = Literal["worse", "differ"]
SUFFIXES = (".md", ".html", ".json", ".xml")
"""File suffixes that `Comparison.save` supports."""

_TONES: Mapping[str, Tone] = {"better": "good", "worse": "bad", "unclear": "faint", "same": "faint"}


@frozen
class Change:
    """Number that is in both reports.

    Parameters
    ----------
    entry : Entry
        Entry of the second report.
    a, b : float or None
        Values in the first and second report; None if undefined or failed.
    a_reason, b_reason : str or None
        Reason for a missing value.
    verdict : str
        ``"same"`` within the tolerances; ``"better"`` or ``"worse"``, or ``"different"`` if the
        metric has no direction; ``"appeared"`` or ``"vanished"`` if one value is missing. With
        intervals, ``"unclear"`` if the difference may be chance.
    interval : (float, float), optional
        Interval of the difference, if both reports have intervals.
    p : float, optional
        Probability of such a difference by chance, corrected for the number of comparisons.
    method : str, optional
        Test of the difference, such as ``"McNemar"``. Captions of tables name all methods.
    smallest : float, optional
        Smallest difference that the test finds with a probability of 80 %.
    """

    entry: Entry
    a: float | None
    b: float | None
    a_reason: str | None
    b_reason: str | None
    verdict: Verdict
    interval: tuple[float, float] | None = None
    p: float | None = None
    method: str | None = None
    smallest: float | None = None

    @property
    def difference(self) -> float | None:
        """Second value minus the first; None if one is missing."""
        return None if self.a is None or self.b is None else self.b - self.a

    def to_dict(self) -> dict[str, Any]:
        """Convert the change to a JSON object."""
        record = _name(self.entry.result)
        if self.entry.part:
            record["part"] = self.entry.part
        record |= {"a": self.a, "b": self.b, "difference": self.difference}
        if self.interval is not None:
            record |= {"interval": list(self.interval), "p": self.p, "method": self.method}
            record["smallest_difference"] = self.smallest
        if self.a_reason is not None:
            record["a_reason"] = self.a_reason
        if self.b_reason is not None:
            record["b_reason"] = self.b_reason
        return record | {"verdict": self.verdict}


@frozen
class Comparison:
    """Differences between two reports, result by result.

    Parameters
    ----------
    changes : tuple of Change
        Numbers in both reports, in the order of the first.
    structures : tuple of Result
        Curves and matrices of the second report that differ by more than the tolerances.
    only_a, only_b : tuple of Result
        Results that are in one report only.
    remarks : tuple of str
        Differences of the data, settings, versions and item counts.
    flips : tuple of Flips
        Items that got better or worse, as `valor_intervals` finds them.
    incomparable : tuple of str
        Reasons why numbers are not comparable, such as another version of a metric.
    untested : tuple of str
        Reasons why differences are not tested, with the command that makes a test possible.
    """

    changes: tuple[Change, ...]
    structures: tuple[Result, ...]
    only_a: tuple[Result, ...]
    only_b: tuple[Result, ...]
    remarks: tuple[str, ...]
    flips: tuple[Any, ...] = ()
    incomparable: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """Number of changes with a verdict."""
        return sum(change.verdict == verdict for change in self.changes)

    @property
    def same(self) -> bool:
        """True if both reports have the same results within the tolerances."""
        return not self.failing("differ")

    def failing(self, gate: Gate) -> tuple[str, ...]:
        """Reasons why the second report fails a gate; empty if it passes.

        Parameters
        ----------
        gate : str
            ``"worse"`` fails if a number is worse or vanished, or a metric with numbers has none
            in common; ``"differ"`` fails if anything differs. Both fail if the reports are not
            comparable.

        Examples
        --------
        >>> lost = Report(results=[Result(type="F1", value=0.5)])
        >>> compare(lost, Report(results=())).failing("worse")
        ('no number of F1 to compare',)
        """
        found = self._counts()
        others = tuple(map(_not_comparable, self.incomparable))
        if gate == "differ":
            counted = (f"{n:,} {what}" for what, n in found.items() if n and what != "same")
            return (*counted, *others)
        losses = [f"{found[what]:,} {what}" for what in ("worse", "vanished") if found[what]]
        lost = (f"no number of {name} to compare" for name in self.without_numbers())
        return (*losses, *lost, *others)

    def without_numbers(self) -> list[str]:
        """Metrics with numbers in the first report and no number in common."""
        compared = {change.entry.metric for change in self.changes}
        of_numbers = (
            entry
            for one in self.only_a
            for entry in entries_of([one])
            if _number(entry.value) is not None
        )
        return list(dict.fromkeys(e.metric for e in of_numbers if e.metric not in compared))

    def _counts(self) -> dict[str, int]:
        """Counts of the summary by their words."""
        return {verdict: self.count(verdict) for verdict in get_args(Verdict)} | {
            "of other values different": len(self.structures),
            "only in the first": len(self.only_a),
            "only in the second": len(self.only_b),
        }

    @property
    def summary(self) -> str:
        """Summary in one line.

        Examples
        --------
        >>> compare(Report(results=()), Report(results=())).summary
        '0 numbers compared'
        """
        parts = [f"{len(self.changes):,} number{'' if len(self.changes) == 1 else 's'} compared"]
        parts += [f"{count:,} {what}" for what, count in self._counts().items() if count]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Convert the comparison to a JSON object."""
        return {
            "changes": [change.to_dict() for change in self.changes],
            "structures": [_name(one) for one in self.structures],
            "only_a": [_name(one) for one in self.only_a],
            "only_b": [_name(one) for one in self.only_b],
            "remarks": list(self.remarks),
            "incomparable": list(self.incomparable),
            "flips": [one.to_dict() for one in self.flips],
            "same": self.same,
        }

    def tables(self, *, whole: bool = True) -> tuple[TextTable, ...]:
        """Tables of the changes, and of results that differ otherwise.

        Parameters
        ----------
        whole : bool
            Whether to include equal numbers. Otherwise they are only counted.
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
        if any(one.better or one.worse for one in self.flips):
            ready.append(_flips(self.flips))
        return tuple(ready)

    def save(self, path: Path, title: str) -> None:
        """Write the comparison to a file in Markdown, HTML, JSON or JUnit XML.

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
        elif path.suffix == ".xml":
            from valor_report.junit import comparison_junit

            text = comparison_junit(self)
        else:
            text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
        write_text(path, text)

    def markdown(self, title: str) -> str:
        """Format the differing results as Markdown.

        Parameters
        ----------
        title : str
            Title of the document.

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


def _not_comparable(reason: str) -> str:
    return f"not comparable: {reason}"


def check_directions(comparison: Comparison, registry: Registry) -> None:
    """Raise a `RegistryError` if a number differs and its metric is not installed.

    Only the metric defines whether a higher number is better, so a worse one would pass.
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
    **tests: Any,
) -> Comparison:
    """Compare report `b` with report `a`.

    Results match if they have the same slice, metric name and parameters.

    Parameters
    ----------
    a, b : Report
        First and second report.
    tolerance : float
        Maximum absolute difference of equal numbers.
    relative_tolerance : float
        Maximum difference of equal numbers, relative to the first value.
    registry : Registry, optional
        Registry used to look up whether higher is better. Without it, numbers that differ are
        ``"different"`` instead of better or worse.
    tests : optional
        Options of `valor_intervals.compare`, such as ``correction="bh"``.

    Raises
    ------
    ReportError
        If a tolerance is negative.

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
        if DIFFERENCE in other.details:  # of two slices, which has no direction
            direction = None
        for one, two in _numbers(mine, other):
            changes.append(_change(one, two, direction, tolerances))
        if not tolerances.allow(_rest(mine), _rest(other)):
            structures.append(other)
    found = extension(INTERVALS, "compare")
    tested = None if found is None else found.load()(a, b, registry=registry, **tests)
    reasons = [*_incomparable(a, b)] if tested is None else tested.incomparable
    # A parameter by which results cannot be paired is also a difference of the settings.
    repeated = tuple(f"{' '.join(reason.split()[:2])} " for reason in reasons)
    remarks = [one for one in _remarks(a, b) if not one.startswith(repeated)]
    remarks += map(_not_comparable, reasons)
    return Comparison(
        tuple(changes if tested is None else _with_tests(changes, tested)),
        tuple(structures),
        tuple(one for identity, one in ours.items() if identity not in theirs),
        tuple(one for identity, one in theirs.items() if identity not in ours),
        tuple(remarks),
        () if tested is None else tested.flips,
        tuple(reasons),
        () if tested is None else tested.remarks,
    )


def _at_least_0(instance: object, attribute: Attribute[float], value: float) -> None:
    if not value >= 0:
        raise ReportError(f"compare: {attribute.name} must be at least 0, got {value}")


@frozen
class _Tolerances:
    """Maximum differences of equal values."""

    tolerance: float = field(validator=_at_least_0)
    relative_tolerance: float = field(validator=_at_least_0)

    def allow(self, a: Any, b: Any) -> bool:
        """Return True if two numbers, or nested lists and mappings of numbers, are equal."""
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
    """Pairs of numbers by part; a missing one gets the reason of the result without a part."""
    mine = {entry.part: entry for entry in entries_of([ours])}
    other = {entry.part: entry for entry in entries_of([theirs])}
    for part in dict.fromkeys([*mine, *other]):
        if not part and len(mine | other) > 1:
            continue
        one = mine.get(part) or _missing_part(mine, ours, part)
        two = other.get(part) or _missing_part(other, theirs, part)
        yield one, two


def _missing_part(entries: Mapping[str, Entry], result: Result, part: str) -> Entry:
    whole = entries.get("")
    return Entry(result, part, None if whole is None else whole.value)


def _rest(result: Result) -> Any:
    """Value of a result without the numbers that `entries_of` yields."""
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


def _with_tests(changes: Iterable[Change], tested: Any) -> Iterable[Change]:
    """Add the tests of a comparison by `valor_intervals`."""
    by_key = {one.key: one.test for one in tested.numbers}
    for change in changes:
        result = change.entry.result
        key = (_plain_name(result), _text(result.slice), _text(result.parameters))
        yield _clear(change, by_key.get((*key, change.entry.part)))


def _clear(change: Change, difference: Any) -> Change:
    if difference is None:
        return change
    is_unclear = change.verdict in ("better", "worse", "different") and not difference.is_clear
    return evolve(
        change,
        verdict="unclear" if is_unclear else change.verdict,
        interval=(difference.low, difference.high),
        p=difference.p,
        method=difference.method,
        smallest=difference.smallest,
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
    for which, report in (("first", a), ("second", b)):
        if report.stopped is not None:
            yield f"{which} report: {report.stopped}"
    for key in ("skipped", "failed", "not_run"):
        one_count, two_count = a.counts.get(key, 0), b.counts.get(key, 0)
        if one_count != two_count:
            yield f"items {key.replace('_', ' ')}: {one_count:,}, then {two_count:,}"


def _incomparable(a: Report, b: Report) -> Iterable[str]:
    """Yield what `valor_intervals.compare` also finds, if it is not installed."""
    one_count, two_count = a.counts.get("read", 0), b.counts.get("read", 0)
    if one_count != two_count:
        yield f"data: {one_count:,} items, then {two_count:,}"
    identities = {_plain_name(result): result.metric for result in a}
    for name, identity in {_plain_name(result): result.metric for result in b}.items():
        if identities.get(name, identity) != identity:
            first, second = (one.partition("@")[2] for one in (identities[name], identity))
            yield f"definition of {name}: version {first}, then {second}"


def _name(one: Result) -> dict[str, Any]:
    sliced = {"slice": dict(one.slice)} if one.slice else {}
    named = {"type": one.type, "metric": _plain_name(one)}
    return named | sliced | {"parameters": dict(one.parameters)}


def _changes(changes: Sequence[Change], same: int) -> TextTable:
    constant = _constant([change.entry.result for change in changes])
    has_p = any(change.p is not None for change in changes)
    rows: list[Row] = []
    for change in changes:
        result = change.entry.result
        varying = {k: v for k, v in result.parameters.items() if k not in constant}
        rows.append(
            [
                f"{result.type} {change.entry.part}".rstrip(),
                _coordinates(result.slice, varying),
                _value(change.a),
                _value(change.b),
                _difference(change),
                *([_probability(change)] if has_p else []),
                Cell(change.verdict, tone=_TONES.get(change.verdict, "")),
            ]
        )
    titles = ["first", "second", "difference", *(["p"] if has_p else [])]
    numeric = [TextColumn(title, numeric=True, bars=title != "p") for title in titles]
    methods = dict.fromkeys(change.method for change in changes if change.method is not None)
    caption = [
        _coordinates({}, constant),
        f"tests: {' and '.join(methods)}" if methods else "",
        f"{same:,} more are the same" if same else "",
    ]
    return TextTable(
        "Comparison",
        ["metric", "of", *numeric, "verdict"],
        rows,
        caption="; ".join(filter(None, caption)),
        keys=2,
    )


def _flips(flips: Sequence[Any]) -> TextTable:
    rows: list[Row] = [
        [
            f"{one.metric.rpartition('.')[2]} {one.part}".rstrip(),
            *map(_count, (one.better, one.worse, one.wrong)),
            _listed(one.better),
            _listed(one.worse),
        ]
        for one in _different(flips)
    ]
    counts = [TextColumn(name, numeric=True) for name in ("better", "worse", "wrong in both")]
    return TextTable(
        "Items that changed",
        ["metric", *counts, "uids better", "uids worse"],
        rows,
        keys=1,
    )


def _different(flips: Sequence[Any]) -> Iterable[Any]:
    """Return the first of several numbers with the same items, such as those of ROUGE."""
    found = {(one.better, one.worse): one for one in reversed(flips) if one.better or one.worse}
    return reversed(found.values())


def _count(uids: Sequence[Any] | None) -> Cell:
    return Cell("") if uids is None else Cell(f"{len(uids):,}", len(uids))


def _listed(uids: Sequence[Any]) -> str:
    return ", ".join(map(str, uids[:_MOST_UIDS])) + and_more(len(uids) - _MOST_UIDS)


_MOST_UIDS = 5


def _constant(results: Sequence[Result]) -> dict[str, Any]:
    """Parameters, except labels, with one value in all results of the metrics that have them."""
    values: dict[str, list[Any]] = {}
    uneven: set[str] = set()
    for alike in grouped(results, lambda one: one.type).values():
        names = [set(one.parameters) for one in alike]
        uneven |= names[0].union(*names) - names[0].intersection(*names)
        for one in alike:
            for name, value in one.parameters.items():
                values.setdefault(name, []).append(value)
    return {
        name: found[0]
        for name, found in values.items()
        if name not in {*ROW_NAMES, *uneven}
        and len(found) > 1
        and all(value == found[0] for value in found)
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


def _probability(change: Change) -> Cell:
    if change.p is None:
        return Cell("")
    return Cell(probability_text(change.p), change.p)


def _difference(change: Change) -> Cell:
    difference = change.difference
    if difference is None:
        return Cell("")
    sign = "+" if difference > 0 else ""
    tone = _TONES.get(change.verdict, "")
    text = "0" if difference == 0 else f"{sign}{number_text(difference)}"
    if change.interval is not None:
        low, high = change.interval
        text += f" ± {number_text((high - low) / 2)}"
    return Cell(text, difference, tone)
