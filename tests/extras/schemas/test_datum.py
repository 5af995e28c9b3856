from __future__ import annotations

import pandas

from valor_core.schemas import Datums


def test_metadata_may_be_a_data_frame() -> None:
    frame = pandas.DataFrame({"w": ["sun", "rain"]})

    assert Datums(["a", "b"], frame).metadata["w"].tolist() == ["sun", "rain"]  # type: ignore[arg-type]
    assert Datums.numbers(2, frame).at(1).metadata == {"w": "rain"}  # type: ignore[arg-type]


def test_what_is_missing_in_a_column_of_pandas_is_missing() -> None:
    column = pandas.Series(["sun", pandas.NA, None, pandas.NaT], dtype=object)
    whole = pandas.array([1, None, 3, 4], dtype="Int64")

    datums = Datums(list("abcd"), {"weather": column, "n": whole})

    assert datums.metadata["weather"].tolist() == ["sun", None, None, None]
    assert datums.metadata["n"].tolist() == [1, None, 3, 4]
