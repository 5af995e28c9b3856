"""The cache: stored replies are found by every process, and other files are rejected."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from valor_llm.clients.protocol import Reply, TokenChoice, Usage
from valor_llm.judge.answer import StoredReply, key_of
from valor_llm.judge.cache import Cache

from valor_core.errors import ResourceError

FULL = StoredReply(
    Reply(
        text='{"claims": ["Ä\ud800"]}',
        model="m-2026-01-01",
        finish="length",
        usage=Usage(prompt=10, completion=2, cached=4),
        tokens=(TokenChoice("4", {"4": -0.25, "5": -1.5}),),
        fingerprint="f1",
    ),
    attempts=3,
)


def kept(text: str) -> StoredReply:
    return StoredReply(Reply(text=text, model="m"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "judge-cache.sqlite"


def test_a_reply_is_found_again_as_it_came(path: Path) -> None:
    cache = Cache(path)
    cache.add("k", FULL)
    assert cache.replies("k") == (FULL,)
    cache.close()
    assert Cache(path).replies("k") == (FULL,)


def test_replies_to_a_question_are_found_in_the_order_in_which_they_came(path: Path) -> None:
    cache = Cache(path)
    for key, text in [("k", "part"), ("other", "whole"), ("k", "rest")]:
        cache.add(key, kept(text))
    assert [one.reply.text for one in cache.replies("k")] == ["part", "rest"]
    assert cache.replies("unknown") == ()


def test_no_file_is_made_before_something_is_written(path: Path) -> None:
    cache = Cache(path)
    assert cache.replies("k") == ()
    assert cache.features("e", "m") == {}
    assert cache.batches("e") == {}
    cache.close()
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such rights")
def test_the_file_can_be_read_by_its_owner_alone(path: Path) -> None:
    cache = Cache(path)
    cache.add("k", FULL)
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_reply_that_comes_after_the_cache_was_closed_is_not_lost(path: Path) -> None:
    cache = Cache(path)
    cache.add("k", kept("one"))
    cache.close()
    cache.add("k", kept("late"))
    assert [one.reply.text for one in Cache(path).replies("k")] == ["one", "late"]


def test_many_threads_and_two_caches_write_side_by_side(path: Path) -> None:
    caches = [Cache(path), Cache(path)]
    with ThreadPoolExecutor(8) as threads:
        added = [
            threads.submit(caches[number % 2].add, f"k{number % 10}", kept(str(number)))
            for number in range(200)
        ]
    for one in added:
        one.result()
    found = {one.reply.text for key in range(10) for one in caches[0].replies(f"k{key}")}
    assert found == set(map(str, range(200)))


WRITER = """
import sys
from pathlib import Path
from valor_llm.clients.protocol import Reply
from valor_llm.judge.cache import Cache
from valor_llm.judge.answer import StoredReply
cache = Cache(Path(sys.argv[1]))
for number in range(100):
    cache.add(f"{sys.argv[2]}{number}", StoredReply(Reply(text="x", model="m")))
