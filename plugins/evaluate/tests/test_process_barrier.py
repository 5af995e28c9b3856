"""Several processes that count parts of the data, simulated by threads with a shared folder."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from valor_evaluate import module

from valor_core.errors import ForeignStateError, SchemaError, StateError

TRUE = ["cat", "cat", "dog", "bee", "cat"]
SEEN = ["cat", "dog", "dog", "cat", "cat"]


def processes(folder: Path, count: int, name: str = "classification.F1", **options: Any) -> Any:
    shared = {"cache_dir": str(folder), "num_process": count, "timeout": 20}
    return [module(name, process_id=process, **shared | options) for process in range(count)]


def computed(exported: Any) -> list[Any]:
    with ThreadPoolExecutor(len(exported)) as threads:
        return list(threads.map(lambda one: one.compute(), exported))


def test_first_process_returns_result_of_single_process(tmp_path: Path) -> None:
    alone = module("classification.F1").compute(predictions=SEEN, references=TRUE)
    three = processes(tmp_path, 3)

    for _ in range(2):  # the second round works as well
        three[0].add_batch(predictions=SEEN[:2], references=TRUE[:2])
        three[2].add_batch(predictions=SEEN[2:], references=TRUE[2:])
        assert computed(three) == [alone, None, None]

    assert three[0].report.counts["read"] == len(TRUE)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_rows_of_text_are_gathered_too(tmp_path: Path) -> None:
    two = processes(tmp_path, 2, "text.ROUGE")
    two[0].add(prediction="a", reference="a", uid="q1")
    two[1].add(prediction="a", reference="b", uid="q2")

    assert computed(two)[0]["ROUGE/rouge1"] == 0.5


def test_files_of_killed_program_are_ignored(tmp_path: Path) -> None:
    killed = processes(tmp_path, 2, timeout=0.01)
    killed[0].add(prediction="cat", reference="dog")
    killed[1].add(prediction="cat", reference="dog")
    assert killed[1].compute() is None
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(left) == 2

    two = processes(tmp_path, 2)
    two[0].add(prediction="cat", reference="cat")
    two[1].add(prediction="cat", reference="cat")

    assert computed(two)[0]["F1/average:macro"] == 1.0


@pytest.mark.parametrize(
    ("process", "message"),
    [
        (0, "expected to meet process 1 of 2 within 0.01 s, found nothing of it"),
        (1, "expected to meet process 0 of 2 within 0.01 s, found nothing of it"),
    ],
)
def test_missing_process_is_reported(tmp_path: Path, process: int, message: str) -> None:
    alone = processes(tmp_path, 2, timeout=0.01)[process]
    alone.add(prediction="cat", reference="cat")

    with pytest.raises(StateError, match=re.escape(message)):
        alone.compute()


def test_counts_of_another_request_are_rejected(tmp_path: Path) -> None:
    first, _ = processes(tmp_path, 2)
    _, second = processes(tmp_path, 2, hardmax=False, score_thresholds=0.5)
    first.add(prediction="cat", reference="cat")
    second.add(prediction="cat", reference="cat")
    second.compute()

    with pytest.raises(
        ForeignStateError, match=r"made by another request, metrics\[0\]\.score_thresholds of"
    ):
        first.compute()


def test_item_counted_by_two_processes_is_rejected(tmp_path: Path) -> None:
    two = processes(tmp_path, 2)
    for one in two:
        one.add(prediction="cat", reference="cat", uid="q1")
    two[1].compute()

    with pytest.raises(SchemaError, match="item 'q1': expected each uid once, found it 2 times"):
        two[0].compute()


def test_folder_that_cannot_be_created_is_reported() -> None:
    first, _ = processes(Path("/dev/null"), 2)

    with pytest.raises(StateError, match="expected a folder to meet in, found: Not a directory"):
        first.add(prediction="cat", reference="cat")
