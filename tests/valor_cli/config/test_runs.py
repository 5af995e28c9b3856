from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_cli.config.config_file import Request
from valor_cli.config.reading.runs import runs_of

from valor_core.errors import ConfigError


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def runs(path: Path, *settings: str, only: tuple[str, ...] = ()) -> dict[str | None, Any]:
    requests = Request.each_from_file(path, settings, only=only)
    return {request.run: request.values for request in requests}


BASE = """
task: text
data: {reader: csv, path: a.csv}
metrics: [BLEU, {name: CER, normaliser: none}]
"""


def test_tables_of_runs_are_merged_into_the_config(tmp_path: Path) -> None:
    config = write(
        tmp_path,
        "config.yaml",
        BASE
        + """
runs:
  small: {data: {path: small.csv}, filter: "day == 1"}
  large:
    data.path: large.csv
    metrics[0].case: lower
  base:
""",
    )

    found = runs(config)

    assert list(found) == ["small", "large", "base"]
    assert [one["data"]["path"] for one in found.values()] == ["small.csv", "large.csv", "a.csv"]
    assert found["small"]["filter"] == "day == 1"
    assert found["large"]["metrics"][0] == {"name": "BLEU", "case": "lower"}
    assert all(one["run"] == name and "runs" not in one for name, one in found.items())


def test_runs_may_be_a_list_of_tables_with_names(tmp_path: Path) -> None:
    config = write(
        tmp_path, "config.yaml", BASE + "runs:\n  - name: x\n    data.path: x.csv\n  - name: y\n"
    )

    paths = {name: one["data"]["path"] for name, one in runs(config).items()}

    assert paths == {"x": "x.csv", "y": "a.csv"}


def test_matrix_outside_of_runs_suggests_them(tmp_path: Path) -> None:
    config = write(tmp_path, "config.yaml", BASE + "matrix: {model: [a, b]}\n")

    with pytest.raises(ConfigError, match=r"runs: \{matrix: \{model: \[small, large\]\}\}"):
        _ = Request.from_file(config).checked


def test_table_of_runs_under_run_suggests_plural(tmp_path: Path) -> None:
    config = write(tmp_path, "config.yaml", BASE + "run: {small: {filter: a == 1}}\n")

    with pytest.raises(ConfigError, match=r"run must be a name, .*\n.*Rename the key to runs"):
        _ = Request.from_file(config).checked


def test_matrix_is_the_product_of_its_axes(tmp_path: Path) -> None:
    config = write(
        tmp_path,
        "config.yaml",
        """
task: text
data: {reader: csv, path: "{model}/{run}.csv"}
metrics:
  - {name: BLEU, smooth: "{smooth}", max_order: {order}}
runs:
  matrix:
    model: [org/small, large]
    order: [2, 4]
    how:
      strict: {filter: "day == 1"}
      lenient:
""",
    )

    found = runs(config)

    assert list(found)[:3] == ["org-small-2-strict", "org-small-2-lenient", "org-small-4-strict"]
    assert len(found) == 8
    one = found["org-small-2-strict"]
    assert one["data"]["path"] == "org/small/org-small-2-strict.csv"
    assert one["metrics"] == [{"name": "BLEU", "smooth": "{smooth}", "max_order": 2}]
    assert [one.get("filter") for one in found.values()] == ["day == 1", None] * 4


def test_output_files_get_the_name_of_the_run(tmp_path: Path) -> None:
    config = write(
        tmp_path,
        "config.toml",
        """
output = ["out/report.json", "{model}-{run}.html"]
flat = "metrics.json"
items = true
state = "counts.npz"
gallery = {folder = "worst", count = 3}
[runs.matrix]
model = ["a/b"]
how = {x = {state = "mine.npz"}, y = {}}
""",
    )

    x, y = runs(config).values()

    assert x["output"] == ["out/report-a-b-x.json", "a-b-a-b-x.html"]
    assert (x["flat"], x["items"], x["state"]) == ("metrics-a-b-x.json", True, "mine.npz")
    assert y["state"] == "counts-a-b-y.npz"
    assert y["gallery"] == {"folder": "worst-a-b-y", "count": 3}


def test_settings_of_the_command_line_win_over_those_of_runs(tmp_path: Path) -> None:
    config = write(
        tmp_path, "config.yaml", BASE + "output: a.json\nruns: {x: {data.path: x.csv}, y: {}}\n"
    )

    found = runs(config, "data.path=c.csv", "output=b.json", "runs.y.task=detection")

    assert {one["data"]["path"] for one in found.values()} == {"c.csv"}
    assert [one["output"] for one in found.values()] == ["b-x.json", "b-y.json"]
    assert [one["task"] for one in found.values()] == ["text", "detection"]


def test_paths_of_runs_are_relative_to_the_file_that_has_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        "bases/base.yaml",
        BASE + "output: '{run}.json'\nruns: {x: {data.path: x.csv}, y: {}}\n",
    )
    config = write(
        tmp_path, "config.yaml", "extends: bases/base.yaml\nruns: {z: {data: {path: z.csv}}}\n"
    )

    requests = {one.run: one for one in Request.each_from_file(config)}
    paths = {name: one.values["data"]["path"] for name, one in requests.items()}

    assert paths == {"x": "bases/x.csv", "y": "bases/a.csv", "z": "z.csv"}
    assert requests["x"].values["output"] == "bases/x.json"
    assert requests["x"].place == f"{config} (extends base.yaml, run x): "


