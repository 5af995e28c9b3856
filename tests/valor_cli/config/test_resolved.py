from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from valor_cli.config.config_file import Request
from valor_cli.config.resolved import resolved
from valor_report.gallery.worst_items import PlannedGallery

from valor_core.evaluation import Evaluator
from valor_core.parameters import parameter, parameters

PLUGINS = Path(__file__).parents[2] / "plugins"
VALUES: dict[str, Any] = {
    "data": {"reader": "lab.Parts", "path": "parts.json"},
    "metrics": ["lab.LongShare"],
}


@pytest.fixture(autouse=True)
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


def record(
    folder: Path,
    *,
    output: tuple[Path, ...] = (),
    planned: PlannedGallery | None = None,
    more: Mapping[str, Any] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Return the recorded config of a config in a folder."""
    values = VALUES | changes | dict(more or {})
    evaluator = Evaluator(values["metrics"])
    return resolved(Request(values, folder, "config.yaml: "), evaluator, output, planned)


def test_metrics_and_task_are_recorded_in_full(tmp_path: Path) -> None:
    found = record(tmp_path)

    assert found["task"] == "text"
    assert [choice["name"] for choice in found["metrics"]] == ["lab.LongShare@2"]
    assert "threshold" in found["metrics"][0]


@pytest.mark.parametrize(
    "key", ["output", "state", pytest.param("metrics_to_return", id="the documented metrics")]
)
def test_output_and_state_are_not_recorded(tmp_path: Path, key: str) -> None:
    assert key not in record(tmp_path, more={key: ["lab.LongShare"]})


def test_paths_are_relative_to_folder_of_report(tmp_path: Path) -> None:
    configs, reports = tmp_path / "configs", tmp_path / "reports"

    found = record(
        configs,
        output=(reports / "a.json", tmp_path / "b.json"),
        modules=["house.py", "deep/house.py"],
        items="rows.jsonl",
    )

    assert found["data"] == {"reader": "lab.Parts", "path": "../configs/parts.json"}
    assert found["modules"] == ["../configs/house.py", "../configs/deep/house.py"]
    assert found["items"] == "../configs/rows.jsonl"


def test_paths_are_relative_to_current_folder_without_report_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert record(tmp_path / "configs")["data"]["path"] == "configs/parts.json"


def test_boolean_items_setting_is_not_moved(tmp_path: Path) -> None:
    assert record(tmp_path, items=True)["items"] is True


def test_environment_reference_is_not_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VALOR_TEST_FOLDER", "secret")
    data = {"reader": "lab.Parts", "path": "${env:VALOR_TEST_FOLDER}/parts.json"}

    found = record(tmp_path / "configs", output=(tmp_path / "a.json",), data=data)

    assert found["data"]["path"] == "${env:VALOR_TEST_FOLDER}/parts.json"


def test_paths_of_gallery_parameters_are_moved(tmp_path: Path) -> None:
    @parameters
    class Frames:
        images: Path = parameter(help="Folder of images.")
        title: str = parameter(default="", help="Title.")

    gallery = {"folder": "worst", "images": "photos", "title": "worst"}
    planned = PlannedGallery(gallery=None, folder=tmp_path, parameters=Frames)  # type: ignore[arg-type]

    found = record(
        tmp_path / "configs", output=(tmp_path / "a.json",), planned=planned, gallery=gallery
    )

    assert found["gallery"] == {
        "folder": "configs/worst",
        "images": "configs/photos",
        "title": "worst",
    }


def test_resolving_does_not_modify_request(tmp_path: Path) -> None:
    before = deepcopy(VALUES)

    record(tmp_path, output=(tmp_path / "reports" / "a.json",))

    assert before == VALUES
