from __future__ import annotations

from pathlib import Path

import pytest
from messages import refused

from valor_core.evaluation.items.journal import Journal, beside, row_key
from valor_core.plugin import Failed, ItemRow, NotRun, StateError, Undefined
from valor_core.schemas.text import Text

SCORER = {"metric": "m.A@1", "parameters": {"x": 1}, "resources": {"judge": {"model": "a"}}}


def test_rows_are_found_again_by_another_run(tmp_path: Path) -> None:
    rows = [ItemRow("q1", 0.5, {"why": "é"}), ItemRow("q2", Undefined("no"))]
    journal = Journal(tmp_path / "rows.jsonl")
    for row in rows:
        journal.add(str(row.uid), row)
    journal.close()

    again = Journal(tmp_path / "rows.jsonl")

    assert [again.find("q1"), again.find("q2"), again.find("q3")] == [*rows, None]


def test_what_may_change_by_itself_is_not_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rows.jsonl")
    journal.add("q1", ItemRow("q1", NotRun("budget")))
    journal.add("q2", ItemRow("q2", Failed("time-out", retry=True)))

    assert not (tmp_path / "rows.jsonl").exists()


def test_half_a_line_of_a_killed_run_costs_no_other_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    first = Journal(path)
    first.add("q1", ItemRow("q1", 0.5))
    first.close()
    path.write_bytes(path.read_bytes() + b'{"key": "q2", "uid"')

    second = Journal(path)
    second.add("q3", ItemRow("q3", 0.25))
    second.close()

    again = Journal(path)
    found = [row.value for key in ("q1", "q3") if (row := again.find(key)) is not None]
    assert found == [0.5, 0.25]
    assert again.find("q2") is None


@pytest.mark.parametrize("line", ["[]", "{}", "null", '{"key": 1}', "[" * 100_000, "\xff"])
def test_lines_that_are_no_rows_are_passed_over(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{line}\n{{"key": "q1", "uid": "q1", "value": 0.5}}\n', encoding="latin-1")

    found = Journal(path).find("q1")

    assert found == ItemRow("q1", 0.5)


def test_a_row_is_of_another_key_once_anything_that_shaped_it_is_another() -> None:
    item = Text("q1", response="Paris")
    keys = {
        row_key(item, SCORER),
        row_key(Text("q2", response="Paris"), SCORER),
        row_key(Text("q1", response="Rome"), SCORER),
        row_key(item, SCORER | {"metric": "m.A@2"}),
        row_key(item, SCORER | {"parameters": {"x": 2}}),
        row_key(item, SCORER | {"resources": {"judge": {"model": "b"}}}),
    }

    assert len(keys) == 6
    assert row_key(Text("q1", response="Paris"), dict(SCORER)) in keys


def test_a_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with refused(StateError):
        Journal(tmp_path / "nowhere" / "rows.jsonl").add("q1", ItemRow("q1", 0.5))


def test_the_journal_stands_beside_the_state() -> None:
    assert beside("runs/state.npz") == Path("runs/state.npz.rows.jsonl")
