"""Viewer of reports: its pages over a socket, and the command."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from valor_cli.commands.view import pages_of
from valor_cli.config.config_file import Request
from valor_cli.run import run_config
from valor_report.viewer.source import ReportSource
from valor_report.viewer.thresholds import Thresholds
from viewers import Reply

from valor_core import evaluate
from valor_core.results import ItemRow, ItemRows, Report, Result
from valor_core.results.report import ItemTable

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/config.yaml"))
JUDGED = {"llm"}
THRESHOLDS = {
    "detection": ["background_threshold", "iou_threshold", "score_threshold"],
    "digits": ["score_threshold"],
    "dota": ["iou_threshold", "score_threshold"],
}
HOSTILE = "<script>alert(1)</script>\"'&/../é"

Get = Callable[..., Reply]
Serve = Callable[[Any], Get]


def report_of(config: Path, output: Path, *settings: str) -> Path:
    """Run a config and return its report in a folder elsewhere."""
    run_config(Request.from_file(config, [f"output={json.dumps([str(output)])}", *settings]))
    return output


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture
def example(request: pytest.FixtureRequest, reports: Path) -> Path:
    """Report of an example without rows of items, in another folder than its data."""
    path = reports / f"{request.param}.json"
    if not path.exists():
        config = ROOT / "examples" / request.param / "config.yaml"
        drawn = "gallery:" in config.read_text(encoding="utf-8")
        folder = [f"gallery.folder={json.dumps(str(reports / request.param))}"] * drawn
        report_of(config, path, *folder)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Report of a classifier with hostile labels and uids."""
    rows = [
        ("image/1", "cat", 0.9, 0.1, "day"),
        (HOSTILE, HOSTILE, 0.8, 0.2, "night"),
        ("image 3", HOSTILE, 0.3, 0.7, "day"),
        ("image/4", "cat", 0.6, 0.4, "night"),
    ]
    lines = [f'uid,label,score_cat,"score_{csv(HOSTILE)}",light']
    lines += [f'"{csv(uid)}","{csv(true)}",{a},{b},{light}' for uid, true, a, b, light in rows]
    (tmp_path / "predictions.csv").write_text("\n".join(lines), encoding="utf-8")
    config = tmp_path / "config.yaml"
    config.write_text(
        "task: classification\ndata: {reader: wide, path: predictions.csv}\n"
        "metrics: [Accuracy, {name: F1, hardmax: false, score_thresholds: [0.5]}, "
        "ConfusionMatrix]\nslices: [light]\nitems: true\noutput: report.json\n"
    )
    return report_of(config, tmp_path / "report.json")


def csv(text: str) -> str:
    return text.replace('"', '""')


