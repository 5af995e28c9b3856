"""Columns named like the fields of an item: text, and tasks of plugins."""

from __future__ import annotations

import re
from typing import Any

import datasets
import pytest
from valor_evaluate import module
from valor_evaluate.exported.columns.rows import RowColumns

from valor_core import Registry, Text
from valor_core.errors import ParameterError, SchemaError
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, TaskSpec

TEXT = Registry().find(TaskSpec, "text")
STRING = datasets.Value("string")


def spec(task: str, *requires: str) -> MetricSpec:
    return ItemMetricSpec(
        name="mylab.Metric",
        task=task,
        summary="A metric",
        implementation="mylab.metric:score",
        higher_is_better=True,
        range=Range(0, 1),
        requires=requires,
    )


def columns_of(*requires: str) -> RowColumns:
    return RowColumns.of(spec("text", *requires), TEXT, {})


def test_texts() -> None:
    batch = columns_of().batch(
        {"predictions": ["a", None], "references": ["b", ["c", "d"]], "query": ["q", None]}, 5
    )

    assert list(batch.items()) == [
        Text(5, response="a", references="b", query="q"),
        Text(6, references=["c", "d"]),
    ]
    assert batch.datums.numbered


def test_items_have_uids() -> None:
    batch = columns_of().batch({"predictions": ["a"], "uid": ["q7"]}, 5)

    assert batch.datums.uids.tolist() == ["q7"]
    assert not batch.datums.numbered


def test_columns_of_metric_are_required() -> None:
    assert columns_of("response", "contexts").required == ("predictions", "contexts")
    assert columns_of("outcomes").required == ("outcomes",)
    assert columns_of().required == ("predictions",)


def test_features_are_required_and_common_columns() -> None:
    several, one = columns_of("response", "contexts").features

    strings = datasets.Sequence(STRING)
    assert several == {"predictions": STRING, "references": strings, "contexts": strings}
    assert one == {"predictions": STRING, "references": STRING, "contexts": STRING}
    recorded = columns_of("outcomes").features[0]
    assert recorded["outcomes"] == datasets.Sequence(datasets.Value("bool"))


def test_task_without_rows_is_rejected() -> None:
    task = TaskSpec(
        name="mylab.retrieval",
        summary="Documents found for a query",
        implementation="mylab.rankings:RankingBatch",
        item="mylab.rankings:Ranking",
    )

    with pytest.raises(
        ParameterError, match="expected a metric of a task whose items can be rows, got retrieval"
    ):
        RowColumns.of(spec("retrieval"), task, {})


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([3], ["a"], "columns, row 0, column 'response': expected a string, found 3"),
        (["a"], [[1]], "columns, row 0, column 'references': expected strings, found [1]"),
        (
            ["a"],
            [{"label": "a"}],
            "text.ROUGE: columns, row 0, column 'references': expected strings,",
        ),
    ],
)
def test_invalid_input_is_rejected(predictions: Any, references: Any, message: str) -> None:
    rouge = module("text.ROUGE")

    with pytest.raises(SchemaError, match=re.escape(message)):
        rouge.add_batch(predictions=predictions, references=references)


def test_answers_in_the_form_of_squad_are_references() -> None:
    match = module("text.ExactMatch")

    match.add_batch(predictions=["a b"], references=[{"text": ["a b"], "answer_start": [0]}])

    assert set(match.compute().values()) == {1.0}
