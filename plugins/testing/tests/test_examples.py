from __future__ import annotations

import numpy as np
from cases import for_each
from valor_testing import examples
from valor_testing.data_set import Batches
from valor_testing.difference import content, difference

from valor_core.schemas.classification import ClassificationBatch, ScoreList, ScoreMatrix
from valor_core.schemas.datum import check_unique
from valor_core.schemas.detection import Detection, DetectionBatch
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import Registry

ALL = [(task, name) for task in examples.tasks() for name in examples.datasets(task)]


def batches_of(task: str, name: str) -> Batches:
    return examples.datasets(task)[name]


@for_each(("task", "name"), ALL)
def test_data_set_has_batches_of_its_task_with_distinct_uids(task: str, name: str) -> None:
    batches = batches_of(task, name)

    assert Registry().knows_task(task)
    assert len(batches) > 1
    assert {batch.task for batch in batches} == {task}
    check_unique(np.concatenate([batch.datums.uids for batch in batches]))


@for_each(("task", "name"), ALL)
def test_data_set_is_reproducible(task: str, name: str) -> None:
    first, second = content(batches_of(task, name)), content(batches_of(task, name))

    assert difference(first, second) is None


def test_unknown_task_has_no_examples() -> None:
    assert examples.datasets("weather") == {}


def classification() -> list[ClassificationBatch]:
    found = examples.datasets("classification").values()
    return [
        batch for batches in found for batch in batches if isinstance(batch, ClassificationBatch)
    ]


def test_classification_examples_cover_edge_cases() -> None:
    batches = classification()
    items = [item for batch in batches for item in batch.items()]
    scores = [batch.scores for batch in batches]

    assert {type(part) for part in scores} == {ScoreMatrix, ScoreList}
    assert {part.values.dtype.name for part in scores} == {"float32", "float64"}
    assert {batch.datums.uids.dtype.kind for batch in batches} == {"i", "U"}
    assert any(len({label.key for label in batch.labels}) > 2 for batch in batches)
    assert any(not item.groundtruths and not item.predictions for item in items)
    assert any(not item.groundtruths and item.predictions for item in items)
    assert any(item.groundtruths and not item.predictions for item in items)
    assert any(score == 0.0 for item in items for _, score in item.predictions)
    assert any(score < 0 or score > 1 for item in items for _, score in item.predictions)


def detections() -> list[Detection]:
    found = examples.datasets("detection").values()
    return [
        item
        for batches in found
        for batch in batches
        if isinstance(batch, DetectionBatch)
        for item in batch.items()
    ]


def test_detection_examples_cover_edge_cases() -> None:
    items = detections()
    truths = [one for item in items for one in item.groundtruths]
    seen = [one for item in items for one in item.predictions]
    scores = [score for one in seen for _, score in one.labels]

    assert any(one.is_crowd for one in truths)
    assert any(len(one.labels) > 1 for one in truths)
    assert any(len(one.labels) > 1 for one in seen)
    assert len({label.key for one in truths for label in one.labels}) > 2
    assert {0.0} < set(scores)
    assert min(scores) < 0
    assert max(scores) > 1
    assert len(scores) > len(set(scores))
    assert any(len(item.predictions) > 100 for item in items)
    assert any(not item.groundtruths and not item.predictions for item in items)
    assert any(not item.groundtruths and item.predictions for item in items)
    assert any(item.groundtruths and not item.predictions for item in items)


def test_text_examples_cover_edge_cases() -> None:
    found = examples.datasets("text").values()
    items: list[Text] = [
        item
        for batches in found
        for batch in batches
        if isinstance(batch, TextBatch)
        for item in batch.items()
    ]

    for name in ("query", "response"):
        values = [getattr(item, name) for item in items]
        assert None in values
        assert "" in values
    for name in ("references", "contexts", "reference_contexts"):
        counts = {len(getattr(item, name)) for item in items}
        assert {0, 1} < counts
        assert any("" in getattr(item, name) for item in items)
    assert any(not (item.response or "").isascii() for item in items)
    assert {0, 1, 3} < {len(item.outcomes) for item in items}
    assert any(len(set(item.outcomes)) == 2 for item in items)


def test_examples_contain_mutable_metadata() -> None:
    for task in examples.tasks():
        tags = [
            value
            for batches in examples.datasets(task).values()
            for batch in batches
            for value in batch.datums.metadata.get("tags", ())
        ]
        assert any(isinstance(value, list) for value in tags)