"""


def test_several_processes_make_and_fill_one_file(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in "ab"]
    for writer in writers:
        _, said = writer.communicate(timeout=60)
        assert writer.returncode == 0, said
    cache = Cache(path)
    assert all(cache.replies(f"{name}{number}") for name in "ab" for number in range(100))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"text": "x", "model": "m", "usage": {}, "tokens": []}',
        '{"attempts": 1, "text": 5, "model": "m", "usage": {}, "tokens": []}',
        '{"attempts": 1, "text": "x", "model": "m", "usage": 3, "tokens": []}',
        '{"attempts": 1, "text": "x", "model": "m", "usage": {}, "tokens": [1]}',
        "[" * 100_000,
    ],
)
def test_a_damaged_row_is_as_if_it_were_not_there(path: Path, text: str) -> None:
    cache = Cache(path)
    cache.add("k", kept("first"))
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO replies (key, reply) VALUES ('k', ?)", (text,))
    connection.close()
    cache.add("k", kept("last"))
    assert [one.reply.text for one in cache.replies("k")] == ["first", "last"]


def test_a_reply_that_a_later_version_has_kept_is_read_without_what_is_new() -> None:
    stored = (
        '{"attempts": 1, "text": "x", "model": "m", "new": 1, "usage": {"new": 2}, "tokens": []}'
    )
    assert StoredReply.from_json(stored) == kept("x")


def foreign(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_another_kind_of_file_is_not_touched(path: Path) -> None:
    path.write_text("uid,label\n" * 1000)
    with pytest.raises(
        ResourceError, match="expected a cache of replies, found another kind of file"
    ):
        Cache(path)
    assert path.read_text() == "uid,label\n" * 1000


def test_another_programs_database_is_not_touched(path: Path) -> None:
    foreign(path, "CREATE TABLE mine (one TEXT)")
    before = path.read_bytes()
    with pytest.raises(
        ResourceError, match="expected a cache of replies, found another program's database"
    ):
        Cache(path)
    assert path.read_bytes() == before


def test_file_of_a_later_format_is_rejected(path: Path) -> None:
    cache = Cache(path)
    cache.add("k", FULL)
    cache.close()
    foreign(path, "PRAGMA user_version = 2")
    with pytest.raises(
        ResourceError, match="expected a cache of replies, found format 2, this version has 1"
    ):
        Cache(path)


def test_a_damaged_file_is_an_error_with_a_remedy(path: Path) -> None:
    cache = Cache(path)
    for number in range(200):
        cache.add(f"k{number}", FULL)
    cache.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(ResourceError, match=r"judge\.cache_file"):
        Cache(path).replies("k1")


def test_a_folder_that_is_not_there_is_an_error_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="expected a file in an existing folder"):
        Cache(tmp_path / "none" / "cache.sqlite")


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"judge\.cache_file"):
        Cache(tmp_path)


def test_a_file_to_replay_must_be_there(path: Path) -> None:
    with pytest.raises(ResourceError, match="expected the file of an earlier run, found none"):
        Cache(path, replay=True)


def test_replaying_writes_nothing(path: Path) -> None:
    cache = Cache(path)
    cache.add("k", FULL)
    cache.close()
    before = path.read_bytes()
    replay = Cache(path, replay=True)
    replay.add("new", FULL)
    replay.note_features("e", "m", {"format": "text"})
    assert replay.replies("k") == (FULL,)
    assert replay.replies("new") == ()
    replay.close()
    assert path.read_bytes() == before


def test_file_is_replayed_in_a_read_only_folder(path: Path) -> None:
    cache = Cache(path)
    cache.add("k", FULL)
    cache.close()
    # As in a folder without the right to write: SQLite cannot make its file of shared memory.
    path.with_name(path.name + "-shm").mkdir()
    assert Cache(path, replay=True).replies("k") == (FULL,)


def test_features_of_a_model_at_an_endpoint_are_found_again(path: Path) -> None:
    cache = Cache(path)
    cache.note_features("e", "m", {"format": "json_object"})
    cache.note_features("e", "m", {"format": "text", "left_out": ["seed"]})
    assert Cache(path).features("e", "m") == {"format": "text", "left_out": ["seed"]}
    assert cache.features("e", "another") == {}


def test_a_batch_is_forgotten_in_the_moment_in_which_its_replies_are_written(path: Path) -> None:
    cache = Cache(path)
    cache.add_batch("e", "b1", ["k0", "k1"])

    def fail_in_between() -> None:
        with cache.together():
            cache.add("k0", FULL)
            cache.remove_batch("e", "b1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_in_between()
    assert Cache(path).batches("e") == {"b1": ("k0", "k1")}
    assert cache.replies("k0") == ()
    with cache.together():
        cache.add("k0", FULL)
        cache.remove_batch("e", "b1")
    assert Cache(path).batches("e") == {}
    assert Cache(path).replies("k0") == (FULL,)


def test_a_key_depends_on_every_part_of_a_question() -> None:
    one = {"model": "m", "messages": [["user", "Ä"]], "temperature": None}
    assert key_of(one) != key_of(one | {"temperature": 0.0})
    assert len(key_of(one)) == 64


def written(path: Path) -> tuple[StoredReply, ...]:
    """A file with one reply, all of it in the file itself."""
    cache = Cache(path)
    cache.add("k", kept('{"analysis": "Right.", "rating": 5}'))
    cache.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return (kept('{"analysis": "Right.", "rating": 5}'),)


def test_rating_with_a_flipped_bit_is_asked_for_again_and_counted(path: Path) -> None:
    written(path)
    data = path.read_bytes()
    place = data.index(b'\\"rating\\": 5')
    flipped = data[:place] + data[place:].replace(b": 5", b": 4", 1)
    path.write_bytes(flipped)

    cache = Cache(path)
    assert cache.replies("k") == ()
    assert (cache.damaged, cache.is_damaged("k"), cache.is_damaged("other")) == (1, True, False)
    # the reply to it takes the place of the damaged one
    cache.add("k", kept("whole"))
    cache.close()
    again = Cache(path)
    assert again.replies("k") == (kept("whole"),)
    assert again.damaged == 0


def test_no_flipped_bit_changes_a_reply_or_raises_anything_else(path: Path, tmp_path: Path) -> None:
    whole = written(path)
    data = path.read_bytes()
    used = [place for place, byte in enumerate(data) if byte]
    for number, place in enumerate(used[:: len(used) // 80]):
        flipped = bytearray(data)
        flipped[place] ^= 1 << number % 8
        other = tmp_path / f"{number}.sqlite"
        other.write_bytes(flipped)
        try:
            cache = Cache(other)
            found = cache.replies("k")
            cache.add("new", kept("new"))
            cache.close()
        except ResourceError:
            continue
        assert found in (whole, ())


def test_file_of_an_earlier_version_is_read_and_gets_checksums(path: Path) -> None:
    written(path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE replies DROP COLUMN checksum")
    connection.close()

    assert len(Cache(path, replay=True).replies("k")) == 1
    cache = Cache(path)
    assert len(cache.replies("k")) == 1
    cache.add("other", kept("new"))
    cache.close()
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT checksum IS NULL FROM replies ORDER BY number")
        assert found.fetchall() == [(1,), (0,)]
    connection.close()
