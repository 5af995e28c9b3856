"""Comparison of two reports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from attrs import field, frozen

from valor_core.results import Report, Result
from valor_core.results.files import write_text
from valor_core.specs import Registry
from valor_core.specs.extensions import INTERVALS, extension
from valor_report.comparison.answers import Answer, answer_of_two
from valor_report.comparison.changes import (
    Change,
    Tolerances,
    Verdict,
    by_identity,
    named,
    paired_changes,
    plain_name,
    slice_sizes,
    with_tests,
)
from valor_report.comparison.difference_tables import (
    change_table,
    flip_table,
    other_results,
)
from valor_report.comparison.drawings import Drawings
from valor_report.comparison.gates import Gate, judged, of_metric, reasons, without_numbers
from valor_report.comparison.item_changes import ItemChanges, item_changes
from valor_report.settings import differences
from valor_report.tables.text_table import TextTable

SUFFIXES = (".md", ".html", ".json", ".xml")
"""File suffixes that `Comparison.save` supports."""


@frozen(repr=False)
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
    names : (str, str)
        Names of the reports.
    items : ItemChanges, optional
        Items that changed, with their answers; None without rows of items in both reports.
    read : int, optional
        Number of items of the second report.
    has_tolerance : bool
        Whether a tolerance defines which differences matter.
    drawings : Drawings
        Drawings of the items that changed most, for the page.
    """

    changes: tuple[Change, ...]
    structures: tuple[Result, ...]
    only_a: tuple[Result, ...]
    only_b: tuple[Result, ...]
    remarks: tuple[str, ...]
    flips: tuple[Any, ...] = ()
    incomparable: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    names: tuple[str, str] = ("first", "second")
    items: ItemChanges | None = None
    read: int | None = None
    has_tolerance: bool = False
    drawings: Drawings = field(factory=Drawings)

    def __repr__(self) -> str:
        return f"<Comparison: {self.summary}; print(comparison.answer) says which is better>"

    def count(self, verdict: Verdict) -> int:
        """Number of changes with a verdict."""
        return sum(change.verdict == verdict for change in self.changes)

    @property
    def answer(self) -> Answer:
        """Sentence that says which report is better in its main numbers.

        Examples
        --------
        >>> old, new = (Report(results=[Result(type="F1", value=value)]) for value in (0.5, 0.75))
        >>> print(compare(old, new).answer)
        The 2 reports have no main number with a direction in common.
        """
        return answer_of_two(self.changes, self.names, self.incomparable)

    @property
    def same(self) -> bool:
        """True if both reports have the same results within the tolerances."""
        return not self.failing("differ")

    def failing(self, gate: Gate, metric: str = "") -> tuple[str, ...]:
        """Reasons why the second report fails a gate; empty if it passes.

        Parameters
        ----------
        gate : str
            ``"worse"`` fails if a number is worse beyond chance or vanished, or a metric with
            numbers has none in common. Numbers without a test fail only if no number has a test,
            or a tolerance was given. ``"differ"`` fails if anything differs. Both fail if the
            reports are not comparable.
        metric : str
            Name of the only metric, or short key of the only number, that ``"worse"`` judges.

        Raises
        ------
        ConfigError
            If no number in both reports has this name.

        Examples
        --------
        >>> lost = Report(results=[Result(type="F1", value=0.5)])
        >>> compare(lost, Report(results=())).failing("worse")
        ('no number of F1 to compare',)
        """
        others = tuple(map(_not_comparable, self.incomparable))
        if gate == "differ":
            found = self._counts()
            counted = (f"{n:,} {what}" for what, n in found.items() if n and what != "same")
            return (*counted, *others)
        chosen = of_metric(self, metric) if metric else self.changes
        return (*reasons(self, chosen, lost=not metric), *others)

    @property
    def judged(self) -> str:
        """Basis on which the gate ``worse`` judges numbers, in words."""
        return judged(self)

    def without_numbers(self) -> list[str]:
        """Metrics with numbers in the first report and no number in common."""
        return without_numbers(self)

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
            "answer": str(self.answer),
            "changes": [change.to_dict() for change in self.changes],
            "structures": [named(one) for one in self.structures],
            "only_a": [named(one) for one in self.only_a],
            "only_b": [named(one) for one in self.only_b],
            "remarks": list(self.remarks),
            "incomparable": list(self.incomparable),
            "flips": [one.to_dict() for one in self.flips],
            "items": None if self.items is None else self.items.to_dict(),
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
        tables = [change_table(shown, len(self.changes) - len(shown))] if shown else []
        tables += other_results(self.structures, self.only_a, self.only_b)
        tables += flip_table(self.flips)
        return tuple(tables)

    def save(self, path: Path, title: str | None = None) -> None:
        """Write the comparison to a file in Markdown, HTML, JSON or JUnit XML.

        Parameters
        ----------
        path : Path
            File to write.
        title : str, optional
            Title of the page or of the Markdown. Defaults to the names of the reports.

        Raises
        ------
        ReportError
            If the file cannot be written.
        """
        if path.suffix == ".html":
            from valor_report.comparison.comparison_page import html

            text = html(self, title)
        elif path.suffix == ".md":
            text = self.markdown(title)
        elif path.suffix == ".xml":
            from valor_report.junit import comparison_junit

            text = comparison_junit(self)
        else:
            text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
        write_text(path, text)

    def markdown(self, title: str | None = None) -> str:
        """Format the comparison as Markdown for a comment of a pull request.

        Parameters
        ----------
        title : str, optional
            Title of the comment. Defaults to the names of the reports.

        Examples
        --------
        >>> print(compare(Report(results=()), Report(results=())).markdown("a, then b"))
        # a, then b
        <BLANKLINE>
        The 2 reports have no main number with a direction in common.
        <BLANKLINE>
        **0 numbers compared**
        <BLANKLINE>
        """
        from valor_report.comparison.comment import comment_of_two

        return comment_of_two(self, title)

    @property
    def title(self) -> str:
        """Title of files: the names of the reports."""
        return f"{self.names[0]}, then {self.names[1]}"


