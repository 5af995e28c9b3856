"""Comparison of two reports: tests of paired numbers, and items that got better or worse.

Numbers are paired by groups of items if both reports have intervals, or by items if both have rows
of items. Reports of other definitions or other data are not comparable, and are not tested.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import PurePath
from typing import Any, get_args

from attrs import frozen

from valor_core import Registry, Report, Result
from valor_core.errors import ConfigError, and_more, did_you_mean, short_repr
from valor_core.parameters import Within
from valor_core.results.entries import CONFIDENCE, Entry, entries_of, grouped
from valor_intervals.comparison.paired_rows import Flips, Test, paired_rows, text_of
from valor_intervals.comparison.resampling import SEED
from valor_intervals.comparison.significance import corrected
from valor_intervals.confidence import groups
from valor_intervals.differences import (
    Difference,
    Pair,
    group_difference,
    with_correction,
)
from valor_intervals.intervals import LEVEL

_ROW_NAMES = ("label", "label_key", "average")


@frozen
class ComparedNumber:
    """A number of two reports.

    Parameters
    ----------
    result : Result
        Result of the second report.
    part : str
        Name of the number if the value is a table, otherwise empty.
    a, b : float
        Number of the first and of the second report.
    test : Difference, optional
        Interval and p-value of the difference, if the reports have what a test needs.
    """

    result: Result
    part: str
    a: float
    b: float
    test: Difference | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Metric without version, slice, parameters and part."""
        return (*_key(self.result), self.part)

    @property
    def name(self) -> str:
        """Metric, label and part, for a person."""
        named = [self.result.parameters.get(name) for name in ("label", "average")]
        return " ".join(filter(None, [self.result.type, *map(_text_or_none, named), self.part]))

    def to_dict(self) -> dict[str, Any]:
        """Return the number as JSON values."""
        record: dict[str, Any] = {"type": self.result.type, "metric": _name(self.result)}
        if self.result.slice:
            record["slice"] = dict(self.result.slice)
        record["parameters"] = dict(self.result.parameters)
        if self.part:
            record["part"] = self.part
        record |= {"a": self.a, "b": self.b, "difference": self.b - self.a}
        return record if self.test is None else record | self.test.to_dict()


@frozen(repr=False)
class Comparison:
    """Tests of the differences between two reports.

    Parameters
    ----------
    numbers : tuple of ComparedNumber
        Numbers of both reports, in the order of the first.
    flips : tuple of Flips
        Items that got better or worse, of each metric with rows of items.
    incomparable : tuple of str
        Reasons why numbers are not comparable, one sentence each.
    remarks : tuple of str
        Reasons why numbers are not tested.
    level : float
        Confidence level.
    correction : str
        Correction of the p-values.
    """

    numbers: tuple[ComparedNumber, ...]
    flips: tuple[Flips, ...]
    incomparable: tuple[str, ...]
    remarks: tuple[str, ...]
    level: float
    correction: str

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "numbers": [one.to_dict() for one in self.numbers],
            "flips": [one.to_dict() for one in self.flips],
            "incomparable": list(self.incomparable),
            "remarks": list(self.remarks),
            "level": self.level,
            "correction": self.correction,
        }

    def __repr__(self) -> str:
        clear = sum(one.test is not None and one.test.is_clear for one in self.numbers)
        tested = sum(one.test is not None for one in self.numbers)
        return (
            f"<Comparison of {len(self.numbers):,} numbers: {tested:,} tested, {clear:,} differ "
            "clearly; print(comparison) lists them>"
        )

    def __str__(self) -> str:
        lines = [_line(one) for one in self.numbers]
        lines += [
            f"{flips.metric} {flips.part}".rstrip()
            + f": {len(flips.better):,} better, {len(flips.worse):,} worse"
            + ("" if flips.wrong is None else f", {len(flips.wrong):,} wrong in both")
            for flips in self.flips
        ]
        return "\n".join([*lines, *self.incomparable, *self.remarks])


