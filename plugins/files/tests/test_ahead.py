from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.evaluation.engines import prefetch as ahead

LAB = Path(__file__).parents[3] / "tests" / "plugins" / "lab"


@pytest.fixture(autouse=True)
def two_threads(install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    install("valor-lab", "lab", LAB)
    monkeypatch.setattr(ahead, "thread_count", lambda: 2)


@pytest.mark.parametrize("broken", [False, True])
def test_reading_ahead_changes_neither_report_nor_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    rows = [f"q{row},{'x' * (row % 9)}\n" for row in range(400)]
    rows[200] = "q200,x,y\n" if broken else rows[200]
    (tmp_path / "answers.csv").write_text("uid,response\n" + "".join(rows))
    data = {"reader": "core.table", "path": str(tmp_path / "answers.csv"), "partition_bytes": 300}

    def outcome(threads: int) -> Any:
        monkeypatch.setattr(ahead, "thread_count", lambda: threads)
        monkeypatch.setattr(ahead, "_MOST", 4 if threads > 1 else 0)
        try:
            return evaluate(data, ["lab.LongShare"], "text")
        except ReadError as error:
            return str(error)

    alone, together = outcome(1), outcome(4)

    assert alone == together
    assert isinstance(alone, str) is broken
