from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from PIL import Image
from valor_cli.config.config_file import Request
from valor_cli.run import run_config
from valor_files.filters import Filter
from valor_report import MarkedPiece, MarkedTexts, Picture
from valor_report.gallery.worst_items import PlannedGallery, plan
from valor_report.pages.page import html

from valor_core import Registry, Text, TextBatch, ValorError, evaluate
from valor_core.errors import ConfigError, ReportError
from valor_core.evaluation import Evaluation, Plan
from valor_core.readers import InMemory
from valor_core.results import Report
from valor_core.schemas import Batch

PLUGINS = Path(__file__).parents[4] / "tests" / "plugins"
RESPONSES = ["abcd", "ab", "abcdef", "abc", "abcd"]
EVALUATION = Evaluation("text", Plan.of([], Registry()))


class Lengths:
    """Gallery in which each letter after the second is an error."""

    legend: Mapping[str, str] = {"too long": "red"}

    def __init__(self) -> None:
        self.drawn: list[str] = []

    def errors(self, batch: Any) -> Sequence[float]:
        return [max(len(response) - 2, 0) for response in batch.responses]

    def draw(self, batch: Any) -> Picture:
        assert len(batch) == 1
        self.drawn.append(batch.datums.uids[0].item())
        return Picture(b"picture", b"\x89PNG", {"letters": len(batch.responses[0])})


class Words(Lengths):
    """Gallery of texts instead of pictures."""

    def draw(self, batch: Any) -> Any:
        return MarkedTexts(
            {"response": [MarkedPiece(batch.responses[0], "too long")]}, {"letters": 1}
        )


@frozen
class Counting:
    """Reader that records the number of each partition that it reads."""

    reader: InMemory
    reads: list[int]

    def partitions(self) -> Any:
        return self.reader.partitions()

    def read(self, partition: Any) -> Any:
        self.reads.append(partition.number)
        yield from self.reader.read(partition)


def batches(*uids: str | int) -> list[Batch]:
    """Create batches of one item, each read as a partition."""
    pairs = zip(uids, RESPONSES, strict=True)
    return [TextBatch.of([Text(uid, response=text)]) for uid, text in pairs]


def shown(folder: Path) -> list[str]:
    page = (folder / "index.html").read_text(encoding="utf-8")
    return re.findall(r"<b>(.*?)</b>", page)


def test_items_are_sorted_by_errors_and_uid(tmp_path: Path) -> None:
    gallery = Lengths()

    warnings = PlannedGallery(gallery, tmp_path).draw(
        EVALUATION, InMemory.of(batches("10", "a", "b", "c", "9"), TextBatch.of)
    )

    assert warnings == ()
    assert shown(tmp_path) == ["b", "9", "10", "c"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "001-b.png",
        "002-9.png",
        "003-10.png",
        "004-c.png",
        "index.html",
    ]


def test_gallery_does_not_overwrite_other_files(tmp_path: Path) -> None:
    (tmp_path / "001-b.png").write_text("mine")
    (tmp_path / "002-9-2.png").write_text("mine as well")

    for _ in range(2):
        data = InMemory.of(batches("10", "a", "b", "c", "9"), TextBatch.of)
        PlannedGallery(Lengths(), tmp_path).draw(EVALUATION, data)

        assert (tmp_path / "001-b.png").read_text() == "mine"
        assert (tmp_path / "002-9-2.png").read_text() == "mine as well"
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "001-b-2.png",
            "001-b.png",
            "002-9-2.png",
            "002-9.png",
            "003-10.png",
            "004-c.png",
            "index.html",
        ]


def test_write_error_keeps_previous_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = PlannedGallery(Lengths(), tmp_path)
    reader = InMemory.of([Text("a", response="abc")], TextBatch.of)
    planned.draw(EVALUATION, reader)
    before = planned.page.read_bytes()
    monkeypatch.setattr("valor_report.gallery.gallery_page.html", lambda *arguments: "half \ud800")

    with pytest.raises(ReportError, match="expected Unicode text, found the lone"):
        planned.draw(EVALUATION, reader)

    assert planned.page.read_bytes() == before


def test_only_partitions_with_worst_items_are_read_again(
    tmp_path: Path,
) -> None:
    gallery, reads = Lengths(), []
    reader = Counting(InMemory.of(batches("a", "b", "c", "d", "e"), TextBatch.of), reads)

    PlannedGallery(gallery, tmp_path, most=2).draw(EVALUATION, reader)

    assert shown(tmp_path) == ["c", "a"]
    assert gallery.drawn == ["a", "c"]
    assert reads == [0, 1, 2, 3, 4, 0, 2]