def _line(one: ComparedNumber) -> str:
    text = f"{one.name}: {one.a:.4g}, then {one.b:.4g}"
    if one.test is None:
        return text
    test = one.test
    word = "clear" if test.is_clear else "unclear"
    interval = f"{test.low:+.4g} to {test.high:+.4g}"
    return f"{text}, difference {interval}, p {test.p:.4g}, {word} ({test.method})"


def compare(
    a: Report,
    b: Report,
    *,
    test: Test = "auto",
    correction: str = "holm",
    level: float | None = None,
    seed: int = SEED,
    registry: Registry | None = None,
    names: tuple[str, str] = ("first.json", "second.json"),
) -> Comparison:
    """Test the differences between two reports on the same items.

    Numbers are paired if they have the same slice, metric and parameters.

    Parameters
    ----------
    a, b : Report
        First and second report, with intervals (``confidence``) or rows of items (``items``).
    test : str
        ``"jackknife"`` needs intervals in both reports; ``"randomization"`` and ``"bootstrap"``
        need rows of items. ``"auto"`` uses intervals, by resamples if both reports have them, and
        otherwise rows: McNemar's exact test if
        items are right or wrong, approximate randomization for other scores. ``"sacrebleu"`` is
        its approximate randomization, which does not count differences equal to the observed one;
        ``"bootstrap"`` has its p-values, too, which are too small: see the design of intervals.
    correction : str
        Correction of the p-values for their number: ``"holm"``, ``"bh"`` (Benjamini and Hochberg)
        or ``"none"``. Numbers of all items and labels, of single labels, and of slices are
        corrected separately.
    level : float, optional
        Confidence level. Defaults to that of the first report, or 0.95.
    seed : int
        Seed of the tests of rows.
    registry : Registry, optional
        Registry with the metrics. Defaults to a new `Registry()`.
    names : (str, str)
        Files of the reports, for commands in remarks.

    Raises
    ------
    ConfigError
        If `test` or `correction` is not one of these, `level` is not between 0 and 1, `seed` is
        negative, or an argument is no report.

    Examples
    --------
    >>> from valor_core import Text, evaluate
    >>> def asked(right):
    ...     texts = [Text(i, response="yes" if i in right else "no", references="yes")
    ...              for i in range(8)]
    ...     return evaluate(texts, ["text.ExactMatch"], items=True)
    >>> found = compare(asked({0, 1, 2}), asked({0, 1, 3, 4, 5, 6, 7}))
    >>> found.flips[0].better, found.flips[0].worse
    ((3, 4, 5, 6, 7), (2,))
    >>> found.numbers[0].test.p
    0.21875
    """
    _check("test", test, get_args(Test))
    corrected([], correction)  # raises if there is no such correction
    _check_reports(a, b)
    _check_number("level", level, LEVEL, Within(0, 1, open_low=True, open_high=True))
    _check_number("seed", seed, SEED, Within(0))
    settings = [_settings(one) for one in (a, b)]
    if level is None:
        level = settings[0].get("level") or LEVEL
    other_data = list(_other_data(a, b))
    other_versions = dict(_other_versions(a, b))
    incomparable = [*other_data, *other_versions.values(), *_other_parameters(a, b)]
    pairs, unpaired = ({}, []) if other_data else paired_rows(a, b, registry or Registry())
    incomparable += unpaired
    are_grouped = bool(settings[0]) and {**settings[0], "level": 0} == {**settings[1], "level": 0}
    numbers: list[ComparedNumber] = []
    tests: list[Difference | None] = []
    entries = list(_number_pairs(a, b))
    for one, two in entries:
        found = None
        number = ComparedNumber(two.result, two.part, float(one.value), float(two.value))
        if not other_data and two.metric not in other_versions:
            rows = pairs.get((two.metric, text_of(two.result.parameters)))
            if rows is None and not _is_of_labels(two.result.parameters):
                # Results of thresholds; the test checks that the number is of the rows.
                rows = next((one for one in pairs.values() if one.metric == two.metric), None)
            if test in ("auto", "jackknife") and are_grouped:
                found = _of_groups(one, two, level, test == "auto")
            if found is None and test != "jackknife" and rows is not None and not two.result.slice:
                found = rows.test(number.part, number.a, number.b, test, level, seed)
        numbers.append(number)
        tests.append(found)
    tests = _corrected([one for one, _ in entries], tests, level, correction)
    tested = [
        ComparedNumber(one.result, one.part, one.a, one.b, found)
        for one, found in zip(numbers, tests, strict=True)
    ]
    return Comparison(
        numbers=tuple(tested),
        flips=tuple(chain.from_iterable(rows.flips() for rows in pairs.values())),
        incomparable=tuple(dict.fromkeys(incomparable)),
        remarks=() if incomparable else tuple(_untested(entries, tested, settings, names)),
        level=level,
        correction=correction,
    )


