from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from valor_cli.config import parse

from valor_core.plugin import ConfigError, MissingExtraError, install

SAME = {
    "config.toml": 'task = "text"\nslices = [["a", "b"]]\n'
    '[[metrics]]\nname = "AP"\nthreshold = 0.5\n',
    "config.yaml": "task: text\nslices: [[a, b]]\nmetrics:\n  - name: AP\n    threshold: 0.5\n",
    "config.yml": "{task: text, slices: [[a, b]], metrics: [{name: AP, threshold: 0.5}]}",
    "config.JSON": '{"task": "text", "slices": [["a", "b"]], '
    '"metrics": [{"name": "AP", "threshold": 0.5}]}',
}


def error_of(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        parse(path)
    return str(caught.value)


@pytest.mark.parametrize("name", SAME)
def test_toml_yaml_and_json_say_the_same(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(SAME[name], encoding="utf-8")

    assert parse(path) == {
        "task": "text",
        "slices": [["a", "b"]],
        "metrics": [{"name": "AP", "threshold": 0.5}],
    }


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf{}")

    assert parse(path) == {}


def test_off_and_no_are_words_in_yaml_as_they_are_in_json(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "judge: {cache: off}\ngrades: {no: 0, yes: 1}\nitems: true\nnested: [False, TRUE, On]"
    )

    assert parse(path) == {
        "judge": {"cache": "off"},
        "grades": {"no": 0, "yes": 1},
        "items": True,
        "nested": [False, True, "On"],
    }


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("c.toml", "task = \n", "expected TOML, Invalid value (at line 1, column 8)"),
        ("c.toml", "a = 1\na = 2\n", "expected TOML, Cannot overwrite a value (at line 2"),
        ("c.yaml", "a: [1\nb: 2\n", ", line 2, column 2: expected YAML, "),
        ("c.yaml", "a: 1\nb:\n  c: 1\n  c: 2\n", ", line 4: c: given twice"),
        ("c.yaml", "a: !!python/object:os.system x\n", "expected YAML, could not determine"),
        ("c.yaml", "a: \x00\n", ": expected YAML, "),
        ("c.json", '{"a": 1,\n b}', ", line 2, column 2: expected JSON, "),
        ("c.json", '{"a": 1, "b": {"c": 1, "c": 2}}', ": c: given twice"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_named_with_the_place(
    tmp_path: Path, name: str, text: str, error: str
) -> None:
    found = error_of(tmp_path / name, text)

    assert found.startswith(str(tmp_path / name))
    assert error in found


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [("c.json", "[1]", "[1]"), ("c.yaml", "text", "'text'")],
)
def test_a_file_must_hold_a_table(tmp_path: Path, name: str, text: str, found: str) -> None:
    path = tmp_path / name

    assert error_of(path, text) == f"{path}: expected a table of keys, found {found}"


@pytest.mark.parametrize(
    ("name", "text"), [("c.yaml", ""), ("c.yaml", "# later\n"), ("c.json", "\n"), ("c.toml", "")]
)
def test_an_empty_file_is_told_what_it_needs(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name

    assert error_of(path, text) == (
        f"{path}: expected a table of keys, found nothing\n"
        "Write two keys at least: data and metrics."
    )


DEEP = {
    "c.json": '{"a": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "c.toml": "a = " + "[" * 20_000 + "]" * 20_000,
    "c.yaml": "a: " + "[" * 20_000 + "]" * 20_000,
    "d.json": '{"a": ' + '{"a": ' * 150 + "1" + "}" * 151,
    "d.toml": "a = " + "[" * 150 + "]" * 150,
    "d.yaml": "a: " + "[" * 150 + "]" * 150,
    "itself.yaml": "a: &a {b: *a}\n",
    "list.yaml": "a: &a [*a]\n",
    "merged.yaml": "a: &a\n  <<: *a\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_a_config_without_a_bottom_is_one_line_and_a_remedy(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    assert error_of(path, DEEP[name]) == (
        f"{path}: expected at most 100 levels, found more\n"
        "Write fewer tables and lists into each other, and no alias into what it stands for."
    )


LAUGHS = "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghijkl"))
MERGES = "".join(
    f"{b}: &{b}\n  <<: [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghijkl")
)


@pytest.mark.parametrize("text", ["a: &a [lol]\n" + LAUGHS, "a: &a {lol: 1}\n" + MERGES])
def test_aliases_that_repeat_themselves_a_billion_times_are_refused(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "c.yaml"

    assert error_of(path, text) == (
        f"{path}: expected at most 1,000,000 values, found more\n"
        "Write out what aliases repeat, or repeat it less often."
    )


@pytest.mark.parametrize("name", ["c.json", "c.toml", "c.yaml"])
def test_an_integer_of_5000_digits_is_one_line_and_a_remedy(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    number = "1" * 5000
    text = {".json": f'{{"a": {number}}}', ".toml": f"a = {number}", ".yaml": f"a: {number}"}

    assert error_of(path, text[path.suffix]) == (
        f"{path}: expected numbers, found an integer with too many digits\n"
        "Write it as a number such as 1e300, or as text in quotes."
    )


def test_a_date_that_is_none_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"

    assert error_of(path, "a: 2024-13-45\n") == (f"{path}: expected YAML, month must be in 1..12")


def test_yaml_tables_can_be_merged_into_others(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("a: &x {b: 1, c: 1}\nd:\n  <<: *x\n  c: 2\n", encoding="utf-8")

    assert parse(path)["d"] == {"b": 1, "c": 2}


def test_a_missing_file_is_named_with_the_one_that_was_likely_meant(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"c\.yaml: no such file$"):
        parse(tmp_path / "c.yaml")
    with pytest.raises(ConfigError, match=r"no such file$"):
        parse(tmp_path / "none" / "c.yaml")

    (tmp_path / "config.yaml").touch()
    with pytest.raises(ConfigError, match=r"confg\.yaml: no such file\nDid you mean 'config\.y"):
        parse(tmp_path / "confg.yaml")


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").mkdir()

    with pytest.raises(ConfigError, match=r"c\.yaml: cannot be read, Is a directory$"):
        parse(tmp_path / "c.yaml")


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"c\.ini: expected a name in \.toml, \.yaml or \.json$"):
        parse(tmp_path / "c.ini")


def test_text_must_be_utf_8(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_bytes(b"a: \xff\n")

    with pytest.raises(ConfigError, match=r"c\.yaml: expected UTF-8 text, invalid start byte$"):
        parse(tmp_path / "c.yaml")


def test_without_a_yaml_parser_the_pip_line_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "c.yaml").write_text("a: 1\n")

    with pytest.raises(MissingExtraError) as caught:
        parse(tmp_path / "c.yaml")

    assert str(caught.value) == (
        f"{tmp_path / 'c.yaml'}: reading YAML needs PyYAML, which is not installed\n"
        f"Install it with: {install('valor-core[cli]')}, or write TOML or JSON."
    )
