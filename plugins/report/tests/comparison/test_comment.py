"""Comparisons as comments of pull requests."""

from __future__ import annotations

import re
from typing import Any

import pytest
from valor_report import compare
from valor_report.comparison.comment import LIMIT, code, limited

from valor_core import Registry, Report, evaluate

HOSTILE = "@team fixes #12 `x` | <img src=x> [a](http://x.example) www.x.example :tada: $x$"


def classified(found: list[str], truth: list[str], **options: Any) -> Report:
    table = {
        "y_true": truth,
        "y_pred": found,
        "uid": [f"{HOSTILE}{at}" for at in range(len(truth))],
    }
    return evaluate(table, ["Accuracy", "F1"], items=True, **options)


def comment(count: int = 40, labels: int = 2) -> str:
    truth = [f"{HOSTILE}{at % labels}" for at in range(count)]
    shifted = [truth[-1], *truth[:-1]]
    found = compare(
        classified(truth, truth, confidence=0.95),
        classified(shifted, truth, confidence=0.95),
        registry=Registry(),
        names=("main.json", f"{HOSTILE}.json"),
    )
    return found.markdown()


def outside_of_code(text: str) -> str:
    """Text of Markdown without code spans, in which nothing is linked."""
    return re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)


def test_names_in_comments_mention_and_link_nothing() -> None:
    plain = outside_of_code(comment())

    assert "@team" not in plain
    assert "#12" not in plain
    assert "<img" not in plain
    assert "http://" not in plain
    assert "www.x" not in plain
    assert ":tada:" not in plain
    assert "$x$" not in plain


def test_comment_has_answer_numbers_and_parts_that_open() -> None:
    text = comment()

    assert "is worse than main in" in text
    assert "| **worse** |" in text
    assert re.search(r"<details><summary>Items by Accuracy: 40 broken, 0 fixed", text)
    assert text.count("<details>") == text.count("</details>")


def test_each_row_of_a_table_has_the_same_number_of_cells() -> None:
    for table in re.findall(r"(?:^\|.*\n?)+", comment(), flags=re.MULTILINE):
        rows = [re.sub(r"\\\|", "", line).count("|") for line in table.splitlines()]
        assert len(set(rows)) == 1, table


def test_comment_of_many_labels_fits_into_the_limit_of_github() -> None:
    assert len(comment(3_000, 300)) <= LIMIT


def test_parts_that_do_not_fit_are_left_to_the_page() -> None:
    text = limited(["a" * 100, "b" * LIMIT, "c"])

    assert "b" * 100 not in text
    assert text.endswith("c\n\nMore is in the page of the comparison.\n")
    assert len(text) <= LIMIT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cat", "`cat`"),
        ("a|b", "`a\\|b`"),
        ("`", "`` ` ``"),
        ("a``b", "``` a``b ```"),
        ("two\nlines", "`two lines`"),
        ("", ""),
        ("x" * 300, f"`{'x' * 199}…`"),
    ],
)
def test_texts_are_code_with_a_longer_fence(text: str, expected: str) -> None:
    assert code(text) == expected
