from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_testing import ConformanceError, cases, check_metric

from valor_core import Undefined
from valor_core.results import DetailColumns, ItemRows, MetricDetails, Numbers
from valor_core.schemas.text import Text, TextBatch
from valor_core.scoring.decorator import FunctionMetricSpec
from valor_core.specs import MetricSpec, Range

ITEMS = [
    Text("q3", response="abc", references="abd"),
    Text("q1", response="a", references="a"),
    Text("q2", references="b"),
]


def spec_of(score: Callable[..., Any], **fields: Any) -> FunctionMetricSpec:
    return FunctionMetricSpec(
        name="mylab.Length",
        task="text",
        summary="Characters of a response",
        implementation=f"{__name__}:length",
        higher_is_better=None,
        range=Range(),
        score=score,
        **fields,
    )


def length(item: Text, parameters: Any, resources: Any) -> float:
    assert item.response is not None
    return len(item.response)


async def length_later(item: Text, parameters: Any, resources: Any) -> float:
    return length(item, parameters, resources)


def lengths(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    return np.array([len(response or "") for response in batch.responses], float)


def named_lengths(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    found = lengths(batch, parameters, resources)
    return {"length": found, "double": 2 * found}


def length_rows(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    has_response = ~batch.lacks("response")
    rows = np.flatnonzero(has_response)
    words = [len((batch.responses[row] or "").split()) for row in rows.tolist()]
    codes = (~has_response).astype(np.uint8)
    numbers = Numbers(lengths(batch, parameters, resources), codes, (Undefined("no response"),))
    details = DetailColumns({"words": np.array(words, np.int64)}, rows)
    return ItemRows(batch.datums.uids, {"": numbers}, details)


@pytest.mark.parametrize(
    ("score", "many"),
    [
        (length, False),
        (length_later, False),
        (lengths, True),
        (named_lengths, True),
        (length_rows, True),
    ],
)
def test_metric_that_scores_items_or_batches_obeys_all_laws(score: Any, many: bool) -> None:
    check_metric(spec_of(score, requires=("response", "references"), batched=many))


@pytest.mark.parametrize("column", [np.ones(1), np.array([np.nan, 1.0, 1.0])])
def test_column_of_wrong_length_or_with_nan_breaks_law(column: Any) -> None:
    spec = spec_of(lambda batch, parameters, resources: {"a": column}, batched=True)

    with pytest.raises(ConformanceError):
        check_metric(spec)


def summarize(rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Any) -> MetricDetails:
    present = rows.numbers[""].present if "" in rows.numbers else []
    extremes = {"extremes": [min(present), max(present)]} if len(present) else {}
    return MetricDetails({"lengths": extremes}, ("lengths are in characters",))


def no_details(rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Any) -> Any:
    return {"lengths": 3}


def nested_lists(
    rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Any
) -> MetricDetails:
    return MetricDetails({"lengths": {"all": [1, 2, 3]}})


def failing(rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Any) -> MetricDetails:
    raise ZeroDivisionError("no rows")


SUMMARIZED = spec_of(length, requires=("response",), summarize=f"{__name__}:summarize")


def test_metric_with_detail_columns_obeys_all_laws() -> None:
    check_metric(SUMMARIZED, [TextBatch.of([item]) for item in ITEMS])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("no_details", "got {'lengths': 3} (data set 'given')"),
        ("nested_lists", "expected a number, a text, true, false"),
        ("failing", "ZeroDivisionError: no rows (data set 'given')"),
    ],
)
def test_invalid_detail_columns_break_law(function: str, message: str) -> None:
    with pytest.raises(ConformanceError, match=re.escape(message)):
        check_metric(evolve(SUMMARIZED, summarize=f"{__name__}:{function}"), [TextBatch.of(ITEMS)])


MANIFEST = """
from valor_core.specs import (MetricSpec, Range, hookimpl)

@hookimpl
def valor_metrics():
    return [MetricSpec(name="wide.Items", task="text", other_tasks=("classification",),
        summary="Items of the data", implementation="wide.items:Items",
        higher_is_better=None, range=Range(0))]
"""
METRIC = """
from attrs import define, frozen
from valor_core import Result
from valor_core.states import (DerivedState, StateRequest, counted)

@define
class Uids(DerivedState):
    uids: set[str] = counted(set)

    def update(self, batch):
        self.uids |= set(map(str, batch.datums.uids.tolist()))

@frozen
class Items:
    parameters: object

    def needs(self):
        return (StateRequest(Uids),)

    def compute(self, state):
        yield Result(value=len(state.uids))
"""


def test_metric_of_several_tasks_is_checked_with_each(install: Callable[..., Path]) -> None:
    sources: Mapping[str, str] = {"__init__.py": "", "plugin.py": MANIFEST, "items.py": METRIC}
    install("widelab", "wide", sources)

    checks = dict(cases("wide"))

    for task in ("text", "classification"):
        checks[f"wide.Items[{task}]"]()
