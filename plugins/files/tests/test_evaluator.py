from __future__ import annotations

from typing import Any

import pytest

from valor_core import Evaluator, metric
from valor_core.errors import SchemaError
from valor_core.schemas.text import Text
from valor_core.specs import MetricSpec


def item(uid: Any, response: str = "Paris", **metadata: Any) -> Text:
    return Text(uid, response=response, metadata=metadata)


class TestUpdate:
    @pytest.fixture
    def length(self) -> MetricSpec:
        @metric("mylab.Length", task="text")
        def length(item: Any) -> float:
            return float(len(item.response))

        return length

    def test_update_accepts_table_or_two_sides(self, length: MetricSpec) -> None:
        evaluator = Evaluator([length])
        for _ in range(2):
            evaluator.update([{"response": "abc"}])
            evaluator.update(["x"], ["a"])

        assert evaluator.compute()["Length"].value == 2.0
        assert evaluator.compute().counts["read"] == 4

    def test_invalid_row_is_not_counted(self, length: MetricSpec) -> None:
        evaluator = Evaluator([length])

        with pytest.raises(SchemaError):
            evaluator.update([{"response": 3}])

        assert evaluator.compute().counts["read"] == 0
