from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ParameterError

PLUGINS = Path(__file__).parents[3] / "tests" / "plugins"


@pytest.mark.parametrize("engine", [None, {"workers": 2, "mode": "threads"}])
def test_table_is_read_for_task_that_defines_rows(
    rankings: Any, tmp_path: Path, engine: Any
) -> None:
    path = tmp_path / "found.csv"
    path.write_text("uid,hits,wanted\nq1,a b,a\nq2,a b,b\n")
    data = {"reader": "csv", "path": path, "columns": {"found": "hits"}, "partition_bytes": 6}

    report = evaluate(data, ["HitRate"], task="retrieval", engine=engine)

    assert report["HitRate"].value == 0.5
    assert report.counts["read"] == 2


def test_column_of_field_unknown_to_task_is_rejected(rankings: Any, tmp_path: Path) -> None:
    data = {"reader": "csv", "path": str(tmp_path / "a.csv"), "columns": {"fund": "hits"}}

    with pytest.raises(ParameterError, match=r"data\.columns\.fund: unknown field"):
        evaluate(data, ["HitRate"], task="retrieval")
