from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from messages import refused

from valor_core import Failed, Report, Result, Undefined
from valor_core.errors import MissingExtraError, ReportError
from valor_core.results import ItemRow
from valor_core.results.report import ItemTable, Requirement, Slice, report_suffixes
from valor_core.results.results import Results


def result(type: str, value: Any, **parameters: Any) -> Result:
    return Result(type=type, metric=f"c.{type}@1", parameters=parameters, value=value)


RESULTS = [
    result("Accuracy", 0.5, label_key="class"),
    result("Recall", 0.25, label_key="class", label="cat", score_threshold=0.5),
    result("Recall", 1, label_key="class", label="dog", score_threshold=0.5),
    result("Recall", 0.625, label_key="class", average="macro", score_threshold=0.5),
    result("AUC", Undefined("no negatives"), label="cat"),
    result("Curve", {"x": [0, 1], "area": 0.5, "points": 2, "open": True}, bins=[1, 2]),
]
REPORT = Report(
    results=RESULTS,
    slices=tuple([RESULTS[0].in_slice({"weather": value})] for value in ("rain", None)),
    items=(
        ItemTable(
            "t.Score@1",
            {"weight": 1.0},
            (
                ItemRow("q1", 0.5, {"words": ["a"]}),
                ItemRow("q2", Undefined("why")),
                ItemRow("q3", Failed("no reply")),
            ),
        ),
    ),
    config={"metrics": ["Accuracy"], "data": {"reader": "csv"}},
    versions={"valor-core": "0.1.0"},
    counts={"read": 3, "skipped": 1, "failed": 1},
    requirements=(Requirement("Accuracy", ">= 0.5", 0.5, True),),
    warnings=("something",),
)


class TestLookUp:
    def test_in_accepts_same_keys_as_getitem(self) -> None:
        for there in ("Recall", "recall", "c.Recall", ("Recall", "cat"), RESULTS[0]):
            assert there in REPORT
            assert there in REPORT.results
        for absent in ("F1", ("Recall", "cow"), result("F1", 0.5), 3, ()):
            assert absent not in REPORT
            assert absent not in REPORT.results

    def test_report_has_length_of_results_and_is_true(self) -> None:
        assert len(REPORT) == len(RESULTS)
        assert len(Report(results=())) == 0
        assert bool(Report(results=()))

    def test_unknown_label_or_parameter_suggests_closest(self) -> None:
        for look_up, message in (
            (lambda: REPORT["Recall", "do"], "no result of 'Recall' for 'do'"),
            (lambda: REPORT.find("Recall", lable="dog"), "with lable='dog'\nDid you mean 'label'"),
            (lambda: REPORT.find(lable="dog"), "with lable='dog'\nDid you mean 'label'"),
            (lambda: REPORT.find(label="dgo"), "with label='dgo'\nDid you mean 'dog'"),
            (lambda: REPORT.find("Accuracy", zzz=1), "Available parameters: label_key"),
        ):
            with pytest.raises(ReportError, match=message):
                look_up()

    def test_result_is_found_by_name_in_any_spelling(self) -> None:
        for name in ("Accuracy", "accuracy", "c.Accuracy", "c.accuracy@1"):
            assert REPORT[name].value == 0.5

    @pytest.mark.parametrize(
        ("wanted", "value"),
        [(("Recall", "cat"), 0.25), (("recall", "macro"), 0.625), (("Recall", "class", "dog"), 1)],
    )
    def test_result_is_found_by_label_average_and_label_key(
        self, wanted: tuple[str, ...], value: float
    ) -> None:
        assert REPORT[wanted].value == value

    def test_result_is_found_by_parameters(self) -> None:
        assert REPORT.find("Recall", label="dog", score_threshold=0.5).value == 1
        assert len(REPORT.find(score_threshold=0.5)) == 3

    def test_results_are_a_sequence(self) -> None:
        assert REPORT.results[0] is RESULTS[0]
        assert list(REPORT) == RESULTS
        assert list(REPORT.results[1:3]) == RESULTS[1:3]
        assert len(REPORT["Recall"]) == 3

    def test_undefined_value_is_found_with_its_reason(self) -> None:
        assert REPORT["AUC", "cat"].value == REPORT["AUC"][0].value == Undefined("no negatives")

    def test_unknown_name_suggests_closest(self) -> None:
        with refused(ReportError):
            REPORT["Recal"]

    def test_dissimilar_name_lists_all_metrics(self) -> None:
        with pytest.raises(ReportError, match="report: no result of 'mAP'"):
            REPORT["mAP"]

    def test_unknown_label_or_parameter_is_named(self) -> None:
        with pytest.raises(ReportError, match="report: no result of 'Recall' for 'cow'"):
            REPORT["Recall", "cow"]
        with pytest.raises(ReportError, match="no result of 'Recall' with label='cow'"):
            REPORT.find("Recall", label="cow")
        with pytest.raises(ReportError, match="report: no result with label='cow'"):
            REPORT.find(label="cow")

    def test_value_of_several_results_suggests_find(self) -> None:
        results = Results(
            [result("F1", 1, hardmax=True, at=0.5), result("F1", 1, hardmax=True, at=1)]
        )

        with pytest.raises(ReportError, match="expected one result of F1, found 2"):
            _ = results.value

        assert len(results.find(at=0.5)) == 1

    def test_value_of_indistinguishable_results_raises(self) -> None:
        with pytest.raises(ReportError, match="expected one result of F1, found 2"):
            _ = Results([result("F1", 1), result("F1", 1)]).only

    def test_value_without_results_raises(self) -> None:
        with pytest.raises(ReportError, match="expected one result, found none"):
            _ = Results([]).value

    def test_slice_is_found_by_values(self) -> None:
        assert REPORT.slice(weather="rain")["Accuracy"].value == 0.5
        assert [*REPORT.slice(weather=None)] == [*REPORT.results[:1]]

    @pytest.mark.parametrize(
        ("where", "message"),
        [
            ({"weather": "sun"}, "report: no slice {'weather': 'sun'}"),
            ({"city": "Oslo"}, "report: no slice {'city': 'Oslo'}"),
        ],
    )
    def test_unknown_slice_lists_available_slices(
        self, where: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ReportError, match=re.escape(message)):
            REPORT.slice(**where)

    def test_slice_of_report_without_slices_suggests_config(self) -> None:
        with pytest.raises(ReportError, match=r"report: no slice \{'weather': 'rain'\}"):
            Report(results=[]).slice(weather="rain")


