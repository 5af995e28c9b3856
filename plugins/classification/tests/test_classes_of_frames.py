from __future__ import annotations

import pandas as pd
from valor_classification.readers.classes import (
    named_columns,
)


def test_only_names_that_differ_from_positions_name_columns() -> None:
    assert named_columns(pd.DataFrame([[0.5, 0.5]])) is None
    assert named_columns(pd.DataFrame({"dog": [0.5], "cat": [0.5]})) == ["dog", "cat"]
    assert named_columns(pd.DataFrame({1: [0.5], 2: [0.5]})) == [1, 2]
