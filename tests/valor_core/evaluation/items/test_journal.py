from __future__ import annotations

from pathlib import Path

import pytest

from valor_core.errors import StateError
from valor_core.resources.journal import Journal, journal_path, row_key
from valor_core.results import Failed, ItemRow, NotRun, Undefined
from valor_core.schemas.text.batch import Text
from valor_core.specs import Range

SCORER = {"metric": "m.A@1", "parameters": {"x": 1}, "resources": {"judge": {"model": "a"}}}


def test_rows_are_found_by_next_run(tmp_path: Path) -> None:
    rows = [ItemRow("q1", 0.5, {"why": "é"}), ItemRow("q2", Undefined("no"))]
    journal = Journal(tmp_path / "rows.jsonl")
    for row in rows:
        journal.add(str(row.uid), row)
    journal.close()

    again = Journal(tmp_path / "rows.jsonl")

    assert [again.find("q1"), again.find("q2"), again.find("q3")] == [*rows, None]


def test_facts_are_stored_with_rows(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rows.jsonl")
    for opening, number, calls, key in (("a", 1, 4, "q1"), ("a", 0, 2, "q2"), ("b", 0, 9, "q3")):
        facts = {opening: (number, {"judge": {"calls": calls}})}
        journal.add(key, ItemRow(key, 0.5), facts)
    journal.close()

    again = Journal(tmp_path / "rows.jsonl")

    assert again.find("q2") == ItemRow("q2", 0.5)
    assert again.facts == {"a": (1, {"judge": {"calls": 4}})}


@pytest.mark.parametrize("facts", ["[]", "1", '{"a": 1}', '{"a": [1, {"judge": 2}]}', "null"])
def test_row_with_unreadable_facts_is_damaged(tmp_path: Path, facts: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"key": "q1", "uid": "q1", "value": 0.5, "facts": {facts}}}\n')
    journal = Journal(path)

    assert journal.find("q1") is None
    assert (journal.facts, journal.damaged) == ({}, {1})


def test_transient_failures_are_not_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rows.jsonl")
    journal.add("q1", ItemRow("q1", NotRun("budget")))
    journal.add("q2", ItemRow("q2", Failed("time-out", retry=True)))

    assert not (tmp_path / "rows.jsonl").exists()


def test_truncated_line_loses_no_other_row(tmp_path: Path) -> None:
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
def test_invalid_lines_are_skipped(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{line}\n{{"key": "q1", "uid": "q1", "value": 0.5}}\n', encoding="latin-1")

    found = Journal(path).find("q1")

    assert found == ItemRow("q1", 0.5)


def test_row_key_depends_on_item_and_scorer() -> None:
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


def test_write_error_names_journal(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="cannot be written, No such file or directory"):
        Journal(tmp_path / "nowhere" / "rows.jsonl").add("q1", ItemRow("q1", 0.5))


def test_journal_path_is_derived_from_state_path() -> None:
    assert journal_path("runs/state.npz") == Path("runs/state.npz.rows.jsonl")


def journal_of(path: Path, *rows: tuple[str, float]) -> None:
    journal = Journal(path)
    for key, value in rows:
        journal.add(key, ItemRow(key, value, {"why": "é, as 'q' said"}))
    journal.close()


def test_any_flipped_bit_of_a_row_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    journal_of(path, ("q1", 0.5), ("q2", 0.25))
    whole = path.read_bytes()
    first = ItemRow("q1", 0.5, {"why": "é, as 'q' said"})

    for position in range(8 * (whole.index(b"\n"))):
        flipped = bytearray(whole)
        flipped[position // 8] ^= 1 << position % 8
        path.write_bytes(flipped)
        again = Journal(path)
        assert again.find("q1") in (None, first)  # an escape in capitals is the same text
        assert again.find("q2") == ItemRow("q2", 0.25, first.details)
        path.unlink()


def test_row_with_changed_digit_is_scored_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    journal_of(path, ("q1", 0.5), ("q2", 0.25))
    path.write_bytes(path.read_bytes().replace(b'"value": 0.25', b'"value": 0.75'))

    again = Journal(path)

    assert again.find("q2") is None
    assert again.damaged == {2}


def test_row_of_an_earlier_version_outside_the_range_is_scored_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"key": "q1", "uid": "q1", "value": 7.5}\n{"key": "q2", "uid": "q2", "value": 0.5}\n'
        '{"key": "q3", "uid": "q3", "value": {"a": 0.5, "b": -1.0}}\n'
    )

    journal = Journal(path)

    assert [journal.find(key, Range(0, 1)) for key in ("q1", "q3")] == [None, None]
    assert journal.find("q2", Range(0, 1)) == ItemRow("q2", 0.5)
    assert journal.damaged == {1, 3}


def test_contradicting_rows_are_replaced(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.jsonl"
    journal_of(path, ("q1", 0.5), ("q2", 0.25), ("q2", 0.25), ("q1", 0.75))

    second = Journal(path)
    assert second.find("q1") is None
    assert second.find("q2") is not None  # twice the same is no contradiction
    assert second.damaged == {1, 4}
    second.add("q1", ItemRow("q1", 0.5))
    second.close()

    third = Journal(path)
    assert third.find("q1") == ItemRow("q1", 0.5)
    assert third.damaged == set()


def test_journal_is_readable_only_by_owner(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    journal_of(path, ("q1", 0.5))
    assert path.stat().st_mode & 0o777 == 0o600