def test_result_does_not_depend_on_batches(tmp_path: Path) -> None:
    uids = ["a", "b", "c", "d", "e"]
    whole = TextBatch.of(
        Text(uid, response=text) for uid, text in zip(uids, RESPONSES, strict=True)
    )

    for name, data in {"parts": batches(*uids), "whole": whole}.items():
        PlannedGallery(Lengths(), tmp_path / name, most=3).draw(
            EVALUATION, InMemory.of(data, TextBatch.of)
        )

    pages = [(tmp_path / name / "index.html").read_bytes() for name in ("parts", "whole")]
    assert pages[0] == pages[1]


def test_filtered_items_are_not_drawn(tmp_path: Path) -> None:
    evaluation = Evaluation("text", Plan.of([], Registry()), filter=Filter.parse("uid != 'c'"))

    PlannedGallery(Lengths(), tmp_path, most=1).draw(
        evaluation, InMemory.of(batches("a", "b", "c", "d", "e"), TextBatch.of)
    )

    assert shown(tmp_path) == ["a"]


def test_page_without_errors_says_so(tmp_path: Path) -> None:
    PlannedGallery(Lengths(), tmp_path).draw(
        EVALUATION, InMemory.of([Text("a", response="ab")], TextBatch.of)
    )

    assert "No item has an error" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_previous_pictures_are_removed_and_other_files_kept(tmp_path: Path) -> None:
    (tmp_path / "001-mine.png").write_text("mine")
    first, second = (
        InMemory.of([Text(uid, response="abc")], TextBatch.of) for uid in ("before", "after")
    )

    PlannedGallery(Lengths(), tmp_path).draw(EVALUATION, first)
    PlannedGallery(Lengths(), tmp_path).draw(EVALUATION, second)

    assert sorted(path.name for path in tmp_path.glob("*.png")) == [
        "001-after.png",
        "001-mine.png",
    ]


def test_gallery_with_wrong_number_of_errors_is_rejected(tmp_path: Path) -> None:
    class Lazy(Lengths):
        def errors(self, batch: Any) -> Sequence[float]:
            return [1, 2, 3]

    warnings = PlannedGallery(Lazy(), tmp_path).draw(
        EVALUATION, InMemory.of([Text("a", response="ab")], TextBatch.of)
    )

    assert warnings == (
        "gallery: not drawn, Lazy: expected a number for each of 1 items, got shape (3,)",
    )


def test_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ReportError, match="cannot be written, Not a directory"):
        PlannedGallery(Lengths(), tmp_path / "file" / "pictures").draw(
            EVALUATION, InMemory.of([Text("a", response="abc")], TextBatch.of)
        )


@pytest.fixture
def folder(install: Callable[..., Path], tmp_path: Path) -> Path:
    install("valor-lab", "lab", PLUGINS / "lab")
    install("valor-artlab", "artlab", PLUGINS / "artlab")
    (tmp_path / "paint.txt").write_text("red")
    (tmp_path / "parts.json").write_text(
        json.dumps([[{"uid": "q/1", "response": "Paris"}], [{"uid": "q2", "response": "no"}]])
    )
    return tmp_path


def config(folder: Path, gallery: Mapping[str, Any], **more: Any) -> Request:
    values = {
        "task": "text",
        "data": {"reader": "lab.Parts", "path": "parts.json"},
        "metrics": ["lab.LongShare"],
        "gallery": gallery,
    }
    return Request(values | more, folder, "config.yaml: ")


def test_gallery_folder_is_relative_to_config(folder: Path) -> None:
    report = run_config(
        config(folder, {"name": "artlab.wall", "folder": "worst", "paint": "paint.txt"})
    )

    assert (folder / "worst" / "001-q_1.png").read_text() == "q/1 Paris red"
    assert shown(folder / "worst") == ["q/1"]
    assert report.config["gallery"]["name"] == "artlab.wall"


def test_report_page_links_to_gallery_and_rerun_redraws_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "out").mkdir()
    wall = {"name": "artlab.Wall", "folder": "the worst", "paint": "paint.txt"}
    run_config(config(folder, wall, output=["out/report.html", "out/report.json"]))

    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert '<a href="../the%20worst/index.html">Gallery of the worst items</a>' in page
    (folder / "the worst" / "001-q_1.png").unlink()
    run_config(Request.from_report(folder / "out" / "report.json"))
    assert (folder / "the worst" / "001-q_1.png").read_text() == "q/1 Paris red"


