from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_cli.config.config_file import Request
from valor_cli.config.reading.bases import merge, with_bases
from valor_cli.run import run_config

from valor_core import Report
from valor_core.errors import ConfigError

PLUGINS = Path(__file__).parents[2] / "plugins"
PARTS = [[{"uid": "q1", "response": "Paris"}], [{"uid": "q2", "response": "no"}]]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def values_of(path: Path, *settings: str) -> Any:
    return Request.from_file(path, settings).values


def test_tables_are_merged_and_lists_are_replaced(tmp_path: Path) -> None:
    write(
        tmp_path,
        "base.yaml",
        "task: text\ndata: {reader: csv, path: a.csv}\nmetrics: [BLEU, CER]\nslices: [day]\n",
    )
    child = write(
        tmp_path, "child.yaml", "extends: base.yaml\ndata: {path: b.csv}\nmetrics: [WER]\n"
    )

    assert values_of(child, "data.uid=id") == {
        "task": "text",
        "data": {"reader": "csv", "path": "b.csv", "uid": "id"},
        "metrics": ["WER"],
        "slices": ["day"],
    }


def test_formats_mix_and_later_bases_win(tmp_path: Path) -> None:
    write(tmp_path, "one.toml", 'task = "text"\nitems = true\n[engine]\nworkers = 2\n')
    write(tmp_path, "two.json", json.dumps({"extends": "one.toml", "items": False}))
    write(tmp_path, "three.yaml", "engine: {mode: threads}\n")
    child = write(
        tmp_path, "child.toml", 'extends = ["two.json", "three.yaml"]\nmetrics = ["BLEU"]\n'
    )

    request = Request.from_file(child)

    assert request.values == {
        "task": "text",
        "items": False,
        "engine": {"workers": 2, "mode": "threads"},
        "metrics": ["BLEU"],
    }
    assert [path.name for path in request.bases] == ["two.json", "one.toml", "three.yaml"]
    assert request.place == f"{child} (extends two.json, one.toml, three.yaml): "


def test_diamond_is_no_cycle(tmp_path: Path) -> None:
    write(tmp_path, "root.yaml", "task: text\n")
    write(tmp_path, "left.yaml", "extends: root.yaml\nitems: true\n")
    write(tmp_path, "right.yaml", "extends: root.yaml\nfilter: a == 1\n")
    child = write(tmp_path, "child.yaml", "extends: [left.yaml, right.yaml]\n")

    assert values_of(child) == {"task": "text", "items": True, "filter": "a == 1"}


@pytest.mark.parametrize(
    ("base", "over", "merged"),
    [
        (
            {"data": {"reader": "wide", "prefix": "p_"}},
            {"data": {"reader": "coco", "groundtruths": "a.json"}},
            {"data": {"reader": "coco", "groundtruths": "a.json"}},
        ),
        (
            {"engine": "dask"},
            {"engine": {"workers": 2}},
            {"engine": {"name": "dask", "workers": 2}},
        ),
        ({"engine": {"workers": 2}}, {"engine": "dask"}, {"engine": "dask"}),
        ({"metrics_to_return": ["F1"]}, {"metrics": ["AP"]}, {"metrics": ["AP"]}),
        ({"gallery": {"folder": "worst"}}, {"gallery": None}, {"gallery": None}),
    ],
)
def test_other_kinds_of_values_replace_those_of_the_base(base: Any, over: Any, merged: Any) -> None:
    assert merge(base, over) == merged


def test_base_may_be_named_by_an_environment_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "base.yaml", "task: text\n")
    monkeypatch.delenv("VALOR_TEST_BASE", raising=False)

    child = write(tmp_path, "child.yaml", 'extends: "${env:VALOR_TEST_BASE:-base.yaml}"\n')

    assert values_of(child) == {"task": "text"}


