"""Findings of a report: sentences that say where to look first, each with its number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import field, frozen

from valor_core.results import Report, Result, Undefined
from valor_core.results.entries import Entry, entries_of
from valor_core.results.result import is_number
from valor_report.pages.headline import main_numbers
from valor_report.plots.diagrams import Bin, bins
from valor_report.tables.item_tables import ListedItems
from valor_report.tables.pivot import half_width, interval_of, text_of, titles_of
from valor_report.tables.slice_tables import WorstSlice, direction, worst_slice
from valor_report.tables.structures import Matrix, Structure
from valor_report.tables.text_table import Tone, number_text, probability_text

_FEWEST_LABELS = 3

Titled = tuple[Result, Structure | None, str]
"""Result that is not a single number, its structure, and the title of its section."""


@frozen
class Finding:
    """Sentence about a report.

    Parameters
    ----------
    text : str
        The sentence.
    titles : tuple of str
        Titles of sections with the details, the best first.
    tone : {"", "good", "bad", "faint"}
        Meaning of the sentence.
    filter : mapping of str to str
        Values of columns of the items that it is about.
    """

    text: str
    titles: tuple[str, ...] = ()
    tone: Tone = ""
    filter: Mapping[str, str] = field(factory=dict)


def findings_of(
    report: Report, held: Sequence[Titled], listed: ListedItems | None = None
) -> list[Finding]:
    """Return what to look at first: failed requirements, worst labels and slices, and errors.

    Parameters
    ----------
    report : Report
        The report.
    held : sequence of (Result, structure, str)
        Results that are not single numbers, from `structured`, with the titles of their sections.
    listed : ListedItems, optional
        Items of the report.

    Examples
    --------
    >>> recalls = {"ant": 0.75, "bee": 0.25, "cat": 0.5}
    >>> results = [
    ...     Result(type="R", parameters={"label": label, "higher_is_better": True}, value=value)
    ...     for label, value in recalls.items()
    ... ]
    >>> [finding.text for finding in findings_of(Report(results=results), [])]
    ['Lowest R of 3 labels: bee, 0.2500']
    """
    return [
        *_requirements(report),
        *_worst_label(report),
        *_worst_slice(report),
        *_confusions(held),
        *_worst_item(listed),
        *_calibration(held),
        *_undefined(report),
        *(Finding(warning, tone="faint") for warning in report.warnings),
    ]


def _requirements(report: Report) -> Iterator[Finding]:
    for outcome in report.requirements:
        if not outcome.met:
            text = f"{outcome.name} is {outcome.found}, required: {outcome.condition}"
            yield Finding(text, ("Requirements",), "bad")


def _worst_label(report: Report) -> Iterator[Finding]:
    """Sentence about the label with the worst number of the first metric with a direction."""
    entries = list(entries_of(report.results))
    by_label = [one for one in entries if one.name is not None and not one.sums_up]
    numbers = [one for one in by_label if is_number(one.value) and direction(one) is not None]
    if not numbers:
        return
    first = numbers[0]
    alike = [one for one in numbers if one.metric == first.metric and one.part == first.part]
    alike = [one for one in alike if _settings(one) == _settings(first)]
    if len(alike) < _FEWEST_LABELS:
        return
    is_better = direction(first) is True
    worst = min(alike, key=lambda one: one.value if is_better else -one.value)
    called = f"{titles_of(entries)(worst)} {worst.part}".rstrip()
    which = "Lowest" if is_better else "Highest"
    yield Finding(
        f"{which} {called} of {len(alike):,} labels: {worst.name}, {_number(worst)}",
        (f"{titles_of(entries)(worst)} by label", "Results by label"),
    )


def _settings(entry: Entry) -> list[tuple[str, str]]:
    return sorted((name, repr(value)) for name, value in entry.others.items())


def _worst_slice(report: Report) -> Iterator[Finding]:
    """Sentence about the slice with the worst number of the first metric with a direction."""
    for entry in main_numbers(report):
        found = worst_slice(report, entry)
        if found is not None:
            called = f"{titles_of([entry])(entry)} {entry.part}".rstrip()
            which = "Lowest" if direction(entry) else "Highest"
            yield Finding(f"{which} {called} of the slices: {_slice(found)}", (_title_of(found),))
            return


def _title_of(found: WorstSlice) -> str:
    return f"Results by {', '.join(found.slice)}"


def _slice(found: WorstSlice) -> str:
    words = ", ".join(f"{name} {text_of(value)}" for name, value in found.slice.items())
    text = f"{words}, {number_text(found.value)}{half_width(found.interval)}"
    if found.items is not None:
        text += f" of {found.items:,} items"
    if found.rest is not None:
        text += f"; the others have {number_text(found.rest)}"
    if found.p is not None:
        p = probability_text(found.p)
        text += f" (p {p if p.startswith('<') else f'= {p}'})"
    return text


def _confusions(held: Iterable[Titled]) -> Iterator[Finding]:
    """Sentence about the most frequent confusion of the first confusion matrix."""
    for _, found, title in held:
        if isinstance(found, Matrix) and found.confusion:
            yield from _largest(found, title)
            return


def _largest(found: Matrix, title: str) -> Iterator[Finding]:
    unmatched = found.is_unmatched
    for row, column, number, share in found.largest(~found.is_hit & ~unmatched, 1):
        yield Finding(
            f"Most frequent confusion: {row} predicted as {column}, {_times(number)} "
            f"({share:.1%} of {row})",
            (title,),
            filter={"truth": row, "prediction": column},
        )
    for row, column, number, _ in found.largest(unmatched, 1):
        yield Finding(
            f"Most frequent without a match: {row} and {column}, {_times(number)}", (title,)
        )


def _worst_item(listed: ListedItems | None) -> Iterator[Finding]:
    """Sentence about the first item, if something is wrong with it."""
    if listed is None:
        return
    titles = [column.title for column in listed.table.columns]
    cells = dict(zip(titles, listed.table.rows[0], strict=True))
    wrong, score = (cells[name].text if name in cells else "" for name in ("wrong", "score"))
    if wrong:
        uid = cells["item"].text
        scored = f", score {score}" if score else ""
        yield Finding(f"Worst item: {uid}, {wrong}{scored}", filter={"item": uid})


def _times(number: float) -> str:
    return "once" if number == 1 else f"{number_text(number)} times"


def _calibration(held: Iterable[Titled]) -> Iterator[Finding]:
    """Sentence about the mean difference between confidence and accuracy."""
    for result, _, title in held:
        if found := bins(result.content):
            yield from _gap(found, title)
            return


def _gap(found: Sequence[Bin], title: str) -> Iterator[Finding]:
    total = sum(each.count for each in found)
    gap = sum(each.count * (each.confidence - each.accuracy) for each in found) / total
    measure = found[0].measure
    than = "higher than" if gap > 0 else "lower than"
    yield Finding(f"Confidence is {abs(gap):.4f} {than} {measure} on average", (title,))


def _undefined(report: Report) -> Iterator[Finding]:
    missing = [one for one in report.results if isinstance(one.content, Undefined)]
    if missing:
        count = len(missing)
        first = missing[0]
        words = "result has no value" if count == 1 else "results have no value"
        yield Finding(
            f"{count:,} {words}: {first.type}, {first.undefined}", ("Results", "Results by label")
        )


def _number(entry: Entry) -> str:
    return f"{number_text(entry.value)}{half_width(interval_of(entry))}"