def test_unwritable_gallery_folder_is_rejected_before_counting(folder: Path) -> None:
    (folder / "file").write_text("")
    counted: list[int] = []

    wall = {"name": "artlab.Wall", "folder": folder / "file" / "w", "paint": folder / "paint.txt"}

    with pytest.raises(
        ConfigError, match=r"gallery\.folder: .* cannot be written, Not a directory"
    ):
        evaluate(
            [Text("q/1", response="Paris")],
            ["lab.LongShare"],
            gallery=wall,
            progress=lambda *numbers: counted.append(1),
        )

    assert counted == []


def test_gallery_that_cannot_be_written_keeps_the_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("valor_report.gallery.worst_items._written_to_new_file", full)
    wall = {"name": "artlab.Wall", "folder": folder / "w", "paint": folder / "paint.txt"}

    report = evaluate([Text("q/1", response="Paris")], ["lab.LongShare"], gallery=wall)

    assert report["LongShare"].value == 1.0
    assert report.warnings == (f"{folder / 'w'}: cannot be written, No space left on device",)


def test_evaluate_draws_gallery(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    wall = {"name": "artlab.Wall", "folder": Path("worst"), "paint": "paint.txt"}
    items = [Text("q/1", response="Paris"), Text("q2", response="no")]

    report = evaluate(items, ["lab.LongShare"], gallery=wall)

    assert (folder / "worst" / "001-q_1.png").read_text() == "q/1 Paris red"
    assert report.config["gallery"] == wall | {"folder": "worst"}
    assert '<a href="worst/index.html">' in html(report)


@pytest.mark.parametrize(
    ("gallery", "more", "message"),
    [
        ({"name": "artlab.Wall"}, {}, "expected a path, found none"),
        (
            {"name": "artlab.Wall", "folder": "w", "most": 0},
            {},
            "gallery.most must be at least 1, got 0",
        ),
        (
            {"name": "artlab.Wall", "folder": "w", "paynt": "p"},
            {},
            "config.yaml: gallery.paynt: unknown key",
        ),
        (
            {"name": "artlab.Wal", "folder": "w"},
            {},
            "not declared by the plugin 'artlab'",
        ),
        (
            {"name": "artlab.Sound", "folder": "w"},
            {},
            "expected a gallery for text",
        ),
        (
            {"name": "artlab.Wall", "folder": "parts.json"},
            {},
            "gallery.folder: expected a folder",
        ),
        (
            {"name": "artlab.Wall", "folder": "new", "foldr": "other"},
            {},
            "gallery.foldr: unknown key\nDid you mean 'folder'?",
        ),
        (
            {"name": "artlab.Wall", "folder": "taken"},
            {},
            "has an index.html that is not a gallery",
        ),
    ],
)
def test_invalid_gallery_is_rejected_before_run(
    folder: Path, gallery: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    (folder / "taken").mkdir()
    (folder / "taken" / "index.html").write_text("<p>mine</p>")
    (folder / "log").mkdir()
    data = {"reader": "lab.Parts", "path": "parts.json", "log": "log"}

    with pytest.raises(ValorError, match=re.escape(message)):
        run_config(config(folder, gallery, data=data, **more))

    assert list((folder / "log").iterdir()) == []


def test_task_without_gallery_is_rejected() -> None:
    with pytest.raises(ValorError, match="gallery: no installed plugin draws"):
        plan({"folder": "w"}, "retrieval", Registry(), place="config.yaml: ")


def test_page_of_run_with_items_contains_pictures_of_gallery(folder: Path) -> None:
    rows = [f"b{at}.png,{true},{found}\n" for at, (true, found) in enumerate(["xx", "xy", "yy"])]
    (folder / "b.csv").write_text("uid,label,prediction\n" + "".join(rows))
    (folder / "photos").mkdir()
    for at in range(3):
        Image.new("RGB", (9, 6), "red").save(folder / "photos" / f"b{at}.png")
    values = {
        "task": "classification",
        "data": {"reader": "predicted", "path": "b.csv"},
        "metrics": ["Accuracy"],
        "items": True,
        "gallery": {"folder": "w", "images": "photos"},
        "output": ["report.json", "report.html"],
    }

    run_config(Request(values, folder, "config.yaml"))

    page = (folder / "report.html").read_text("utf-8")
    (panel,) = re.findall(r"<template.*?</template>", page, re.DOTALL)
    assert '<img alt="b1.png" src="data:image/jpeg;base64,' in panel
    assert "predicted y (1.0000), true x" in panel
    assert "<template" not in html(Report.load(folder / "report.json"))


def test_page_of_report_in_memory_contains_texts_of_its_gallery(tmp_path: Path) -> None:
    table = {"y_true": ["x", "y"], "y_pred": ["x", "x"], "text": ["one", "two"], "uid": ["a", "b"]}

    report = evaluate(table, ["Accuracy"], items=True, gallery=tmp_path / "w")
    other = evaluate(table, ["Accuracy"], items=True)

    (panel,) = re.findall(r"<template.*?</template>", report.to_html(), re.DOTALL)
    assert "<h3>text</h3><p>two" in panel
    assert "<template" not in other.to_html()
    assert "<template" not in Report.from_dict(report.to_dict()).to_html()


def test_item_that_cannot_be_drawn_is_a_warning_of_the_report(folder: Path) -> None:
    gallery = {"name": "artlab.Wall", "folder": "w", "refused": "Paris"}

    report = run_config(config(folder, gallery, output=["report.json", "report.html"]))

    reason = "'Paris' cannot be drawn"
    assert report.warnings == (f"gallery: 1 of 1 items not drawn, the first is 'q/1': {reason}",)
    assert Report.load(folder / "report.json").warnings == report.warnings
    assert f"not drawn, {escape(reason, quote=False)}" in unescape(
        (folder / "w" / "index.html").read_text("utf-8")
    )
    assert 'href="w/index.html"' in (folder / "report.html").read_text("utf-8")


def test_other_items_are_drawn_if_one_fails(tmp_path: Path) -> None:
    class Torn(Lengths):
        def draw(self, batch: Any) -> Picture:
            if batch.datums.uids[0] == "b":
                raise KeyError("paper")
            return super().draw(batch)

    warnings = PlannedGallery(Torn(), tmp_path).draw(
        EVALUATION, InMemory.of(batches("10", "a", "b", "c", "9"), TextBatch.of)
    )

    assert warnings == (
        "gallery: 1 of 4 items not drawn, the first is 'b': KeyError: 'paper'; this is a bug in "
        "test_worst_items.py, show the traceback with: VALOR_TRACEBACK=1 valor …",
    )
    assert shown(tmp_path) == ["b", "9", "10", "c"]
    assert len(list(tmp_path.glob("*.png"))) == 3


def test_traceback_of_gallery_is_shown_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Torn(Lengths):
        def draw(self, batch: Any) -> Picture:
            raise KeyError("paper")

    monkeypatch.setenv("VALOR_TRACEBACK", "1")

    with pytest.raises(KeyError, match="paper"):
        PlannedGallery(Torn(), tmp_path).draw(
            EVALUATION, InMemory.of([Text("a", response="abc")], TextBatch.of)
        )


@pytest.mark.parametrize("module", ["paint_that_nobody_sells", "artlab.walls"])
def test_gallery_without_its_package_keeps_the_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.chdir(folder)
    (wall,) = folder.glob("**/artlab/wall.py")
    wall.write_text(f"{wall.read_text()}\nimport {module}\n")
    gallery = {"name": "artlab.Wall", "folder": "w"}

    report = run_config(config(folder, gallery, output=["report.json", "report.html"]))
    called = evaluate([Text("q/1", response="Paris")], ["lab.LongShare"], gallery=gallery)

    (warning,) = report.warnings
    assert warning.startswith("gallery: not drawn, artlab.Wall: its code ")
    assert module in warning
    assert called.warnings == report.warnings
    assert report["LongShare"].value == 0.5
    assert Report.load(folder / "report.json").warnings == report.warnings
    assert "Gallery of the worst" not in (folder / "report.html").read_text("utf-8")
    assert not (folder / "w").exists()


def test_texts_are_on_page_without_files(tmp_path: Path) -> None:
    data = InMemory.of(batches("10", "a", "b", "c", "9"), TextBatch.of)
    PlannedGallery(Lengths(), tmp_path).draw(EVALUATION, data)

    planned = PlannedGallery(Words(), tmp_path, most=2)
    planned.draw(EVALUATION, data)

    assert shown(tmp_path) == ["b", "9"]
    assert 'style="background: red">abcdef</mark>' in planned.page.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
