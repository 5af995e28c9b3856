"""Reader of plain text files: corresponding lines of several files."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_testing import check_reader
from valor_text.parameters.readers import LinesParameters
from valor_text.readers.lines import LinesReader

from valor_core import Registry, evaluate
from valor_core.errors import ReadError
from valor_core.schemas.text import Text
from valor_core.specs import ReaderSpec

LINES = st.text(st.sampled_from("ab\u00e9\u2028\x85\x00 \U0001f600"), max_size=12)


def written(folder: Path, **files: bytes | str) -> dict[str, Path]:
    paths = {name: folder / f"{name}.txt" for name in files}
    for name, content in files.items():
        paths[name].write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def items(reader: LinesReader) -> list[Text]:
    parts = reader.partitions()
    return [item for part in parts for batch in reader.read(part) for item in batch.items()]


def reader(**chosen: Any) -> LinesReader:
    return LinesReader(LinesParameters(**chosen))


def test_lines_of_three_files(tmp_path: Path) -> None:
    files = written(tmp_path, said="a b\n\nc", one="x\ny\r\nz\n", two="X\n\n\n", asked="1\n2\n3\n")

    found = items(
        reader(
            responses=files["said"], references=[files["one"], files["two"]], queries=files["asked"]
        )
    )

    assert found == [
        Text(1, "1", "a b", ["x", "X"]),
        Text(2, "2", "", ["y"]),  # with several references, an empty one is missing
        Text(3, "3", "c", ["z"]),
    ]


def test_empty_line_of_single_references_file_is_empty_text(tmp_path: Path) -> None:
    files = written(tmp_path, said="a\nb\n", one="\nb\n")

    assert [
        item.references for item in items(reader(responses=files["said"], references=files["one"]))
    ] == [
        ("",),
        ("b",),
    ]


def test_responses_alone(tmp_path: Path) -> None:
    files = written(tmp_path, said="a\n")

    assert items(reader(responses=files["said"])) == [Text(1, response="a")]


def test_byte_order_mark_is_removed(tmp_path: Path) -> None:
    files = written(tmp_path, said=b"\xef\xbb\xbfa\nb")

    assert [item.response for item in items(reader(responses=files["said"]))] == ["a", "b"]


@given(
    texts=st.lists(st.tuples(LINES, LINES), min_size=1, max_size=30),
    step=st.integers(1, 60),
    ending=st.sampled_from(["\n", "\r\n"]),
    is_ended=st.booleans(),
)
def test_lines_do_not_depend_on_partitions(
    texts: list[tuple[str, str]],
    step: int,
    ending: str,
    is_ended: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    is_ended |= not texts[-1][0] or not texts[-1][1]  # an empty line counts if it has a line end
    last = ending if is_ended else ""
    columns = [ending.join(column) + last for column in zip(*texts, strict=True)]
    files = written(tmp_path_factory.mktemp("lines"), said=columns[0], one=columns[1])

    found = items(reader(responses=files["said"], references=files["one"], partition_bytes=step))

    assert [(item.response, item.references[0]) for item in found] == texts
    assert [item.uid for item in found] == list(range(1, len(texts) + 1))


def test_reader_conforms(tmp_path: Path) -> None:
    said = "".join(f"response {i}\n" for i in range(40))
    files = written(tmp_path, said=said, one=said.upper(), two=said.title())
    sources = {"hypotheses": files["said"], "references": [files["one"], files["two"]]}

    check_reader(Registry().find(ReaderSpec, "text.lines"), sources)


def test_partitions_have_line_ranges_as_names(tmp_path: Path) -> None:
    files = written(tmp_path, said="aa\nbb\ncc\n", one="a\nb\nc\n")
    made = reader(responses=files["said"], references=files["one"], partition_bytes=4)

    parts = pickle.loads(pickle.dumps(made.partitions()))

    assert [part.name for part in parts] == [
        f"{files['said']}, lines 1 to 2",
        f"{files['said']}, lines 3 to 3",
    ]
    assert parts[0].paths == (files["said"], files["one"])


@pytest.mark.parametrize("other", ["a\nb\n", "a\nb\nc\n\n", "a\n\n\nd"])
def test_files_of_different_length_are_reported(tmp_path: Path, other: str) -> None:
    files = written(tmp_path, said="a\nb\nc", one="1\n2\n3", two=other)

    with pytest.raises(ReadError, match="expected as many lines as in"):
        reader(responses=files["said"], references=[files["one"], files["two"]]).partitions()


def test_changed_file_is_rejected(tmp_path: Path) -> None:
    files = written(tmp_path, said="aa\nbb\n")
    made = reader(responses=files["said"])
    (part,) = made.partitions()
    files["said"].write_bytes(b"a\na\nbb\n"[:6])

    with pytest.raises(
        ReadError, match="expected 2 lines from line 1 on as when it was opened, found 3"
    ):
        list(made.read(part))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\xff\n", "line 2: expected text in UTF-8, found the byte 0xff"),
        (b"", "expected records, found an empty file"),
    ],
)
def test_invalid_text_is_reported(tmp_path: Path, content: bytes, message: str) -> None:
    files = written(tmp_path, said=content)

    with pytest.raises(ReadError, match=re.escape(message)):
        items(reader(responses=files["said"]))


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no such file"):
        reader(responses=tmp_path / "none.txt").partitions()


def test_config_reads_lines(tmp_path: Path) -> None:
    files = written(tmp_path, said="a b\nc\n", one="a b\nd\n")
    data = {"reader": "lines", "hypotheses": files["said"], "references": [files["one"]]}

    assert evaluate(data, ["ExactMatch"], task="text")["ExactMatch"].value == 1 / 2
