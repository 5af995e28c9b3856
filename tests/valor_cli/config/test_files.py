from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from messages import refused
from valor_cli.config import parse

from valor_core.errors import ConfigError, MissingExtraError

SAME = {
    "config.toml": 'task = "text"\nslices = [["a", "b"]]\n'
    '[[metrics]]\nname = "AP"\nthreshold = 0.5\n',
    "config.yaml": "task: text\nslices: [[a, b]]\nmetrics:\n  - name: AP\n    threshold: 0.5\n",
    "config.yml": "{task: text, slices: [[a, b]], metrics: [{name: AP, threshold: 0.5}]}",
    "config.JSON": '{"task": "text", "slices": [["a", "b"]], '
    '"metrics": [{"name": "AP", "threshold": 0.5}]}',
}


def expect_refusal(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with refused(ConfigError):
        parse(path)


@pytest.mark.parametrize("name", SAME)
def test_toml_yaml_and_json_parse_to_same_config(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(SAME[name], encoding="utf-8")

    assert parse(path) == {
        "task": "text",
        "slices": [["a", "b"]],
        "metrics": [{"name": "AP", "threshold": 0.5}],
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.json", '{"$schema": "./valor.schema.json", "task": "text"}'),
        ("config.yaml", "$schema: valor.schema.json\ntask: text"),
        ("config.toml", '"$schema" = "valor.schema.json"\ntask = "text"'),
    ],
)
def test_schema_for_editors_is_no_key_of_the_config(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert parse(path) == {"task": "text"}


def test_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf{}")

    assert parse(path) == {}


def test_off_and_no_are_strings_in_yaml(tmp_path: Path) -> None:
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
    ("name", "text"),
    [
        ("c.toml", "task = \n"),
        ("c.toml", "a = 1\na = 2\n"),
        ("c.yaml", "a: [1\nb: 2\n"),
        ("c.yaml", "a: 1\nb:\n  c: 1\n  c: 2\n"),
        ("c.yaml", "a: !!python/object:os.system x\n"),
        ("c.yaml", "a: \x00\n"),
        ("c.json", '{"a": 1,\n b}'),
        ("c.json", '{"a": 1, "b": {"c": 1, "c": 2}}'),
    ],
)
def test_syntax_error_has_line_and_column(tmp_path: Path, name: str, text: str) -> None:
    expect_refusal(tmp_path / name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [("c.json", "[1]"), ("c.yaml", "text")],
)
def test_config_must_be_table(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name

    expect_refusal(path, text)


@pytest.mark.parametrize(
    ("name", "text"), [("c.yaml", ""), ("c.yaml", "# later\n"), ("c.json", "\n"), ("c.toml", "")]
)
def test_empty_config_lists_required_keys(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name

    expect_refusal(path, text)


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
def test_deeply_nested_config_is_rejected(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(DEEP[name], encoding="utf-8")
    with pytest.raises(ConfigError, match="at most 100 levels, found more"):
        parse(path)


LAUGHS = "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghijkl"))
MERGES = "".join(
    f"{b}: &{b}\n  <<: [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghijkl")
)


@pytest.mark.parametrize("text", ["a: &a [lol]\n" + LAUGHS, "a: &a {lol: 1}\n" + MERGES])
def test_exponential_yaml_aliases_are_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="at most 1,000,000 values, found more"):
        parse(path)


@pytest.mark.parametrize("name", ["c.json", "c.toml", "c.yaml"])
def test_integer_of_5000_digits_is_rejected(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    number = "1" * 5000
    text = {".json": f'{{"a": {number}}}', ".toml": f"a = {number}", ".yaml": f"a: {number}"}

    path.write_text(text[path.suffix], encoding="utf-8")
    with pytest.raises(ConfigError, match="found an integer with too many digits"):
        parse(path)


def test_invalid_date_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"

    expect_refusal(path, "a: 2024-13-45\n")


def test_yaml_merge_keys_are_supported(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("a: &x {b: 1, c: 1}\nd:\n  <<: *x\n  c: 2\n", encoding="utf-8")

    assert parse(path)["d"] == {"b": 1, "c": 2}


def test_missing_config_suggests_similar_file(tmp_path: Path) -> None:
    with refused(ConfigError):
        parse(tmp_path / "c.yaml")
    with refused(ConfigError):
        parse(tmp_path / "none" / "c.yaml")

    (tmp_path / "config.yaml").touch()
    with refused(ConfigError):
        parse(tmp_path / "confg.yaml")


def test_folder_is_rejected_as_config(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").mkdir()

    with refused(ConfigError):
        parse(tmp_path / "c.yaml")


def test_unsupported_suffix_is_rejected(tmp_path: Path) -> None:
    with refused(ConfigError):
        parse(tmp_path / "c.ini")


def test_config_must_be_utf_8(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_bytes(b"a: \xff\n")

    with refused(ConfigError):
        parse(tmp_path / "c.yaml")


def test_missing_yaml_parser_shows_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "c.yaml").write_text("a: 1\n")

    with refused(MissingExtraError):
        parse(tmp_path / "c.yaml")


def test_windows_path_in_double_quotes_suggests_single_quotes(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text('data: {path: "C:\\data"}\n')

    with pytest.raises(ConfigError) as error:
        parse(file)

    assert error.value.remedy == "Write paths with / or in single quotes: 'C:\\data'"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("task:\ttext\n", "Replace tabs with spaces."),
        (
            "task:text\ndata: {}\n",
            "Write a space after each colon, and text with a colon in quotes.",
        ),
        ("task: text\n metrics: [F1]\n", "Write a space after each colon, and text with a colon"),
        ("data:\n  path: a\n reader: b\n", "Begin all keys of a table in the same column."),
    ],
)
def test_yaml_error_shows_correction(tmp_path: Path, text: str, remedy: str) -> None:
    (tmp_path / "config.yaml").write_text(text)

    with pytest.raises(ConfigError) as caught:
        parse(tmp_path / "config.yaml")

    assert (caught.value.remedy or "").startswith(remedy)


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ("data: {path: ${env:FILE}, reader: csv}", "${env:FILE}"),
        ("data: {path: ${env:FOLDER:-data}/a.csv}", "${env:FOLDER:-data}/a.csv"),
        ("metrics: [${env:METRIC:-F1}]", "${env:METRIC:-F1}"),
        ("data: {\n  path: data/${env:FILE}\n}", "data/${env:FILE}"),
    ],
)
def test_variable_in_braces_of_yaml_suggests_quotes(
    tmp_path: Path, written: str, quoted: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(written)

    with pytest.raises(ConfigError, match="expected YAML") as caught:
        parse(path)

    assert caught.value.remedy == f"Put the variable in quotes: '{quoted}'"
    path.write_text(written.replace(quoted, f"'{quoted}'"))
    assert quoted in str(parse(path))