def test_only_selects_runs_by_name_or_pattern(tmp_path: Path) -> None:
    config = write(tmp_path, "config.yaml", BASE + "runs: [small-1, small-2, large]\n")

    assert [*runs(config, only=("small-*",))] == ["small-1", "small-2"]
    assert [*runs(config, only=("large", "small-1"))] == ["small-1", "large"]
    with refused(ConfigError):
        runs(config, only=("lagre",))
    with refused(ConfigError):
        runs(config, only=("x*",))
    with refused(ConfigError):
        runs(write(tmp_path, "one.yaml", BASE), only=("small",))


@pytest.mark.parametrize(
    "section",
    [
        "small",
        [],
        {"small": 3},
        [["small"]],
        ["a/b", "a-b"],
        ["///"],
        {"matrix": ["a"]},
        {"matrix": {"model": 3}},
        {"matrix": {"run": ["a"]}},
        {"matrix": {"my model": ["a"]}},
        {"matrix": {"model": ["a"]}, "small": {}},
        {"model": ["a", "b"]},
        [{"data": {"path": "a.csv"}}],
        {"matrix": {"a": [*range(40)], "b": [*range(40)]}},
    ],
    ids=str,
)
def test_invalid_runs_are_rejected(section: Any) -> None:
    with refused(ConfigError):
        runs_of(section, "config.yaml: ")


@pytest.mark.parametrize("key", ["runs", "extends", "metrics[5].name", "..", "a[x]"])
def test_invalid_setting_of_run_names_run_and_key(tmp_path: Path, key: str) -> None:
    config = write(tmp_path, "config.yaml", BASE + f"runs: {{small: {{'{key}': x}}}}\n")

    with pytest.raises(ConfigError, match=r"config\.yaml: runs\.small: .*" + re.escape(key[:4])):
        runs(config)


def test_unknown_key_of_run_names_run(tmp_path: Path) -> None:
    config = write(tmp_path, "config.yaml", BASE + "runs: {small: {filtr: x}}\n")
    (request,) = Request.each_from_file(config)

    with pytest.raises(ConfigError, match=r"config\.yaml \(run small\): filtr: unknown key"):
        _ = request.checked


def test_single_request_of_several_runs_is_rejected(tmp_path: Path) -> None:
    with refused(ConfigError):
        Request.from_file(write(tmp_path, "config.yaml", BASE + "runs: [small, large]\n"))


def test_unquoted_placeholder_suggests_quotes(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape("in quotes: 'report-{run}.json'")):
        runs(write(tmp_path, "config.yaml", BASE + "output: [report-{run}.json]\nruns: [a]\n"))


@pytest.mark.parametrize(
    ("folder", "named"),
    [
        ("C:\\Users\\a.b\\worst", "C:\\Users\\a.b\\worst-small"),
        ("a.b/worst", "a.b/worst-small"),
        ("worst/", "worst-small/"),
        ("s3://bucket/worst.d", "s3://bucket/worst-small.d"),
    ],
)
def test_name_of_run_is_added_to_the_last_part_of_a_path(
    tmp_path: Path, folder: str, named: str
) -> None:
    text = json.dumps({"gallery": {"folder": folder}, "runs": ["small"], "data": {"path": "a.csv"}})
    config = write(tmp_path, "config.json", text)

    assert runs(config)["small"]["gallery"] == {"folder": named}


def test_placeholder_in_the_gallery_keeps_its_type(tmp_path: Path) -> None:
    gallery = 'gallery: {folder: worst, most: "{count}"}\n'
    axes = "runs: {matrix: {count: [5, 10]}}\n"

    found = runs(write(tmp_path, "config.yaml", BASE + gallery + axes))

    assert found["5"]["gallery"] == {"folder": "worst-5", "most": 5}


def test_suggested_command_quotes_a_path_with_spaces(tmp_path: Path) -> None:
    config = write(tmp_path, "my config.yaml", BASE + "runs: [small, large]\n")

    with pytest.raises(ConfigError, match=r"valor run '.*my config\.yaml', or"):
        Request.from_file(config)


@pytest.mark.parametrize("key", ["matrx", "Matrix", "matrixes"])
def test_axes_under_a_misspelt_key_suggest_matrix(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"runs\.{key}: expected settings of a run") as caught:
        runs_of({key: {"model": ["small", "large"]}}, "config.yaml: ")

    assert caught.value.remedy == "Did you mean 'matrix'?"


def test_run_may_have_a_name_like_matrix() -> None:
    section = {"matrix2": {"judge": {"width": 2}, "slices": ["a"]}, "matrix3": {}}

    assert [run.name for run in runs_of(section, "")] == ["matrix2", "matrix3"]


def test_misspelt_matrix_outside_of_runs_suggests_them(tmp_path: Path) -> None:
    config = write(tmp_path, "config.yaml", BASE + "matrx: {model: [small, large]}\n")
    (request,) = Request.each_from_file(config)

    with pytest.raises(ConfigError, match=r"matrx: unknown key\nWrite it as: runs: {matrix:"):
        _ = request.checked