def _corrected(
    entries: Sequence[Entry],
    tests: Sequence[Difference | None],
    level: float,
    correction: str,
) -> list[Difference | None]:
    """Correct the p-values of each family of numbers.

    More labels or slices do not make a difference of the main numbers less clear.
    """
    found: list[Difference | None] = [None] * len(tests)
    for at in grouped(range(len(entries)), lambda at: _family(entries[at].result)).values():
        for place, test in zip(
            at, with_correction([tests[place] for place in at], level, correction), strict=True
        ):
            found[place] = test
    return found


def _family(result: Result) -> str:
    if result.slice:
        return "slices"
    return "labels" if "label" in result.parameters else "main"


def _check_reports(*reports: Any) -> None:
    for one in reports:
        if not isinstance(one, Report):
            is_file = isinstance(one, (str, PurePath))
            raise ConfigError(
                f"compare: expected two reports, got {short_repr(one)}",
                f"Load it: Report.load({str(one)!r})"
                if is_file
                else "Pass what evaluate returned.",
            )


def _check_number(name: str, value: Any, valid: float, check: Within) -> None:
    if value is not None and not (isinstance(value, (int, float)) and check(value)):
        raise ConfigError(
            f"compare: {name} must {check.expectation}, got {short_repr(value)}",
            f"Write it as: {name}={valid}",
        )


def _is_of_labels(parameters: Mapping[str, Any]) -> bool:
    """Return whether a number is of labels, so no mean of rows even if it equals one by chance."""
    return "label" in parameters or parameters.get("average") not in (None, "samples")


def _check(name: str, value: str, names: Sequence[str]) -> None:
    if value not in names:
        listed = f"{', '.join(names[:-1])} or {names[-1]}"
        raise ConfigError(
            f"compare: {name}: expected {listed}, got {short_repr(value)}",
            did_you_mean(str(value), names) or f"Write it as: {name}={names[0]!r}",
        )


def _untested(
    pairs: Sequence[tuple[Entry, Entry]],
    numbers: Sequence[ComparedNumber],
    settings: Sequence[Mapping[str, Any]],
    names: Sequence[str],
) -> Iterator[str]:
    """Say how to test numbers that differ without a test."""
    missing = [
        pair
        for pair, one in zip(pairs, numbers, strict=True)
        if one.test is None and one.a != one.b
    ]
    if not missing:
        return
    count = len(missing)
    subject = f"{count:,} difference{'' if count == 1 else 's'} without a test"
    if not all(settings):
        without = [name for name, one in zip(names, settings, strict=True) if not one]
        yield f"{subject}; for intervals: {_commands(without, '--confidence 0.95')}"
    elif {**settings[0], "level": 0} != {**settings[1], "level": 0}:
        yield f"{subject}: the intervals of the reports have other settings"
    elif all(_lacks_values(entry) for pair in missing for entry in pair):
        option = f"--set confidence.keep={10 ** len(str(len(numbers)))}"
        yield f"{subject}; to keep the values of more numbers: {_commands(names, option)}"


