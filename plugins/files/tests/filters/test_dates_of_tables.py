from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from valor_files.filters import Filter

UIDS = np.array(list("abcde"))


def objects(*values: Any) -> np.ndarray[Any, Any]:
    return np.fromiter(values, dtype=object, count=len(values))


def test_timestamps_of_pandas_are_dates() -> None:
    columns = {"at": objects(pandas.Timestamp("2024-01-31T12:00:00.000000001"), pandas.NaT)}

    def mask(text: str) -> list[bool]:
        return Filter.parse(text).mask(columns, UIDS[:2], 2).tolist()

    assert mask('at >= "2024-01-31T12:00"') == [True, False]
    assert mask("at is missing") == [False, True]
