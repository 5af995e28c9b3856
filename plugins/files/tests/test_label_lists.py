"""Label lists that are given as a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from valor_files import LabelList, MixedLabelList, listed_labels

from valor_core.errors import ParameterError, ReadError
from valor_core.parameters import parameter, parameters


@parameters
class Chosen:
    labels: LabelList = parameter(default=(), help="Labels.", distinct=True)
    mixed: MixedLabelList | None = parameter(default=None, help="Labels.", non_empty=True)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("value", ["names.txt", Path("names.txt"), ["names.txt"]])
def test_labels_are_read_from_file(value: str | Path | list[str]) -> None:
    Path("names.txt").write_bytes(
        b"\xef\xbb\xbfroad\r\n traffic light\t\r\n\xc3\xa9t\xc3\xa9\r\n\r\n"
    )
    for labels in (Chosen(labels=value).labels, Chosen(mixed=value).mixed):
        assert labels == Path("names.txt")
        assert listed_labels(labels) == ("road", "traffic light", "été")


def test_list_of_labels_is_unchanged() -> None:
    assert Chosen(labels=["a.txt", "b"]).labels == ("a.txt", "b")
    assert Chosen(labels="organ").labels == ("organ",)
    assert Chosen(mixed=[1, "1.0"]).mixed == (1, "1.0")
    assert listed_labels(("a.txt", "b")) == ("a.txt", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\n\nb\n", "line 2: expected a label, found an empty line"),
        (b"\na\n", "line 1: expected a label, found an empty line"),
        (b"", "expected one label per line, found none"),
        (b"\n\n", "expected one label per line, found none"),
        (b"a\nb\na\n", "expected each label once, found 'a', as in line 1"),
        (b"a\n\xff\n", "expected text in UTF-8, found other bytes at 2"),
    ],
    ids=["empty line", "empty first line", "empty file", "no labels", "twice", "other bytes"],
)
def test_file_of_labels_with_an_empty_or_repeated_line_is_rejected(
    content: bytes, message: str
) -> None:
    Path("names.txt").write_bytes(content)
    with pytest.raises(ReadError, match=re.escape(message)):
        listed_labels(Path("names.txt"))


def test_missing_file_of_labels_is_rejected() -> None:
    with pytest.raises(ReadError, match="no such file"):
        listed_labels(Path("names.txt"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("labels.csv", "with one label per line, got 'labels.csv'"),
        ("data.yaml", "with one label per line, got 'data.yaml'"),
        ("labels.JSON", "with one label per line, got 'labels.JSON'"),
    ],
)
def test_file_of_other_format_is_rejected(name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        Chosen(labels=name)
