"""NumericMatch: numbers as written by people, and tolerances."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_text.counting.latex import boxed, unmarked
from valor_text.counting.numbers_in_text import matches, number_pattern, written_numbers
from valor_text.metrics.answers.numeric_match import _Reading, score
from valor_text.parameters.answers import NumericMatchParameters

from valor_core import Undefined, evaluate
from valor_core.results import ItemRows
from valor_core.schemas.text import Text, TextBatch


@for_each(
    ("text", "expected"),
    [
        ("12", ["12"]),
        ("0.1", ["1/10"]),
        (".5 and 5.", ["1/2", "5"]),
        ("wait...5", ["5"]),
        # signs
        ("-5 +5 \u22125", ["-5", "5", "-5"]),
        ("10-5, 5 - 3, 2024-01-05", ["10", "5", "5", "3", "2024", "1", "5"]),
        ("(3)-2", ["3", "2"]),
        # thousands
        ("1,234,567.5", ["2469135/2"]),
        ("1'234'567", ["1234567"]),
        ("1\u202f234\u00a0567 1\u202f234\u202f567", ["1234567"]),
        ("In 2020, 5 of 10.", ["2020", "5", "10"]),
        # currency, units, exponents
        ("$5.00, 5 \u20ac, USD 5", ["5", "5", "5"]),
        ("-$1,000.50", ["-2001/2"]),
        ("5kg, 3rd, 10:30", ["5", "3", "10", "30"]),
        ("1e3 1.5E-2", ["1000", "3/200"]),
        # percent and fractions
        ("50%, 50 %", ["1/2", "1/2"]),
        ("3/4, 1 1/2, 0/5", ["3/4", "3/2", "0"]),
        ("\u00bd, 1\u00bd, 2 \u2153", ["1/2", "3/2", "7/3"]),
        ("3\u20444", ["3/4"]),
        ("-1/2", ["-1/2"]),
        ("3/4/2024, 1/0", ["3", "4", "2024", "1", "0"]),
        # other scripts
        ("\u0661\u0662\u0663", ["123"]),
        # digits that are not numbers, or several
        ("1.2.3, 1,23, 1,2,3, 12,34,567, 1,2345, 1_000, 3,5", []),
        ("H2O, B12, v2, x\u00b2, 5\u00b2", []),
        # powers of ten
        ("about 1.5 \u00d7 10^3", ["1500"]),
        ("1.5x10^{-3}, 2*10**4, 3\u00b710\u00b2", ["3/2000", "20000", "300"]),
        ("-2,000.5 \u00d7 10^(2) and 10^3", ["-200050", "1000"]),
        (
            "10\u00b2, 10\u207b\u2074, 10^\u22122, 1.5e\u22123",
            ["100", "1/10000", "1/100", "3/2000"],
        ),
        ("6 x 10 = 60, 110^2, 2.10^3", ["6", "10", "60", "110", "21/10"]),
        ("10^99999999999", []),
        ("25 m^2, x^-1 + a^{12} - 2^10, b_{3}", ["25", "2"]),
        ("1" * 500 + " 1e999999999", []),
        ("five, NaN, inf, -", []),
        ("", []),
    ],
)
def test_numbers_of_text(text: str, expected: list[str]) -> None:
    assert [number.value for number in written_numbers(text)] == list(map(Fraction, expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3,5 and 1.234,5", ["7/2", "2469/2"]),
        ("1.000.000", ["1000000"]),
        ("3.5", []),
        ("1'234,5 %", ["2469/200"]),
    ],
)
def test_numbers_with_decimal_comma(text: str, expected: list[str]) -> None:
    assert [one.value for one in written_numbers(text, ",")] == list(map(Fraction, expected))


IN_NUMBERS = "0123456789.,'-+\u2212$ %/\u00bd\u2044eE_a\u00b2\u00a0()"


@given(st.text(st.sampled_from(IN_NUMBERS), max_size=16))
def test_numbers_equal_search_of_whole_text(text: str) -> None:
    pattern = number_pattern(".")

    found = [match.span() for match in matches(text, pattern)]

    assert found == [match.span() for match in pattern.finditer(text)]


def rows(response: str, references: Any, **parameters: Any) -> ItemRows:
    batch = TextBatch.of([Text("q1", response=response, references=references)])
    return score(batch, NumericMatchParameters(**parameters), {})


@for_each(
    ("response", "references", "parameters", "expected"),
    [
        ("The answer is 42.", "42", {}, 1),
        ("The answer is 42.0", "42", {}, 1),
        ("6 * 7 = 42", "42", {}, 1),
        ("42 = 6 * 7", "42", {}, 0),  # the last number is 7
        ("42 = 6 * 7", "42", {"take": "first"}, 1),
        ("42 = 6 * 7", "6", {"take": "any"}, 1),
        ("42 = 6 * 7", "8", {"take": "any"}, 0),
        ("72", "She sold 48 and 24, so #### 72", {}, 1),
        ("$1,234.50", "1234.5", {}, 1),
        ("50%", "0.5", {}, 1),
        ("50%", "50", {}, 0),
        ("50%", "50", {"percent": False}, 1),
        ("3/4", "0.75", {}, 1),
        ("1/3", "0.33", {}, 0),
        ("1/3", "0.33", {"absolute": 0.01}, 1),  # 1/300 away
        ("1/3", "0.33", {"relative": 0.01}, 0),  # 1/300 > 0.0033
        ("1/3", "0.33", {"relative": 0.0102}, 1),  # 1/300 <= 0.003366
        ("1.1", "1.0", {"absolute": 0.1}, 1),  # exactly 0.1 away; in floats it is more
        ("1.10000001", "1.0", {"absolute": 0.1}, 0),
        ("102", "100", {"relative": 0.02}, 1),
        ("103", "100", {"relative": 0.02, "absolute": 3}, 1),  # the larger one applies
        ("-5", "5", {"absolute": 9.9}, 0),
        ("0.0001", "0", {"relative": 0.5}, 0),  # a share of zero is zero
        ("no idea", "42", {}, 0),
        ("7", ["six", "7", "8"], {}, 1),
        ("8", ["6", "8"], {}, 1),
        ("3,5", "3,50", {"decimal": ","}, 1),
        ("3", "three", {}, Undefined("no number in a reference")),
        ("3", [], {}, Undefined("no references")),
        ("1" * 500, "1" * 500, {}, Undefined("no number in a reference")),
    ],
)
def test_by_hand(
    response: str, references: Any, parameters: dict[str, Any], expected: float | Undefined
) -> None:
    assert rows(response, references, **parameters)[0].value == expected


def test_details_show_read_number() -> None:
    assert rows("12 or 13?", ["$14", "15"])[0].details == {"read": "13", "expected": "$14"[1:]}
    assert rows("no idea", "14")[0].details == {"read": None, "expected": "14"}
    assert rows("12 or 15?", ["14", "15 %"], percent=False)[0].details == {
        "read": "15",
        "expected": "15 %",
    }


def test_report_has_mean() -> None:
    items = [
        Text("q1", response="about 5", references="5"),
        Text("q2", response="about 6", references="5"),
        Text("q3", response="about 6", references="many"),
        Text("q4", response="about 6"),
    ]

    result = evaluate(items, ["NumericMatch"])["NumericMatch"][0]

    assert result.value == 1 / 2
    assert result.left_out == {
        "undefined: no number in a reference": 1,
        "undefined: no references": 1,
    }


@for_each(
    ("text", "expected"),
    [
        (r"so there are \boxed{2} asymptotes of x^2+x-6", ["2"]),
        (r"\boxed{1} is wrong, so \boxed{\frac{1}{2}}.", ["1/2"]),
        (r"\boxed{x = \dfrac{{3}}{4}} since 5 > 4", ["3/4"]),
        (r"\boxed{1{,}000\text{ cm}^2} of 7", ["1000"]),
        (r"$\fbox{12}$ and 13", ["12"]),
        (r"\boxed{\text{none}} of 7", []),
        (r"\boxed{12 and 13", ["12", "13"]),  # not closed
        (r"\frac{1}{2} \tfrac12 \frac{-3}{4} -\frac{3}{4}", ["1/2", "1/2", "-3/4", "-3/4"]),
        (r"3\frac{1}{2}, -\frac{-1}{2}, \frac{1.5}{2}", ["7/2", "1/2", "3/4"]),
        (r"x-\frac{1}{2}, x\frac{1}{2}, \frac{1}{0}", ["1/2", "1/2", "1", "0"]),
        (r"\frac{x}{2}", ["2"]),
        (
            r"1.5 \times 10^{3}, 2 \cdot 10^{-2}, 10\,000, 5\%, \$7",
            ["1500", "1/50", "10000", "1/20", "7"],
        ),
        (r"C:\boxes\2", ["2"]),
    ],
)
def test_numbers_of_latex(text: str, expected: list[str]) -> None:
    reading = _Reading.of(NumericMatchParameters(take="any"))
    last = _Reading.of(NumericMatchParameters())
    found = [number.value for number in reading.offered(text.split("wrong, so")[-1])]

    assert found == list(map(Fraction, expected))
    assert [number.value for number in last.offered(text)] == found[-1:]


def test_boxed_number_is_the_answer() -> None:
    items = [
        Text("q1", response=r"so there are \boxed{2} asymptotes of x^2+x-6", references="2"),
        Text("q2", response="it is 0.5", references=r"We get \boxed{\frac{1}{2}} as 3 < 4."),
        Text("q3", response=r"\boxed{3} and 2", references="2"),
        Text("q4", response="1.5e3", references=r"1.5 \times 10^3"),
    ]
    report = evaluate(items, ["NumericMatch"], items=True)

    assert [row.value for row in report.items[0].rows] == [1, 1, 0, 1]
    assert {"read": "0.5", "expected": "1/2"}.items() <= report.items[0].rows[1].details.items()


def test_powers_of_long_text_are_parsed_in_linear_time() -> None:
    long = "\\frac{" * 20_000 + "10^{3} " * 20_000 + "\\boxed{" * 20_000

    assert boxed(long) == []
    assert len(written_numbers(unmarked(long))) == 20_000
