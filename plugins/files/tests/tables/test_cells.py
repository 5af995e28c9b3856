from __future__ import annotations

from valor_files.tables.cells import numbered


def test_codes_follow_order_of_appearance() -> None:
    codes, values = numbered(["dog", None, "dog", "ant"])

    assert codes.tolist() == [0, 1, 0, 2]
    assert values == ["dog", None, "ant"]
