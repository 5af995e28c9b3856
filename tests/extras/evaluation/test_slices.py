from __future__ import annotations

from typing import Any

import pandas

from valor_core.evaluation import Slices
from valor_core.schemas.text import Text, TextBatch


def batch(*facts: dict[str, Any]) -> TextBatch:
    return TextBatch.of(Text(i, response="x", metadata=fact) for i, fact in enumerate(facts))


def split(slices: Slices, data: TextBatch) -> dict[Any, list[int]]:
    return {key: data.datums.uids[places].tolist() for key, places in slices.split(data)}


def test_a_date_of_pandas_that_is_none_is_a_missing_value() -> None:
    data = batch({"day": pandas.NaT}, {"day": None}, {"day": pandas.Timestamp("2024-01-02")})

    assert split(Slices(["day"]), data) == {(None,): [0, 1], ("2024-01-02 00:00:00",): [2]}
