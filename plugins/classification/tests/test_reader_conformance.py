"""Every reader of the family keeps every law of readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from valor_testing import check_reader

from valor_core.specs import ReaderSpec

from .files import written
from .support import REGISTRY

COUNT = 12
UIDS = [f"q{i:02}" for i in range(COUNT)]
SCORES = [round(i / COUNT, 3) for i in range(COUNT)]


def wide(folder: Path) -> dict[str, Any]:
    rows = (
        f"{uid},{'dog' if i % 2 else 'cat'},{score},{1 - score},{'rain' if i % 3 else ''}"
        for i, (uid, score) in enumerate(zip(UIDS, SCORES, strict=True))
    )
    head = "uid,label,score_dog,score_cat,weather"
    return {"path": str(written(folder, "wide.csv", head, *rows))}


def predicted(folder: Path) -> dict[str, Any]:
    rows = (f"{uid},dog,{'dog' if i % 4 else 'cat'}" for i, uid in enumerate(UIDS))
    return {"path": str(written(folder, "predicted.csv", "uid,label,prediction", *rows))}


def lists(folder: Path) -> dict[str, Any]:
    rows = (
        json.dumps({"uid": uid, "groundtruths": ["dog"], "predictions": {"dog": score, "owl": 0.5}})
        for uid, score in zip(UIDS, SCORES, strict=True)
    )
    return {"path": str(written(folder, "lists.jsonl", *rows))}


def long(folder: Path) -> dict[str, Any]:
    truths = written(folder, "truths.csv", "uid,label", *(f"{uid},dog" for uid in UIDS))
    rows = (
        f"{uid},{label},{score}"
        for uid, score in zip(UIDS, SCORES, strict=True)
        for label in ("dog", "cat")
    )
    scores = written(folder, "seen.csv", "uid,label,score", *rows)
    return {"groundtruths": str(truths), "predictions": str(scores)}


@pytest.mark.parametrize("source", [wide, predicted, lists, long])
def test_a_reader_gives_the_same_items_however_its_files_are_cut(
    source: Any, tmp_path: Path
) -> None:
    spec = REGISTRY.find(ReaderSpec, f"classification.{source.__name__}")

    check_reader(spec, source(tmp_path))


def test_every_reader_of_the_family_is_checked() -> None:
    names = {spec.short_name for spec in REGISTRY.manifest("classification").of(ReaderSpec)}

    assert names == {"wide", "predicted", "lists", "long"}