def _not_comparable(reason: str) -> str:
    return f"not comparable: {reason}"


def compare(
    a: Report,
    b: Report,
    *,
    tolerance: float = 0.0,
    relative_tolerance: float = 0.0,
    registry: Registry | None = None,
    names: tuple[str, str] | None = None,
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
    names : (str, str), optional
        Names of the reports, such as their files.
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
    tolerances = Tolerances(tolerance, relative_tolerance)
    ours, theirs = by_identity(a), by_identity(b)
    changes, structures = paired_changes(ours, theirs, tolerances, registry, slice_sizes(b))
    found = extension(INTERVALS, "compare")
    files = {} if names is None else {"names": names}
    tested = None if found is None else found.load()(a, b, registry=registry, **files, **tests)
    incomparable = [*_incomparable(a, b)] if tested is None else tested.incomparable
    # A parameter by which results cannot be paired is also a difference of the settings.
    repeated = tuple(f"{' '.join(reason.split()[:2])} " for reason in incomparable)
    remarks = [one for one in _remarks(a, b) if not one.startswith(repeated)]
    remarks += map(_not_comparable, incomparable)
    flips = () if tested is None else tested.flips
    return Comparison(
        tuple(changes if tested is None else with_tests(changes, tested)),
        tuple(structures),
        tuple(one for identity, one in ours.items() if identity not in theirs),
        tuple(one for identity, one in theirs.items() if identity not in ours),
        tuple(remarks),
        flips,
        tuple(incomparable),
        () if tested is None else tested.remarks,
        names=("first", "second") if names is None else names,
        items=item_changes(a, b, flips),
        read=b.counts.get("read"),
        has_tolerance=tolerance > 0 or relative_tolerance > 0,
    )


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
    identities = {plain_name(result): result.metric for result in a}
    for name, identity in {plain_name(result): result.metric for result in b}.items():
        if identities.get(name, identity) != identity:
            first, second = (one.partition("@")[2] for one in (identities[name], identity))
            yield f"definition of {name}: version {first}, then {second}"