class TestOutcome:
    def test_report_without_failures_is_ok(self) -> None:
        assert Report(results=RESULTS).ok
        assert not REPORT.ok

    @pytest.mark.parametrize(
        "report",
        [
            Report(results=[], counts={"failed": 1}),
            Report(results=[result("F1", Failed("no luck"))]),
            Report(results=[], requirements=(Requirement("F1", "> 0", 0.0, False),)),
        ],
    )
    def test_any_failure_makes_report_not_ok(self, report: Report) -> None:
        assert not report.ok


class TestRecords:
    def test_report_is_restored_from_record(self) -> None:
        assert Report.from_dict(REPORT.to_dict()) == REPORT

    def test_report_is_restored_from_file(self, tmp_path: Path) -> None:
        REPORT.save(tmp_path / "report.json")

        assert Report.load(tmp_path / "report.json") == REPORT

    def test_equal_reports_have_equal_bytes(self) -> None:
        assert Report.from_dict(json.loads(REPORT.to_json())).to_json() == REPORT.to_json()

    def test_record_begins_with_format_and_results(self) -> None:
        record = REPORT.to_dict()

        assert list(record) == [
            "valor_report",
            "results",
            "slices",
            "items",
            "requirements",
            "counts",
            "warnings",
            "versions",
            "config",
        ]
        assert record["results"][0] == {
            "type": "Accuracy",
            "metric": "c.Accuracy@1",
            "parameters": {"label_key": "class"},
            "value": 0.5,
        }

    @pytest.mark.parametrize(
        ("record", "message"),
        [
            ({}, "expected a report of format 1, found {}"),
            ([], "expected a report of format 1, found []"),
            (3, "expected a report of format 1, found 3"),
            ({"valor_report": 2}, "found {'valor_report': 2}"),
            ({"results": []}, "expected a report of format 1"),
        ],
    )
    def test_invalid_record_is_rejected(self, record: Any, message: str) -> None:
        with pytest.raises(ReportError, match=re.escape(message)):
            Report.from_dict(record, "a.json")

    @pytest.mark.parametrize(
        ("damage", "message"),
        [
            ({"results": None}, "expected a list, found None"),
            ({"items": [{}]}, "its content is damaged, items[0].metric"),
            ({"slices": [3]}, "slices[0]: expected a table, found 3"),
            ({"requirements": [{}]}, "its content is damaged, TypeError"),
            ({"results": [3]}, "results[0]: expected a table, found 3"),
        ],
    )
    def test_damaged_report_is_rejected(self, damage: dict[str, Any], message: str) -> None:
        with pytest.raises(ReportError, match=re.escape(message)):
            Report.from_dict({"valor_report": 1, "results": []} | damage, "a.json")

    def test_invalid_report_file_is_named(self, tmp_path: Path) -> None:
        for name, content in (
            ("deep.json", b"[" * 100_000),
            ("digits.json", b"[" + b"1" * 5000 + b"]"),
            ("a.csv", b"type,value\nF1,0.5\n"),
            ("a.npz", b"PK\x03\x04\xff\xfe"),
        ):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(ReportError, match="expected a report as JSON"):
                Report.load(tmp_path / name)
        (tmp_path / "a.json").write_bytes(b"[")
        with refused(ReportError):
            Report.load(tmp_path / "a.json")

    def test_truncated_report_is_detected(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_text(REPORT.to_json()[:-20], encoding="utf-8")

        with pytest.raises(ReportError, match="line 61: expected a complete report"):
            Report.load(path)

    def test_empty_record_is_rejected_with_remedy(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").write_text("{}")

        with pytest.raises(ReportError, match=r"expected a report of format 1, found \{\}"):
            Report.load(tmp_path / "a.json")

    def test_missing_report_suggests_closest_name(self, tmp_path: Path) -> None:
        REPORT.save(tmp_path / "before.json")

        with refused(ReportError):
            Report.load(tmp_path / "befor.json")
        with refused(ReportError):
            Report.load(tmp_path / "none" / "b.json")


class TestFiles:
    def test_unwritable_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ReportError, match="cannot be written"):
            REPORT.save(tmp_path / "missing" / "a.json")

    def test_to_frame_without_pandas_suggests_pip_command(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)

        with refused(MissingExtraError):
            REPORT.to_frame()


def test_flat_contains_results_and_slices() -> None:
    assert REPORT.flat("val/") == REPORT.results.flat("val/") | {
        "val/Accuracy weather:rain/label_key:class": 0.5,
        "val/Accuracy weather:null/label_key:class": 0.5,
    }
    assert REPORT.results.flat("val/") == {
        "val/Accuracy/label_key:class": 0.5,
        "val/Recall/label_key:class/label:cat/score_threshold:0.5": 0.25,
        "val/Recall/label_key:class/label:dog/score_threshold:0.5": 1.0,
        "val/Recall/label_key:class/average:macro/score_threshold:0.5": 0.625,
        "val/Curve/bins:1 2/area": 0.5,
        "val/Curve/bins:1 2/points": 2.0,
    }


def test_slice_of_true_differs_from_slice_of_1() -> None:
    one, true = (Result(type="F1", value=value) for value in (1.0, 0.5))
    report = Report(
        results=[],
        slices=([one.in_slice({"night": 1})], [true.in_slice({"night": True})]),
    )

    assert report.slice(night=True).value == 0.5
    assert report.slice(night=1).value == 1.0


def test_repr_is_one_line() -> None:
    report = Report(
        results=RESULTS, config={"task": "text"}, counts={"read": 1200, "skipped": 0, "failed": 0}
    )

    assert repr(report) == "<Report: text, 1,200 items, 6 results; print(report) shows them>"
    assert repr(REPORT) == "<Report: 3 items, 6 results, 2 slices; print(report) shows them>"
    assert repr(Report(results=RESULTS[:1], counts={"read": 1})) == (
        "<Report: 1 item, 1 result; print(report) shows them>"
    )


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (Report.to_html, "a page needs valor-report"),
        (Report.to_markdown, "Markdown needs valor-report"),
        (Report.to_csv, "a table needs valor-report"),
        (Report.plot, "plot: a drawing needs valor-report"),
        (lambda report: report.save("report.html"), "a report in .html needs valor-report"),
        (lambda report: report.save("report.xlsx"), "a report in .xlsx needs valor-report"),
    ],
)
def test_drawing_without_valor_report_names_the_install_command(
    draw: Callable[[Report], Any],
    hide: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    message: str,
) -> None:
    hide("valor-report")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(MissingExtraError, match=re.escape(message)):
        draw(REPORT)
    assert not [*tmp_path.iterdir()]


