"""Resamples of groups of items, of all families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_intervals.confidence import groups as grouping
from valor_intervals.replicates import Replicates, numbers_of

from valor_core import Classification, Evaluator, Text, evaluate, metric
from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.schemas.text import TextBatch

RANDOM = np.random.default_rng(7)
BATCHES: dict[type, Any] = {
    Classification: ClassificationBatch,
    Text: TextBatch,
    Detection: DetectionBatch,
}
WORDS = list("abcdefg")


def labelled(i: int) -> Classification:
    scores = RANDOM.dirichlet([1, 1, 1]).round(2)
    true = ("cat", "dog", "cat", "bee")[i % 4]
    return Classification(
        f"q{i}", true, dict(zip(("cat", "dog", "bee"), map(float, scores), strict=True))
    )


def listed(i: int) -> Classification:
    return Classification(f"q{i}", ("cat", "dog")[i % 2], {"cat": float(RANDOM.random())})


def sentence(i: int) -> Text:
    response, reference = (" ".join(RANDOM.choice(WORDS, 6)) for _ in range(2))
    return Text(f"q{i}", response=response, references=reference)


def image(i: int) -> Detection:
    true = [TrueObject(("car", "bus")[k % 2], Box(20 * k, 0, 20 * k + 10, 10)) for k in range(3)]
    seen = [
        PredictedObject(
            {("car", "bus")[k % 2]: round(float(RANDOM.random()), 1) + k / 100},
            Box(20 * k, 0, 20 * k + 10, int(RANDOM.integers(3, 14))),
        )
        for k in range(4)
    ]
    return Detection(f"im{i}", true[: 1 + i % 3], seen[: i % 5])


@metric("mylab.Words", task="text")
def words(item: Any) -> float:
    return len(set(item.response)) / 7


CASES: dict[str, tuple[Callable[[int], Any], list[Any]]] = {
    "counts": (labelled, ["Accuracy", {"name": "F1", "average": "macro"}, "Precision"]),
    "cells": (labelled, ["CohenKappa", "MatthewsCorrelation"]),
    "ranks": (labelled, ["ROCAUC", "mROCAUC", "AveragePrecision"]),
    "lists of scores": (listed, ["ROCAUC", "AveragePrecision"]),
    "losses": (labelled, ["BrierScore", "LogLoss", "CalibrationError"]),
    "scores of items": (sentence, ["text.ROUGE", "text.BLEU", "text.ExactMatch"]),
    "sums of a corpus": (sentence, ["text.WER", "text.CorpusBLEU", "text.CorpusChrF"]),
    "function of a stranger": (sentence, [words]),
    "objects": (image, ["AP", "mAP", "Recall", "AR", "CalibrationError"]),
    "pooled thresholds": (image, ["mAPAveragedOverIOUs", "mAR", "COCOSummary"]),
    "other rules": (
        image,
        [
            {"name": "mAP", "matching": "valor"},
            {"name": "AP", "matching": "ranked", "iou_thresholds": [0.5]},
            {"name": "F1", "matching": "valor"},
            {"name": "AP", "matching": "open_images", "iou_thresholds": [0.5]},
        ],
    ),
    "errors": (image, ["ErrorAnalysis", "LRP", "OptimalLRP"]),
}


def renamed(items: Sequence[Any], counts: Sequence[int]) -> list[Any]:
    return [
        evolve(item, uid=f"{item.uid} {k}")
        for item, count in zip(items, counts, strict=True)
        for k in range(count)
    ]


@pytest.mark.parametrize("name", CASES)
def test_resample_gives_the_numbers_of_repeated_items(name: str) -> None:
    make, metrics = CASES[name]
    items = [make(i) for i in range(24)]
    confidence = {"groups": 7}
    evaluator = Evaluator(metrics, confidence=confidence)
    evaluator.update(items)
    evaluation, states = evaluator.evaluation, evaluator.state.states
    parts = {key[-1]: states[key] for key in sorted(states)}
    results = list(evaluate(items, metrics).results)
    places = [(i, each) for i, one in enumerate(results) for each, _ in numbers_of(one)]
    replicates = Replicates(results, list(parts.values()), evaluation, {}, places)
    weights = RANDOM.poisson(1, (6, len(parts)))
    weights[0] = 1

    found = replicates.numbers(weights)

    assert places
    codes = grouping(confidence).codes(BATCHES[type(items[0])].of(items)).tolist()
    for row, numbers in zip(weights, found, strict=True):
        of_group = dict(zip(parts, row.tolist(), strict=True))
        repeated = renamed(items, [of_group[code] for code in codes])
        there = {
            (one.metric, str(one.parameters), each): number
            for one in evaluate(repeated, metrics).results
            for each, number in numbers_of(one)
        }
        for (i, each), number in zip(places, numbers.tolist(), strict=True):
            key = (results[i].metric, str(results[i].parameters), each)
            assert (number == there[key]) if key in there else np.isnan(number)


def test_calibration_error_of_few_items_warns() -> None:
    random = np.random.default_rng(0)
    for count, warned in ((200, True), (1000, False)):
        true = random.integers(0, 2, count)
        scores = np.clip(random.normal(0.3, 0.3, count) + 0.4 * true, 0, 1)
        report = evaluate(true.tolist(), scores.tolist(), ["CalibrationError"], confidence=0.95)
        found = [one for one in report.warnings if "ece of CalibrationError needs 1,000" in one]
        assert bool(found) is warned