class TestExamples:
    @pytest.mark.parametrize("example", EXAMPLES, indirect=True)
    def test_report_shows_its_first_page_and_leads_to_items(
        self, example: Path, serve: Serve
    ) -> None:
        page = serve(pages_of(example))("/")

        assert page.status == 200
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert f"{Report.load(example).counts['read']:,} items" in page.words
        assert {"items", "thresholds"} <= {*page.links("items"), *page.links("thresholds")}

    @pytest.mark.parametrize("example", EXAMPLES, indirect=True)
    def test_every_item_is_listed_and_drawn_from_the_data(
        self, example: Path, serve: Serve
    ) -> None:
        get = serve(pages_of(example))
        listed: list[str] = []
        page = get("/items")
        while True:
            listed += page.links("item?")
            after = [one for one in page.links("items?") if "page=" in one]
            following = re.search(r'rel="next" href="([^"]*)"', page.text)
            if following is None or not after:
                break
            page = get(f"/{following[1].replace('&amp;', '&')}")
        first, last = get(f"/{listed[0]}"), get(f"/{listed[-1]}")

        assert len(listed) == len(set(listed)) == Report.load(example).counts["read"]
        for shown in (first, last):
            assert shown.status == 200
            assert 'src="data:image/png;base64,' in shown.text or 'class="texts"' in shown.text
            assert "not drawn" not in shown.words

    @pytest.mark.parametrize("example", EXAMPLES, indirect=True)
    def test_thresholds_of_metrics_have_fields(self, example: Path, serve: Serve) -> None:
        get = serve(pages_of(example))
        page = get("/thresholds")

        names = re.findall(r'<input inputmode="decimal" name="(\w+)"', page.text)
        assert sorted(names) == THRESHOLDS.get(example.stem, [])
        assert ("Not computed again" in page.words) == (example.stem in JUDGED)
        for name in names:
            assert get(f"/thresholds?{name}=0.45").status == 200

    @pytest.mark.parametrize("example", ["detection"], indirect=True)
    def test_score_threshold_changes_numbers_and_marks_the_curve(
        self, example: Path, serve: Serve, tmp_path: Path
    ) -> None:
        page = serve(pages_of(example))("/thresholds?score_threshold=0.3")

        expected = Report.load(
            report_of(
                ROOT / "examples/detection/config.yaml",
                tmp_path / "report.json",
                "metrics[4].score_thresholds=0.3",
                "gallery=null",
            )
        )
        before = Report.load(example)
        pair = [one["F1", "macro"].value for one in (expected, before)]
        assert f"F1, macro average {pair[0]:.4f} {pair[0] - pair[1]:+.4f} {pair[1]:.4f}" in (
            page.words
        )
        assert page.text.count("<circle") == 3
        assert "AP, circle" not in page.words

    @pytest.mark.parametrize("example", ["detection"], indirect=True)
    def test_numbers_and_curves_of_the_report_are_shown_before_a_value_is_set(
        self, example: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*arguments: Any) -> None:
            raise AssertionError("nothing is evaluated")

        monkeypatch.setattr(ReportSource, "evaluated", fail)
        page = serve(pages_of(example))("/thresholds")

        value = Report.load(example)["F1", "macro"].value
        assert f"F1, macro average {value:.4f} 0 {value:.4f}" in page.words
        assert "PrecisionRecallCurve" in re.findall(r"<h2>(.*?)</h2>", page.text)
        assert 'class="plot"' in page.text
        assert "in gray in the report" not in page.words

    @pytest.mark.parametrize("example", ["detection"], indirect=True)
    def test_iou_threshold_lists_all_thresholds_of_the_report(
        self, example: Path, serve: Serve
    ) -> None:
        words = serve(pages_of(example))("/thresholds?iou_threshold=0.75").words

        values = [
            one.value
            for one in Report.load(example)
            if one.type == "AP" and one.parameters["label"] == "circle"
        ]
        assert f"AP, circle {values[1]:.4f} {values[0]:.4f} at 0.5; {values[1]:.4f} at 0.75" in (
            words
        )

    @pytest.mark.parametrize(
        ("threshold", "point"), [(0.5, (1 / 3, 2 / 3)), (0.7, (0.0, 1 / 3)), (0.95, (0.0, 0.0))]
    )
    def test_score_threshold_marks_roc_curve(
        self, tmp_path: Path, threshold: float, point: tuple[float, float]
    ) -> None:
        scores = {"yes": (0.9, 0.6, 0.4), "no": (0.6, 0.3, 0.1)}
        rows = [(label, score) for label, held in scores.items() for score in held]
        lines = [f"{label},{score},{1 - score:.1f}" for label, score in rows]
        text = "\n".join(["label,score_yes,score_no", *lines])
        (tmp_path / "predictions.csv").write_text(text, encoding="utf-8")
        config = tmp_path / "config.yaml"
        config.write_text(
            "task: classification\ndata: {reader: wide, path: predictions.csv}\n"
            "metrics: [F1, ROCCurve]\n"
        )
        source = pages_of(report_of(config, tmp_path / "report.json")).source

        (drawing,) = Thresholds(source).at({"score_threshold": threshold}).drawings

        assert drawing[0] == "ROCCurve"
        marked = {line.name: line.points for line in drawing[1].charts[0].lines if line.name}
        (found,) = marked["yes"]
        assert found == pytest.approx(point)

    @pytest.mark.parametrize("example", ["detection"], indirect=True)
    def test_picture_is_drawn_at_another_threshold(self, example: Path, serve: Serve) -> None:
        get = serve(pages_of(example))

        drawn = [get(f"/item?uid=1{more}").words for more in ("", "&score_threshold=0.99")]

        assert "found 2 false 1 missed 3" in drawn[0]
        assert "missed 5" in drawn[1]

    @pytest.mark.parametrize("example", ["llm"], indirect=True)
    def test_judge_is_never_asked(
        self, example: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from valor_llm.judge.panel import Panel

        def fail(*arguments: Any, **others: Any) -> None:
            raise AssertionError("the judge was opened")

        monkeypatch.setattr(Panel, "__init__", fail)
        get = serve(pages_of(example))

        pages = [get(one) for one in ("/", "/items", "/item?uid=q01", "/thresholds")]
        assert [one.status for one in pages] == [200] * 4
        value = Report.load(example)["Faithfulness"].value
        assert f"Faithfulness {value:.4f}" in pages[3].words

    def test_verdicts_of_the_report_are_shown(self, serve: Serve, tmp_path: Path) -> None:
        settings = ["items=true", f"gallery.folder={json.dumps(str(tmp_path / 'gallery'))}"]
        config = ROOT / "examples/llm/config.yaml"
        path = report_of(config, tmp_path / "report.json", *settings)

        words = serve(pages_of(path))("/item?uid=q03").words

        assert "llm.Faithfulness" in words
        assert "llm.ContextRecall" in words
        assert "No sentence has 60% of its words" in words


class TestItems:
    def test_cells_of_the_first_page_lead_to_filtered_items(
        self, table: Path, serve: Serve
    ) -> None:
        get = serve(pages_of(table))

        start = f"items?truth={quote(HOSTILE, safe='')}&prediction=cat"
        (wrong,) = {*get("/").links(start)}
        page = get(f"/{wrong}")
        assert "1 of 4 items" in page.words
        assert page.links("item?") == [
            f"item?{wrong.partition('?')[2].replace('%20', '+')}&uid={quote(HOSTILE, safe='')}"
        ]

    def test_hostile_labels_and_uids_are_texts(self, table: Path, serve: Serve) -> None:
        get = serve(pages_of(table))
        item = get(f"/item?uid={quote(HOSTILE, safe='')}")
        pages = [get("/"), get("/items"), item, get(f"/items?truth={quote(HOSTILE)}&q=%3Cscript")]

        assert [one.status for one in pages] == [200] * 4
        for page in pages:
            assert "<script>alert" not in page.text
            assert HOSTILE in page.words
        assert "1 of 4" in item.words

    def test_next_item_keeps_filters_and_order(self, table: Path, serve: Serve) -> None:
        get = serve(pages_of(table))

        page = get("/item?light=day&sort=-Accuracy&uid=image%203")

        (following,) = re.findall(r'rel="next" href="([^"]*)"', page.text)
        assert following.replace("&amp;", "&") == "item?light=day&sort=-Accuracy&uid=image%2F1"
        assert "2 of 2" in get(f"/{following.replace('&amp;', '&')}").words

    def test_unknown_item_and_filter_are_named(self, table: Path, serve: Serve) -> None:
        get = serve(pages_of(table))

        unknown, misspelt = get("/item?uid=%3Cb%3E"), get("/items?ligth=day")

        assert (unknown.status, misspelt.status) == (404, 400)
        assert "items: no item '<b>' Open the list of items: /items" in unknown.words
        assert "items: no column 'ligth' Did you mean 'light'?" in misspelt.words

    def test_200_000_items_are_filtered_without_an_object_for_each(
        self, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        count = 200_000
        rows = "".join(
            f"i{at},{'cat' if at % 3 else 'dog'},{(at % 97) / 97:.4f},{1 - (at % 97) / 97:.4f}\n"
            for at in range(count)
        )
        (tmp_path / "predictions.csv").write_text(f"uid,label,score_cat,score_dog\n{rows}")
        config = tmp_path / "config.yaml"
        config.write_text(
            "task: classification\ndata: {reader: wide, path: predictions.csv}\n"
            "metrics: [Accuracy, LogLoss]\noutput: report.json\n"
        )
        get = serve(pages_of(report_of(config, tmp_path / "report.json")))
        assert "200,000 items" in get("/items").words

        def fail(*arguments: Any) -> None:
            raise AssertionError("a row became an object")

        for name in ("__getitem__", "__iter__", "select"):
            monkeypatch.setattr(ItemRows, name, fail)
        first = get("/items?Accuracy=0&sort=-LogLoss&page=2000")
        item = get("/item?sort=-LogLoss&uid=i199999")
        searched = get("/items?q=i19999")

        assert (first.status, item.status) == (200, 200)
        assert len(first.links("item?")) == 50
        assert "11 of 200,000 items" in searched.words
        assert len(first.text) < 200_000


class TestReportOfPython:
    def test_rows_and_their_details_are_shown_without_data(
        self, serve: Serve, tmp_path: Path
    ) -> None:
        table = {"y_true": ["a", "b"], "y_pred": ["a", "a"], "uid": ["x/1", "x/2"]}
        evaluate(table, ["Accuracy", "F1"], items=True).save(tmp_path / "report.json")
        get = serve(pages_of(tmp_path / "report.json"))

        item = get("/item?uid=x%2F2")
        pages = [get("/"), get("/items?wrong=*"), item, get("/thresholds")]
        assert [one.status for one in pages] == [200] * 4
        assert pages[0].links("items?label=b")
        assert pages[1].links("item?") == ["item?wrong=%2A&uid=x%2F2"]
        assert "predicted a, true b" in item.words
        assert "F1 fp 1" in item.words
        assert "The report has no data section" in pages[3].words

    def test_report_without_rows_and_data_says_how_to_write_one(
        self, serve: Serve, tmp_path: Path
    ) -> None:
        evaluate(["a", "b"], ["a", "a"], ["Accuracy"]).save(tmp_path / "report.json")
        get = serve(pages_of(tmp_path / "report.json"))

        assert get("/").status == 200
        reply = get("/items")
        assert reply.status == 400
        assert (
            "has no data section to read items from "
            "Write a report of data files, with: valor run CONFIG -o report.json"
        ) in reply.words

    def test_verdicts_are_shown_without_data(self, serve: Serve, tmp_path: Path) -> None:
        verdict = {"text": HOSTILE, "verdict": "no"}
        rows = [ItemRow("q", 0.5, {"verdicts": [verdict], "note": HOSTILE})]
        report = Report(
            results=[Result(type="Faithfulness", value=0.5)],
            items=(ItemTable("llm.Faithfulness@2", {}, rows),),
        )
        report.save(tmp_path / "report.json")

        page = serve(pages_of(tmp_path / "report.json"))("/item?uid=q")

        assert page.words.count(HOSTILE) >= 2
        assert "<script>alert" not in page.text


class TestServer:
    @pytest.mark.parametrize(
        ("host", "status"),
        [
            ("127.0.0.1", 200),
            ("localhost:9999", 200),
            ("LOCALHOST", 200),
            ("[::1]:80", 200),
            ("[::1]", 200),
            ("127.0.0.1:", 200),
            ("evil.example", 403),
            ("127.0.0.1.evil.example:80", 403),
            ("localhost@evil.example", 403),
            ("0.0.0.0", 403),
            ("", 403),
        ],
    )
    def test_only_names_of_this_machine_are_answered(
        self, table: Path, serve: Serve, host: str, status: int
    ) -> None:
        reply = serve(pages_of(table))("/", Host=host)

        assert reply.status == status
        assert ("Evaluation report" in reply.text) == (status == 200)

    def test_requests_of_other_sites_are_rejected(self, table: Path, serve: Serve) -> None:
        get = serve(pages_of(table))
        foreign = {"Sec_Fetch_Site": "cross-site"}

        assert get("/items", Sec_Fetch_Mode="no-cors", **foreign).status == 403
        assert get("/items", Sec_Fetch_Mode="navigate", **foreign).status == 200
        assert get("/items", Sec_Fetch_Mode="cors", Sec_Fetch_Site="same-origin").status == 200

    @pytest.mark.parametrize(
        "path",
        [
            "/report.json",
            "/predictions.csv",
            "/../predictions.csv",
            "/..%2fpredictions.csv",
            "/items/../../etc/passwd",
            "//etc/passwd",
            "/%00",
            "/item/../config.yaml",
        ],
    )
    def test_no_path_opens_a_file(self, table: Path, serve: Serve, path: str) -> None:
        reply = serve(pages_of(table))(path)

        assert reply.status == 404
        assert "score_cat" not in reply.text
        assert "no such page Open the first page: /" in reply.words

    @pytest.mark.parametrize("page", ["items", "item", "thresholds"])
    def test_address_with_too_many_values_is_answered(
        self, table: Path, serve: Serve, page: str
    ) -> None:
        get = serve(pages_of(table))

        reply = get(f"/{page}?{'&'.join(['a=b'] * 101)}")

        assert reply.status == 400
        assert "expected at most" in reply.text

    def test_malformed_address_is_answered(self, table: Path, serve: Serve) -> None:
        get = serve(pages_of(table))

        assert get("http://[", Host="localhost").status == 400
        assert get("/").status == 200

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
    def test_other_methods_are_rejected(self, table: Path, serve: Serve, method: str) -> None:
        reply = serve(pages_of(table))("/", method)

        assert (reply.status, reply.headers["Allow"]) == (405, "GET")

    @pytest.mark.parametrize("path", ["/", "/items", "/item?uid=image/1", "/thresholds", "/none"])
    def test_pages_forbid_network_foreign_scripts_and_frames(
        self, table: Path, serve: Serve, path: str
    ) -> None:
        reply = serve(pages_of(table))(path)

        policy = dict(
            one.strip().split(" ", 1) for one in reply.headers["Content-Security-Policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert re.fullmatch(r"'sha256-[\w+/=]+'", policy["script-src"])
        assert policy.get("connect-src", "'self'") == "'self'"
        assert (policy["frame-ancestors"], policy["form-action"]) == ("'none'", "'self'")
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert not re.search(
            r"\son\w+=", re.sub(r"<script>.*?</script>", "", reply.text, flags=re.S)
        )
        assert not re.search(r'(src|href)="(https?:)?//', reply.text)

    def test_bug_of_a_gallery_is_named_on_the_page(
        self, table: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pages = pages_of(table)
        monkeypatch.setattr(type(pages), "_items", lambda *_: 1 / 0)

        reply = serve(pages)("/items")

        assert reply.status == 500
        assert reply.text.startswith("ZeroDivisionError: division by zero; this is a bug in ")
        assert "Traceback" not in reply.text


class TestChangedData:
    def test_file_that_changes_meanwhile_is_named(self, table: Path, serve: Serve) -> None:
        get = serve(pages_of(table))
        assert get("/thresholds?score_threshold=0.2").status == 200

        data = table.parent / "predictions.csv"
        data.write_text(f"{data.read_text(encoding='utf-8')}\nmore,cat,1,0,day\n", "utf-8")
        reply = get("/thresholds?score_threshold=0.3")

        assert reply.status == 409
        assert "expected the data as they were when the viewer started, found a changed" in (
            reply.words
        )
        assert f"Start it again with: valor view {table}" in reply.words
        assert get("/items").status == 200
        assert get("/thresholds?score_threshold=0.2").status == 200

    def test_other_data_than_those_of_the_report_are_named(self, table: Path, serve: Serve) -> None:
        data = table.parent / "predictions.csv"
        lines = data.read_text(encoding="utf-8").splitlines()
        data.write_text("\n".join(lines[:-1]), "utf-8")

        item = serve(pages_of(table))("/item?uid=image%2F1")

        assert "data: expected 4 items, found 3" in item.words
        assert f"Write the report of these data with: valor rerun {table} -o {table}" in item.words
        assert "Accuracy" in item.words

    def test_newer_data_are_a_warning(self, table: Path, serve: Serve) -> None:
        data = table.parent / "predictions.csv"
        after = table.stat().st_mtime_ns + 10**9
        os.utime(data, ns=(after, after))

        assert (
            "predictions.csv is newer than report.json, whose numbers may be of earlier data"
            in serve(pages_of(table))("/").words
        )


@pytest.fixture
def moved(table: Path, tmp_path: Path) -> Path:
    """Report whose data are in another folder."""
    (tmp_path / "there").mkdir()
    shutil.move(tmp_path / "predictions.csv", tmp_path / "there")
    return table


class TestCommand:
    def test_missing_report_is_named(self, valor: Callable[..., Any], tmp_path: Path) -> None:
        result = valor("view", str(tmp_path / "report.json"))

        assert result.exit_code == 2
        assert result.stderr == (
            f"valor: {tmp_path / 'report.json'}: no such file\n"
            "Specify a report written with: valor run CONFIG -o report.json\n"
        )

    def test_other_file_is_named(self, valor: Callable[..., Any], table: Path) -> None:
        result = valor("view", str(table.parent / "predictions.csv"))

        assert result.exit_code == 2
        assert "expected a report as JSON, found something else\n" in result.stderr

    def test_moved_data_are_named_with_the_setting(
        self, valor: Callable[..., Any], moved: Path, serve: Serve
    ) -> None:
        record = json.loads(moved.read_text(encoding="utf-8"))
        moved.write_text(json.dumps(record | {"items": []}), encoding="utf-8")
        result = valor("view", str(moved))

        data = moved.parent / "predictions.csv"
        assert result.exit_code == 2
        assert result.stderr == (
            f"valor: {moved}: config.data.path: no such file or folder: {data}\n"
            f"Name it with: valor view {moved} --set data.path=PATH\n"
        )
        get = serve(pages_of(moved, ["data.path=there/predictions.csv"]))
        assert get("/item?uid=image%2F1").status == 200

    def test_items_are_listed_if_their_data_are_missing(self, moved: Path, serve: Serve) -> None:
        pages = pages_of(moved)
        get = serve(pages)

        item, thresholds = get("/item?uid=image%2F1"), get("/thresholds")
        assert "pictures and thresholds are not available" in get("/").words
        assert "image/1" in get("/items").words
        assert (item.status, thresholds.status) == (200, 200)
        assert "no such file or folder" in thresholds.words
        assert pages.source.missing is not None
        assert str(pages.source.missing).endswith(
            f"Name it with: valor view {moved} --set data.path=PATH"
        )

    def test_missing_plugin_is_named(self, valor: Callable[..., Any], table: Path) -> None:
        record = json.loads(table.read_text(encoding="utf-8"))
        record["config"]["metrics"] = ["shoutlab.Loudness"]
        table.write_text(json.dumps(record), encoding="utf-8")

        result = valor("view", str(table))

        assert result.exit_code == 2
        assert "shoutlab" in result.stderr
        assert "Traceback" not in result.stderr

    def test_used_port_is_named(self, valor: Callable[..., Any], table: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as used:
            port = used.getsockname()[1]
            result = valor("view", str(table), "--port", str(port))

        assert result.exit_code == 2
        assert result.stderr == (
            f"valor: --port: expected a free port, got {port}, Address already in use\n"
            "Omit --port to use a free one.\n"
        )

    @pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are a matter of POSIX")
    @pytest.mark.usefixtures("interruptible")
    def test_ctrl_c_ends_the_viewer_without_an_error(self, table: Path) -> None:
        program = subprocess.Popen(
            [sys.executable, "-c", "from valor_cli import main; main()", "view", str(table)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert program.stdout is not None
        address = program.stdout.readline().strip()
        port = int(address.rpartition(":")[2].rstrip("/"))
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET /items HTTP/1.0\r\nHost: localhost\r\n\r\n")
            assert connection.recv(15) == b"HTTP/1.0 200 OK"
        program.send_signal(signal.SIGINT)
        output, messages = program.communicate(timeout=60)

        assert (program.returncode, output) == (0, "")
        assert messages == "Stop the viewer with: Ctrl-C\n"

    def test_open_shows_the_page_in_the_browser(
        self, valor: Callable[..., Any], table: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened: list[str] = []

        def interrupt(address: str) -> None:
            opened.append(address)
            raise KeyboardInterrupt

        monkeypatch.setattr("webbrowser.open", interrupt)
        result = valor("view", str(table), "--open", "--json")

        assert json.loads(result.stdout) == {"address": opened[0]}
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", opened[0])