def test_report_without_valor_report_prints_line_per_result(
    hide: Callable[[str], None], tmp_path: Path
) -> None:
    hide("valor-report")

    assert str(REPORT).splitlines() == [
        "Accuracy label_key:class = 0.5",
        "Recall label_key:class label:cat score_threshold:0.5 = 0.25",
        "Recall label_key:class label:dog score_threshold:0.5 = 1",
        "Recall label_key:class average:macro score_threshold:0.5 = 0.625",
        "AUC label:cat = no negatives",
        "Curve bins:1 2 = {'x': [0, 1], 'area': 0.5, 'points': 2, 'open': True}",
        "Accuracy weather:rain label_key:class = 0.5",
        "Accuracy weather:null label_key:class = 0.5",
    ]
    assert str(REPORT["Recall", "cat"]).endswith(" = 0.25")
    assert REPORT._repr_html_() is None
    REPORT.save(tmp_path / "report.json")
    assert report_suffixes() == (".json",)


OUTSIDE = """
import sys
sys.path[:0] = {paths}
from valor_core import Report, Text, evaluate, metric

@metric("mylab.Length", task="text", higher_is_better=None)
def length(item) -> float:
    return len(item.response)

report = evaluate([Text("q1", response="Paris")], [length])
print(report)
try:
    report.save("report.md")
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
"""


