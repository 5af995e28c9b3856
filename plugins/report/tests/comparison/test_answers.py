"""Sentences about two reports."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from valor_report.comparison.answers import answer_of_two
from valor_report.comparison.changes import Change
from valor_report.comparison.main_numbers import main_changes, moved_slices

from valor_core import Result
from valor_core.results.entries import Entry


def change(
    verdict: Any, p: float | None = None, difference: float = 0.25, **options: Any
) -> Change:
    direction = options.pop("higher_is_better", True)
    where = options.pop("slice", {})
    result = Result(type="F1", parameters=options, value=0.5).in_slice(where)
    b = None if verdict == "vanished" else 0.5 + difference
    return Change(
        Entry(result, "", b),
        0.5,
        b,
        None,
        None,
        verdict,
        p=p,
        higher_is_better=direction,
    )


@pytest.mark.parametrize(
    ("changes", "text", "tone"),
    [
        (
            [change("better", 0.01), change("unclear", 0.4), change("worse", 0.02)],
            "b is better than a in 1 of 3 main numbers beyond chance, worse in 1.",
            "bad",
        ),
        (
            [change("worse", 0.01), change("unclear", 0.4)],
            "b is worse than a in 1 of 2 main numbers beyond chance, better in none.",
            "bad",
        ),
        (
            [change("better", 0.01)],
            "b is better than a in 1 of 1 main number beyond chance, worse in none.",
            "good",
        ),
        ([change("unclear", 0.4)], "b and a may differ by chance alone.", ""),
        (
            [change("unclear", 0.4), change("same")],
            "b and a may differ by chance alone: none of 2 main numbers is clearly better or "
            "worse.",
            "",
        ),
        (
            [change("better", 0.01), change("worse")],
            "b is better than a in 1 of 2 main numbers beyond chance, worse in none. 1 more "
            "differs without a test.",
            "good",
        ),
        (
            [change("worse"), change("worse")],
            "b is worse than a in 2 of 2 main numbers, better in none; no test says whether that "
            "is chance.",
            "",
        ),
        ([change("same"), change("same")], "b has the same 2 main numbers as a.", "faint"),
        ([change("vanished")], "1 main number has no value in b.", "bad"),
        (
            [change("better", 0.01), change("unclear", 0.3, label="cat")],
            "b is better than a in 1 of 1 main number beyond chance, worse in none. Of 1 number of "
            "labels, slices and averages, none are better and none worse beyond chance.",
            "good",
        ),
        (
            [change("different", higher_is_better=None)],
            "The 2 reports have no main number with a direction in common.",
            "faint",
        ),
    ],
)
def test_answer_says_what_is_beyond_chance(changes: list[Change], text: str, tone: str) -> None:
    found = answer_of_two(changes, ("a.json", "b.json"), ())

    assert (found.text, found.tone) == (text, tone)


def test_labels_and_slices_are_no_main_numbers() -> None:
    macro = change("same", average="macro")
    label = change("same", label="cat", average=None)
    part = change("same", slice={"light": "dusk"})

    assert main_changes([label, macro, part]) == [macro]


def test_numbers_that_neither_report_has_are_no_main_numbers() -> None:
    absent = evolve(change("same"), a=None, b=None)

    assert main_changes([change("same"), absent]) == [change("same")]


def test_slices_that_moved_beyond_chance_are_first() -> None:
    def part(name: str, *arguments: Any) -> Change:
        return change(*arguments, slice={"light": name})

    changes = [
        part("same", "same"),
        part("unclear", "unclear", 0.3, -0.4),
        part("clear", "worse", 0.02, -0.1),
        part("untested", "worse", None, -0.45),
        part("clearest", "better", 0.001, 0.05),
        change("worse", 0.001),
    ]

    found = [one.entry.result.slice["light"] for one in moved_slices(changes)]
    assert found == ["clearest", "clear", "untested", "unclear"]
