from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ParameterError, ReadError, SchemaError

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


DATA = {"reader": "table", "path": "found.csv"}


@pytest.fixture
def found(rankings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "found.csv"
    path.write_text("uid,found,wanted,lang\nq1,a b,a,de\nq2,a b,b,en\n")
    return path


def test_slices_find_columns_that_rows_of_a_plugin_dropped(found: Path) -> None:
    report = evaluate(DATA, ["HitRate"], task="retrieval", slices=["lang"], filter="lang != 'fr'")

    assert report.slice(lang="de")["HitRate"].value == 1.0
    assert report.slice(lang="en")["HitRate"].value == 0.0
    assert report.warnings == ()


def test_metadata_of_a_plugins_rows_is_kept(
    found: Path, rankings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_metadata(table: Any) -> Any:
        return rankings.RankingBatch.of([rankings.Ranking("q1", ["a"], ["a"], {"lang": "it"})])

    monkeypatch.setattr(rankings, "from_table", with_metadata)

    report = evaluate(DATA, ["HitRate"], task="retrieval", slices=["lang"])

    assert report.slice(lang="it")["HitRate"].value == 1.0


def test_batch_in_another_order_than_its_rows_gets_no_metadata(
    found: Path, rankings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reversed_rows(table: Any) -> Any:
        return rankings.RankingBatch.of(
            [rankings.Ranking(uid, ["a"], ["a"]) for uid in table.uids("uid")[::-1]]
        )

    monkeypatch.setattr(rankings, "from_table", reversed_rows)

    report = evaluate(DATA, ["HitRate"], task="retrieval", slices=["lang"])

    assert "no item has the metadata field 'lang'" in report.warnings[0]


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (SchemaError("item 'q2': expected a tag"), "found.csv, row 3: item 'q2': expected a tag"),
        (KeyError("points"), "found.csv, row 3: ranklab.rankings:from_table: KeyError: 'points'"),
    ],
)
def test_error_of_an_item_in_rows_names_file_and_row(
    found: Path, rankings: Any, monkeypatch: pytest.MonkeyPatch, raised: Exception, message: str
) -> None:
    def rejecting(table: Any) -> Any:
        if "q2" in table.uids("uid").tolist():
            raise raised
        return rankings.RankingBatch.of([])

    monkeypatch.setattr(rankings, "from_table", rejecting)

    with pytest.raises(ReadError) as error:
        evaluate(DATA, ["HitRate"], task="retrieval")

    assert error.value.message == message


def test_error_of_no_single_row_is_unchanged(
    found: Path, rankings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rejecting(table: Any) -> Any:
        if len(table) > 1:
            raise SchemaError("expected one item")
        return rankings.RankingBatch.of([])

    monkeypatch.setattr(rankings, "from_table", rejecting)

    with pytest.raises(ReadError, match=r"found\.csv, bytes 0 to \d+: expected one item"):
        evaluate(DATA, ["HitRate"], task="retrieval")