def test_paths_of_a_base_stay_relative_to_it(
    tmp_path: Path, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")
    write(tmp_path, "bases/data/parts.json", json.dumps(PARTS))
    write(
        tmp_path,
        "bases/mine.py",
        "import valor_core\n\n\n@valor_core.metric('mine.One', task='text')\n"
        "def one(item) -> float:\n    return 1.0\n",
    )
    write(
        tmp_path,
        "bases/base.yaml",
        "data: {reader: lab.Parts, path: data/parts.json}\nmodules: [mine.py]\n"
        "metrics: [lab.LongShare]\n",
    )
    write(tmp_path, "bases/deep/middle.yaml", "extends: ../base.yaml\n")
    child = write(
        tmp_path, "runs/child.yaml", "extends: ../bases/deep/middle.yaml\noutput: report.json\n"
    )
    monkeypatch.chdir(tmp_path / "bases")

    report = run_config(Request.from_file(child))

    assert report["LongShare"].value == 0.5
    assert Report.load(tmp_path / "runs" / "report.json").config["data"] == {
        "reader": "lab.Parts",
        "path": "../bases/data/parts.json",
    }
    assert "extends" not in report.config
    assert values_of(child)["modules"] == ["../bases/mine.py"]


def test_paths_of_reader_named_by_the_config_and_of_resources_are_moved(tmp_path: Path) -> None:
    write(
        tmp_path,
        "bases/base.yaml",
        "data: {path: a.csv, uid: a.csv}\noutput: [r.json, /data/r.html]\n"
        "judge: {client: {name: recorded, file: replies.jsonl}, cache_file: '${env:X:-c}'}\n"
        "metrics: [{name: hf.Module, module: rouge}]\ngallery: {folder: worst}\n",
    )
    child = write(
        tmp_path,
        "child.yaml",
        "extends: bases/base.yaml\ntask: text\ndata: {reader: csv}\njudge: {record: new.jsonl}\n",
    )

    values = values_of(child)

    assert values["data"] == {"path": "bases/a.csv", "uid": "a.csv", "reader": "csv"}
    assert values["output"] == ["bases/r.json", "/data/r.html"]
    assert values["judge"] == {
        "client": {"name": "recorded", "file": "bases/replies.jsonl"},
        "cache_file": "${env:X:-c}",
        "record": "new.jsonl",
    }
    assert values["metrics"] == [{"name": "hf.Module", "module": "rouge"}]
    assert values["gallery"] == {"folder": "bases/worst"}


class TestErrors:
    def test_missing_base_is_named(self, tmp_path: Path) -> None:
        write(tmp_path, "base.yaml", "task: text\n")
        with refused(ConfigError):
            Request.from_file(write(tmp_path, "child.yaml", "extends: bsae.yaml\n"))

    def test_cycle_is_shown(self, tmp_path: Path) -> None:
        write(tmp_path, "b.yaml", "extends: a.yaml\n")
        with refused(ConfigError):
            Request.from_file(write(tmp_path, "a.yaml", "extends: b.yaml\n"))

    @pytest.mark.parametrize("value", ["3", "[]", "{a: b}", "[a.yaml, 3]", "''", "null"])
    def test_other_values_are_rejected(self, tmp_path: Path, value: str) -> None:
        with pytest.raises(ConfigError, match=r"child.yaml: extends must be a path or a list of"):
            Request.from_file(write(tmp_path, "child.yaml", f"extends: {value}\n"))

    def test_other_formats_are_rejected(self, tmp_path: Path) -> None:
        write(tmp_path, "base.txt", "task: text\n")
        with pytest.raises(ConfigError, match=r"base.txt: expected a name in .toml, .yaml"):
            Request.from_file(write(tmp_path, "child.yaml", "extends: base.txt\n"))

    def test_invalid_base_is_named(self, tmp_path: Path) -> None:
        write(tmp_path, "base.yaml", "- task\n")
        with pytest.raises(ConfigError, match=r"base.yaml: expected a table of keys"):
            Request.from_file(write(tmp_path, "child.yaml", "extends: base.yaml\n"))

    def test_key_of_base_is_reported_with_its_name(self, tmp_path: Path) -> None:
        write(tmp_path, "base.yaml", "data: {reader: csv}\nmetric: [F1]\n")
        request = Request.from_file(write(tmp_path, "child.yaml", "extends: base.yaml\n"))
        with refused(ConfigError):
            _ = request.checked

    def test_setting_cannot_extend(self, tmp_path: Path) -> None:
        path = write(tmp_path, "child.yaml", "data: {reader: csv}\nmetrics: [F1]\n")
        with refused(ConfigError):
            _ = Request.from_file(path, ["extends=base.yaml"]).checked

    def test_output_must_not_overwrite_base(
        self, tmp_path: Path, install: Callable[..., Path]
    ) -> None:
        install("valor-lab", "lab", PLUGINS / "lab")
        write(tmp_path, "parts.json", json.dumps(PARTS))
        write(tmp_path, "base.json", '{"data": {"reader": "lab.Parts", "path": "parts.json"}}')
        child = write(
            tmp_path,
            "child.yaml",
            "extends: base.json\nmetrics: [lab.LongShare]\noutput: base.json\n",
        )
        with pytest.raises(ConfigError, match=r"base\.json is a config that it extends"):
            run_config(Request.from_file(child))


def test_config_without_bases_is_unchanged() -> None:
    values = {"metrics": ["F1"]}

    assert with_bases(values, Path(), "").values is values
