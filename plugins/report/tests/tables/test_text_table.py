from __future__ import annotations

import pytest
from valor_report import Cell, TextColumn, TextTable, number_text
from valor_report.tables.text_table import escaped, width


def test_numbers_are_aligned_right_and_wide_characters_count_twice():
    table = TextTable(
        "Animals",
        ["label", TextColumn("n", numeric=True)],
        [["狐", Cell("7")], ["e\u0301lan", "12"]],
    )

    assert table.plain() == "Animals\n\nlabel   n\n-----  --\n狐      7\ne\u0301lan   12"


def test_summary_rows_are_below_a_rule():
    table = TextTable("T", ["label"], [["cat"], ["mean"]], foot=1)

    assert table.plain().splitlines()[2:] == ["label", "-----", "cat", "-----", "mean"]


def test_caption_is_above_and_notes_are_below_the_table():
    table = TextTable("T", ["a"], [["b¹"]], caption="c", notes=("why",))

    assert table.plain() == "T\nc\n\na\n--\nb¹\n\n¹ why"
    assert table.markdown() == "## T\n\n*c*\n\n| a |\n| --- |\n| b¹ |\n\n¹ why  "


def test_table_without_rows_has_header_only():
    assert TextTable("T", ["a"], []).plain() == "T\n\na\n-"


def test_markdown_escapes_markup_in_labels():
    table = TextTable("T", ["label"], [["a|b\n**c** <i> [x] &amp; __d__"]])

    row = table.markdown().splitlines()[-1]

    assert row == r"| a\|b \*\*c\*\* &lt;i> \[x\] &amp;amp; \_\_d\_\_ |"


def test_control_characters_in_labels_are_escaped():
    assert Cell("\x1b[2Jcat\r\n").text == "\\x1b[2Jcat  "
    assert Cell("zero\u200bwidth").text == "zero\\u200bwidth"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-3, "-3"),
        (1234567, "1,234,567"),
        (0.0, "0.0000"),
        (0.66666, "0.6667"),
        (-0.5, "-0.5000"),
        (0.00004, "4.00e-05"),
        (0.00005, "0.0001"),
        (123456.78, "123,456.8"),
        (1e20, "1.00e+20"),
    ],
)
def test_number_text_has_fixed_precision(value, text):
    assert number_text(value) == text


def test_underscores_inside_names_are_not_escaped():
    assert escaped("score_threshold") == "score_threshold"
    assert width("") == 0