def _lacks_values(entry: Entry) -> bool:
    """Return whether a report has an interval without the values that it was computed from."""
    return entry.confidence is not None and "without" not in entry.confidence


def _commands(names: Sequence[str], option: str) -> str:
    quoted = map(shlex.quote, names)
    return " and ".join(f"valor rerun {name} {option} -o {name}" for name in quoted)


def _settings(report: Report) -> dict[str, Any]:
    """Return the settings of intervals; empty without intervals."""
    section = report.config.get(CONFIDENCE)
    if section is not None:
        with suppress(ConfigError):  # of a report by another version
            described = dict(groups(section).describe())
            described.pop("keep", None)  # it changes no interval
            return described
    return {}


def _number_pairs(a: Report, b: Report) -> Iterator[tuple[Entry, Entry]]:
    """Yield the numbers that both reports have, in the order of the first."""
    others = {(*_key(entry.result), entry.part): entry for entry in entries_of(chain(b, *b.slices))}
    for entry in entries_of(chain(a, *a.slices)):
        other = others.get((*_key(entry.result), entry.part))
        if other is not None and _is_number(entry.value) and _is_number(other.value):
            yield entry, other


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(result: Result) -> tuple[str, str, str]:
    return _name(result), text_of(result.slice), text_of(result.parameters)


def _name(result: Result) -> str:
    return (result.metric or result.type).partition("@")[0]


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)


def _of_groups(one: Entry, two: Entry, level: float, resamples: bool) -> Difference | None:
    if one.confidence is None or two.confidence is None:
        return None
    pair = Pair(float(one.value), float(two.value), one.confidence, two.confidence)
    return group_difference(pair, level, resamples)


def _other_data(a: Report, b: Report) -> Iterator[str]:
    """Yield a sentence for each sign that the reports are of other items."""
    read = [report.counts.get("read", 0) for report in (a, b)]
    if read[0] != read[1]:
        yield f"data: {read[0]:,} items, then {read[1]:,}"
    filters = [report.config.get("filter") for report in (a, b)]
    if filters[0] != filters[1]:
        yield f"data: filter {_quoted(filters[0])}, then {_quoted(filters[1])}"


def _quoted(value: Any) -> str:
    return "none" if value is None else short_repr(value)


def _other_versions(a: Report, b: Report) -> Iterator[tuple[str, str]]:
    versions = {_name(result): result.metric for result in a}
    for name, identity in {_name(result): result.metric for result in b}.items():
        if versions.get(name, identity) != identity:
            first, second = (one.partition("@")[2] for one in (versions[name], identity))
            yield name, f"definition of {name}: version {first}, then {second}"


def _other_parameters(a: Report, b: Report) -> Iterator[str]:
    """Yield a sentence for each parameter by which the results of a metric cannot be paired."""
    ours, theirs = ({_key(result): result for result in report} for report in (a, b))
    alone: dict[str, tuple[list[Result], list[Result]]] = {}
    for side, (mine, others) in enumerate(((ours, theirs), (theirs, ours))):
        for key, result in mine.items():
            if key not in others:
                alone.setdefault(key[0], ([], []))[side].append(result)
    for name, (first, second) in alone.items():
        if not (first and second):
            continue
        for parameter in dict.fromkeys(chain(*(one.parameters for one in chain(first, second)))):
            if parameter in _ROW_NAMES:
                continue
            values = [
                list(dict.fromkeys(short_repr(one.parameters.get(parameter)) for one in side))
                for side in (first, second)
            ]
            if set(values[0]) != set(values[1]):
                before, after = (" and ".join(one[:3]) + and_more(len(one) - 3) for one in values)
                yield f"{name}: {parameter}: {before}, then {after}"
