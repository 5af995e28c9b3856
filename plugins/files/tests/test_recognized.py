"""Files are known by the names of their columns, however these are written."""

from __future__ import annotations

import pytest
from valor_files import column_called, first_rows, renamed
from valor_files.tables import Table


@pytest.mark.parametrize("written", ["y_true", "Y_True", "y-true", "Y True", "YTRUE"])
def test_a_column_is_found_however_its_name_is_written(written):
    table = Table({"a": [1], written: [2]}, "t.csv")

    assert column_called(table, ["label", "y_true"]) == written


def test_the_first_of_the_names_counts_whatever_the_order_of_the_columns():
    table = Table({"truth": [1], "label": [2]}, "t.csv")

    assert column_called(table, ["label", "truth"]) == "label"
    assert column_called(table, ["target"]) is None


def test_only_what_a_reader_would_not_take_anyway_is_named():
    assert renamed({"label": "label", "uid": "id", "key": None}) == {"uid": "id"}


def test_the_first_rows_are_read_of_a_table_and_of_nothing_else(tmp_path):
    table, text = tmp_path / "t.csv", tmp_path / "t.txt"
    table.write_text("uid,score\n" + "a,0.5\n" * 50_000)
    text.write_text("words")

    rows = first_rows(table)

    assert rows is not None
    assert 0 < len(rows) < 50_000
    for other in (text, tmp_path, tmp_path / "missing.csv"):
        assert first_rows(other) is None