def test_environment_without_valor_report_evaluates_and_prints(tmp_path: Path) -> None:
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "valor_report" not in path.name:
            (tmp_path / path.name).symlink_to(path)
    root = Path(__file__).parents[3]
    code = OUTSIDE.format(paths=[str(root), str(tmp_path)])

    # -S leaves the folder of the environment, with valor-report, out of the search path.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path
    )

    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Length = 5.0",
        "MissingExtraError report.md: a report in .md needs valor-report, which is not installed",
    ]


def test_report_is_saved_to_a_path_only() -> None:
    with pytest.raises(ReportError, match=r"got 3\nPass the name of a file, such as"):
        Report.load(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("file", [BytesIO(), StringIO()])
def test_report_is_written_to_an_open_file_with_the_suggested_line(file: Any) -> None:
    report = REPORT
    with pytest.raises(ReportError, match="report: expected a path, got <") as caught:
        report.save(file)

    exec(str(caught.value.remedy).partition(": ")[2])
    file.seek(0)

    with pytest.raises(ReportError, match="report: expected a path, got <") as caught:
        Report.load(file)
    assert eval(str(caught.value.remedy).partition(": ")[2]) == report


@pytest.mark.parametrize(
    ("path", "flat", "name"),
    [(".", True, "report"), ("numbers.csv", True, "numbers"), (".", False, "report")],
)
def test_unsupported_name_of_a_report_suggests_one(path: str, flat: bool, name: str) -> None:
    with pytest.raises(ReportError, match=rf"\nName it {name}\.json"):
        REPORT.save(path, flat=flat)


def test_items_of_slices_are_saved_and_optional(tmp_path: Path) -> None:
    parts = [Slice([RESULTS[0].in_slice({"n": n})], items) for n, items in ((0, 7), (1, None))]
    report = Report(results=RESULTS[:1], slices=tuple(parts), counts={"read": 9})

    report.save(tmp_path / "report.json")

    assert [part.items for part in Report.load(tmp_path / "report.json").slices] == [7, None]
    assert Report.load(tmp_path / "report.json") == report
    assert report.slice(n=0).items == 7
    assert [row["items"] for row in report.to_records()] == [9, 7, None]


def test_flat_keys_have_ends_of_intervals() -> None:
    details = {"confidence": {"interval": [0.25, 0.75], "method": "Wilson"}}
    report = Report(results=[Result(type="F1", value=0.5, details=details)])

    assert report.flat("val/") == {"val/F1": 0.5, "val/F1.low": 0.25, "val/F1.high": 0.75}
