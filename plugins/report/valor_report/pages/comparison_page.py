"""Self-contained HTML page of a comparison."""

from __future__ import annotations

from attrs import evolve

from valor_report.comparison import Change, Comparison, Verdict
from valor_report.pages.page_tables import Section
from valor_report.pages.templates import render
from valor_report.tables.pivot import half_width
from valor_report.tables.text_table import MISSING, number_text


def html(found: Comparison, title: str) -> str:
    """Render the differing results of a comparison, the worse ones first.

    Parameters
    ----------
    found : Comparison
        The comparison.
    title : str
        Title of the page.
    """
    clear = sorted(found.changes, key=lambda one: _ORDER.get(one.verdict, len(_ORDER)))
    ordered = evolve(found, changes=tuple(clear))
    return render(
        "comparison.html",
        title=title,
        summary=found.summary,
        counts=[(word, f"{found.count(word):,}") for word in _WORDS if found.count(word)],
        findings=_findings(ordered),
        remarks=found.remarks,
        tables=list(map(Section.of, ordered.tables(whole=False))),
    )


_WORDS: tuple[Verdict, ...] = ("worse", "better", "vanished", "appeared", "different", "unclear")
"""Verdicts in the order of the page."""

_ORDER = {word: place for place, word in enumerate(_WORDS)}

_MOST_FINDINGS = 5


def _findings(found: Comparison) -> list[str]:
    """Sentences about the main numbers that differ, and about the items that changed."""
    main = [
        one
        for one in found.changes
        if one.verdict in ("worse", "better")
        and not one.entry.result.slice
        and (one.entry.name is None or one.entry.sums_up)
    ]
    texts = list(map(_sentence, main[:_MOST_FINDINGS]))
    texts += [f"{len(main) - _MOST_FINDINGS:,} more"] if len(main) > _MOST_FINDINGS else []
    for one in found.flips[:1]:
        name = f"{one.metric.rpartition('.')[2]} {one.part}".rstrip()
        texts.append(f"{name}: {len(one.worse):,} items are worse, {len(one.better):,} are better")
    return texts


def _sentence(change: Change) -> str:
    entry = change.entry
    name = f"{entry.result.type} {entry.part}".rstrip()
    names = [entry.name] if entry.name else []
    difference = number_text(abs(change.difference or 0.0))
    return (
        f"{' '.join([name, *names])}: {_text(change.a)}, then {_text(change.b)}, "
        f"{change.verdict} by {difference}{half_width(change.interval)}"
    )


def _text(value: float | None) -> str:
    return MISSING if value is None else number_text(value)
