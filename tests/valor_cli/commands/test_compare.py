from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from valor_core.results import ItemRow, Report, Result
from valor_core.results.item_tables import ItemTable


@pytest.fixture
def reports(lab):
    for name, value in {"a.json": 0.5, "b.json": 0.75}.items():
        result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=value)
        Report(results=[result], counts={"read": 2}).save(name)


@pytest.mark.usefixtures("reports")
def test_compare_shows_improvement(valor):
    result = valor("compare", "a.json", "b.json")

    assert result.exit_code == 0
    assert "0.5000  0.7500     +0.2500  better, no test" in result.stdout
    assert result.stderr.splitlines() == [
        "1 difference without a test; for intervals: "
        "valor rerun a.json --confidence 0.95 -o a.json and "
        "valor rerun b.json --confidence 0.95 -o b.json",
        "b is better than a in 1 of 1 main number, worse in none; "
        "no test says whether that is chance.",
        "1 number compared, 1 better",
    ]


@pytest.mark.usefixtures("reports")
def test_differences_within_tolerance_are_equal(valor):
    result = valor("compare", "a.json", "b.json", "--tolerance", "0.3")

    assert result.stderr.splitlines()[-1] == "1 number compared, 1 same"


@pytest.mark.usefixtures("reports")
def test_relative_tolerance_is_relative_to_first_value(valor):
    near = valor("compare", "a.json", "b.json", "--relative-tolerance", "0.5")
    far = valor("compare", "a.json", "b.json", "--relative-tolerance", "0.4")

    assert near.stderr.splitlines()[-1] == "1 number compared, 1 same"
    assert far.stderr.splitlines()[-1] == "1 number compared, 1 better"


def test_invalid_tolerance_exits_with_2(valor):
    result = valor("compare", "a.json", "b.json", "--tolerance", "x")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: compare: --tolerance: expected a number of at least 0, got 'x'\n"
        "See: valor compare --help\n"
    )


@pytest.mark.usefixtures("reports")
def test_equal_numbers_are_shown_on_request(valor):
    assert valor("compare", "a.json", "a.json").stdout == ""
    assert (
        "0.5000  0.5000           0  same" in valor("compare", "a.json", "a.json", "--all").stdout
    )


@pytest.mark.usefixtures("reports")
@pytest.mark.parametrize(
    ("arguments", "exit_code", "error"),
    [
        (["a.json", "b.json", "--fail-on", "worse"], 0, ""),
        (["a.json", "a.json", "--fail-on", "differ"], 0, ""),
        (["b.json", "a.json", "--fail-on", "worse", "--tolerance", "0.25"], 0, ""),
        (
            ["b.json", "a.json", "--fail-on", "worse"],
            1,
            "valor: --fail-on worse: expected nothing worse, found 1 worse without a test\n"
            "No number has a test, each is judged by the tolerance; intervals make a test "
            "possible: valor run … --confidence 0.95\n",
        ),
        (
            ["b.json", "a.json", "--fail-on", "worse", "--json"],
            1,
            "valor: --fail-on worse: expected nothing worse, found 1 worse without a test\n"
            "No number has a test, each is judged by the tolerance; intervals make a test "
            "possible: valor run … --confidence 0.95\n",
        ),
        (
            ["a.json", "b.json", "--fail-on", "differ"],
            1,
            "valor: --fail-on differ: expected no difference, found 1 better\n",
        ),
    ],
)
def test_failed_gate_exits_with_1(valor, arguments, exit_code, error):
    result = valor("compare", *arguments)

    assert result.exit_code == exit_code
    assert result.stderr.endswith(error)
    assert ("valor:" in result.stderr) == bool(error)


@pytest.mark.usefixtures("lab")
def test_gate_worse_rejects_metrics_without_direction(lab, valor):
    for name, value in {"a.json": 0.5, "b.json": 0.25}.items():
        Report(results=[Result(type="Tone", metric="own.Tone@1", value=value)]).save(name)
    (lab / "own_metrics.py").write_text(
        "import valor_core\n\n"
        "@valor_core.metric('own.Tone', task='text', higher_is_better=True)\n"
        "def tone(item) -> float:\n    return 1.0\n"
    )
    gate = ("compare", "a.json", "b.json", "--fail-on", "worse")

    unknown = valor(*gate)
    known = valor(*gate, "--module", "own_metrics.py")

    assert unknown.exit_code == 2
    assert unknown.stderr.startswith("valor: --fail-on worse: metric 'own.Tone': no installed plug")
    assert known.exit_code == 1
    assert "found 1 worse" in known.stderr


@pytest.mark.usefixtures("reports")
def test_json_is_comparison(valor):
    record = json.loads(valor("compare", "a.json", "b.json", "--json").stdout)

    assert record["changes"][0]["verdict"] == "better"


@pytest.mark.usefixtures("lab")
def test_slices_are_compared(lab, valor):
    valor("run", "config.yaml", "-q", "--set", "slices=first", "-o", "a.json")
    (lab / "lines.txt").write_text("Hello\nHelp\n")
    valor("run", "config.yaml", "-q", "--set", "slices=first", "-o", "b.json")

    result = valor("compare", "a.json", "b.json")

    assert "Loudness  first:H  0.6000  0.2250     -0.3750  worse" in result.stdout
    assert result.stderr.splitlines()[-1] == "2 numbers compared, 2 worse"


@pytest.mark.usefixtures("reports")
def test_file_that_is_no_report_exits_with_2(valor):
    result = valor("compare", "a.json", "config.yaml")

    assert result.exit_code == 2
    assert "config.yaml, line 1: expected a report as JSON" in result.stderr


@pytest.mark.usefixtures("lab")
def test_first_remark_is_about_different_data(lab, valor):
    (lab / "other.txt").write_text("Hello\nHelp\n")
    valor("run", "config.yaml", "-q", "-o", "a.json")
    valor("run", "config.yaml", "-q", "--set", "data.path=other.txt", "-o", "b.json")

    result = valor("compare", "a.json", "b.json")

    assert result.stderr.startswith("data.path: 'lines.txt', then 'other.txt'\n")


@pytest.mark.usefixtures("reports")
def test_comparison_is_written_to_files(valor):
    result = valor("compare", "a.json", "b.json", "-o", "c.md", "-o", "c.html", "-o", "c.json")

    assert "comparison written to c.md\n" in result.stderr
    text = Path("c.md").read_text(encoding="utf-8")
    assert text.startswith("# a.json, then b.json\n\nb is better than a in 1 of 1 main ")
    assert "\n\n**1 number compared, 1 better**\n" in text
    assert "| `Loudness` | 0.5000 | 0.7500 | +0.2500 | **better** |" in text
    page = Path("c.html").read_text(encoding="utf-8")
    assert "<h1>a, then b</h1>" in page
    assert '<td class="good" data-name="verdict">better</td>' in page
    assert json.loads(Path("c.json").read_text(encoding="utf-8"))["changes"][0]["b"] == 0.75


@pytest.mark.usefixtures("reports")
@pytest.mark.parametrize(
    ("name", "error"),
    [
        (
            "a.json",
            "valor: compare: --output: expected a file that is not an input, "
            "a.json is one of the reports\nChoose another file.\n",
        ),
        (
            "c.pdf",
            "valor: compare: --output: expected .md, .html, .json or .xml, got c.pdf\n"
            "Name it c.html, for example.\n",
        ),
        (
            "none/c.md",
            "valor: compare: --output: there is no folder none\nCreate it with: mkdir -p none\n",
        ),
    ],
)
def test_unwritable_comparison_file_is_rejected(valor, name, error):
    result = valor("compare", "a.json", "b.json", "-o", name)

    assert (result.exit_code, result.stderr) == (2, error)


@pytest.mark.usefixtures("reports")
def test_several_reports_are_rows_of_a_table(lab, valor):
    Report(results=[Result(type="Loudness", metric="shoutlab.Loudness@1", value=1)]).save("c.json")

    result = valor("compare", "a.json", "b.json", "c.json")
    record = json.loads(valor("compare", "a.json", "b.json", "c.json", "--json").stdout)

    assert result.exit_code == 0
    assert result.stdout == (
        "Reports\n\nreport  Loudness\n------  --------\n"
        "a.json    0.5000\nb.json    0.7500\nc.json         1\n"
    )
    assert record["reports"]["b.json"] == {"Loudness": 0.75}


@pytest.mark.usefixtures("reports")
@pytest.mark.parametrize("option", [("--fail-on", "worse"), ("--tolerance", "1"), ("--all",)])
def test_gate_of_several_reports_is_rejected(valor, option):
    result = valor("compare", "a.json", "b.json", "a.json", *option)

    assert result.exit_code == 2
    assert "expected two reports, got 3" in result.stderr


@pytest.mark.usefixtures("reports")
def test_report_given_twice_has_two_rows(valor):
    arguments = ("compare", "a.json", "a.json", "b.json")

    rows = valor(*arguments).stdout.splitlines()[4:]
    record = json.loads(valor(*arguments, "--json").stdout)

    assert [row.split("  ")[0] for row in rows] == ["a.json", "a.json (2)", "b.json"]
    assert list(record["reports"]) == ["a.json", "a.json (2)", "b.json"]


@pytest.mark.usefixtures("reports")
def test_several_reports_with_rows_have_ranks(valor):
    for name, loud in {"quiet.json": 2, "loud.json": 38, "louder.json": 39}.items():
        rows = [ItemRow(i, float(i < loud)) for i in range(40)]
        result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=loud / 40)
        table = ItemTable("shoutlab.Loudness@1", {}, rows)
        Report(results=[result], items=(table,), counts={"read": 40}).save(name)

    result = valor("compare", "quiet.json", "loud.json", "louder.json")
    record = json.loads(valor("compare", "quiet.json", "loud.json", "louder.json", "--json").stdout)

    assert [line.split(maxsplit=1) for line in result.stdout.splitlines()[-3:]] == [
        ["quiet.json", "3 (3 to 3)"],
        ["loud.json", "2 (1 to 2)"],
        ["louder.json", "1 (1 to 2)"],
    ]
    (ranking,) = record["leaderboard"]["rankings"]
    assert [one["report"] for one in ranking["ranks"]] == ["louder.json", "loud.json", "quiet.json"]


@pytest.mark.usefixtures("lab")
def test_items_that_only_one_model_has_right_are_listed(valor):
    for name, loud in {"a.json": range(5), "b.json": range(1, 12)}.items():
        rows = [ItemRow(f"q{i}", float(i in loud)) for i in range(12)]
        result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=len(loud) / 12)
        table = ItemTable("shoutlab.Loudness@1", {}, rows)
        Report(results=[result], items=(table,), counts={"read": 12}).save(name)

    result = valor("compare", "a.json", "b.json")
    record = json.loads(valor("compare", "a.json", "b.json", "--json").stdout)

    assert re.split("  +", result.stdout.splitlines()[-1]) == [
        *("Loudness", "7", "1", "0", "q10, q11, q5, q6, q7 (and 2 more)", "q0"),
    ]
    assert record["flips"][0]["worse"] == ["q0"]
    assert record["changes"][0]["method"] == "McNemar"


@pytest.mark.usefixtures("reports")
def test_reports_of_other_items_fail_each_gate(valor):
    record = json.loads(Path("b.json").read_text())
    Path("b.json").write_text(json.dumps(record | {"counts": {"read": 3}}))

    for gate in ("worse", "differ"):
        result = valor("compare", "a.json", "b.json", "--fail-on", gate)

        assert result.exit_code == 1
        assert "not comparable: data: 2 items, then 3" in result.stderr.splitlines()


@pytest.mark.usefixtures("lab")
def test_items_in_separate_files_are_compared(lab, valor):
    (lab / "new.txt").write_text("Hello\nHelp\n")
    valor("run", "config.yaml", "-q", "--set", "items=a.jsonl", "-o", "a.json")
    options = ("--set", "items=b.jsonl", "--set", "data.path=new.txt")
    valor("run", "config.yaml", "-q", *options, "-o", "b.json")

    result = valor("compare", "a.json", "b.json")
    Path("b.jsonl").unlink()
    missing = valor("compare", "a.json", "b.json")

    assert "items" not in json.loads(Path("a.json").read_text())
    assert "Items that changed" in result.stdout
    assert (missing.exit_code, missing.stderr) == (
        2,
        "valor: b.json: items: no such file: b.jsonl\n"
        "Write it with: valor rerun b.json -o b.json\n",
    )
    assert valor("rerun", "b.json", "-q", "-o", "b.json").exit_code == 0
    assert valor("compare", "a.json", "b.json").stdout == result.stdout


@pytest.mark.usefixtures("lab")
def test_leaderboard_is_written_as_page_markdown_json_and_csv(valor):
    for name, loud in {"quiet.json": 2, "loud.json": 38, "louder.json": 39}.items():
        rows = [ItemRow(i, float(i < loud)) for i in range(40)]
        result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=loud / 40)
        table = ItemTable("shoutlab.Loudness@1", {}, rows)
        Report(results=[result], items=(table,), counts={"read": 40}).save(name)
    outputs = [part for suffix in ("html", "md", "json", "csv") for part in ("-o", f"c.{suffix}")]

    result = valor("compare", "quiet.json", "loud.json", "louder.json", *outputs)

    answer = "louder is best in 1 of 1 main number, in none beyond chance."
    assert result.stderr.splitlines()[-1] == answer
    assert answer in Path("c.html").read_text(encoding="utf-8")
    assert answer in Path("c.md").read_text(encoding="utf-8")
    assert json.loads(Path("c.json").read_text(encoding="utf-8"))["answer"] == answer
    lines = Path("c.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("number,report,value,low,high,rank,rank_low,rank_high,difference")
    assert lines[1].startswith("Loudness,louder.json,0.975,,,1,1,2,0.0,")
    assert lines[3].startswith("Loudness,quiet.json,0.05,,,3,3,3,-0.92")
    assert lines[3].endswith(",worse")


def noisy(name, right, total=40):
    rows = [ItemRow(i, float(i in right)) for i in range(total)]
    result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=len(right) / total)
    table = ItemTable("shoutlab.Loudness@1", {}, rows)
    Report(results=[result], items=(table,), counts={"read": total}).save(name)


@pytest.mark.usefixtures("lab")
def test_gate_worse_passes_if_a_loss_may_be_chance(valor):
    noisy("a.json", range(30))
    noisy("noise.json", range(2, 30))
    noisy("worse.json", range(12, 30))

    noise = valor("compare", "a.json", "noise.json", "--fail-on", "worse")
    worse = valor("compare", "a.json", "worse.json", "--fail-on", "worse")

    assert (noise.exit_code, worse.exit_code) == (0, 1)
    assert noise.stderr.endswith("--fail-on worse: passed; 1 number judged by a test\n")
    assert worse.stderr.endswith("expected nothing worse, found 1 worse beyond chance\n")
    assert "worse is worse than a in 1 of 1 main number beyond chance" in worse.stderr


@pytest.mark.usefixtures("reports")
def test_gate_of_one_metric_ignores_the_others(valor):
    named = valor("compare", "b.json", "a.json", "--fail-on", "worse:loudness")
    unknown = valor("compare", "b.json", "a.json", "--fail-on", "worse:Loudnes")
    invalid = valor("compare", "b.json", "a.json", "--fail-on", "worst")

    assert named.exit_code == 1
    assert "--fail-on worse:loudness: expected nothing worse" in named.stderr
    assert unknown.exit_code == 2
    assert "Did you mean 'Loudness'?" in unknown.stderr
    assert "expected worse or differ, got 'worst'" in invalid.stderr


@pytest.fixture
def answers(lab):
    """Reports with the predictions of three models for four items."""
    truths = ["cat", "cat", "dog", "dog"]
    predictions = {
        "a.json": ["cat", "dog", "cat", "dog"],
        "b.json": ["dog", "cat", "cat", "dog"],
        "c.json": ["cat", "cat", "dog", "dog"],
    }
    for name, predicted in predictions.items():
        rows = [
            ItemRow(f"q{i}", float(true == found), {"truth": true, "prediction": found})
            for i, (true, found) in enumerate(zip(truths, predicted, strict=True))
        ]
        mean = sum(row.value for row in rows) / 4
        result = Result(type="Loudness", metric="shoutlab.Loudness@1", value=mean)
        table = ItemTable("shoutlab.Loudness@1", {}, rows)
        Report(results=[result], items=(table,), counts={"read": 4}).save(name)


@pytest.mark.usefixtures("answers")
def test_items_are_listed_with_the_prediction_of_each_model(valor):
    two = valor("compare", "a.json", "b.json", "--items")
    three = valor("compare", "a.json", "b.json", "c.json", "--items")

    assert "Items by Loudness\n" in two.stdout
    assert [re.split("  +", line.rstrip()) for line in two.stdout.splitlines()[-3:]] == [
        ["q0", "broken", "cat", "cat", "dog"],
        ["q1", "fixed", "cat", "dog", "cat"],
        ["q2", "wrong in both", "dog", "cat", "cat"],
    ]
    assert re.split("  +", three.stdout.splitlines()[-3].rstrip()) == [
        *("q2", "wrong in 2 of 3", "dog", "cat", "cat", "dog"),
    ]


@pytest.mark.usefixtures("reports")
def test_items_without_rows_name_the_option_that_writes_them(valor):
    result = valor("compare", "a.json", "b.json", "--items")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: compare: --items: expected rows of the same items in all reports, found none\n"
        "Write the reports with rows: valor run CONFIG --items -o report.json\n"
    )


@pytest.mark.usefixtures("reports")
def test_open_shows_the_comparison_as_a_page(valor, tmp_path, monkeypatch):
    addresses = []
    monkeypatch.setattr("webbrowser.open", lambda address: not addresses.append(address))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    result = valor("compare", "a.json", "b.json", "--open", "-q")

    (address,) = addresses
    page = Path(address.removeprefix("file://"))
    assert page.name == "comparison.html"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert result.stdout == ""
    assert result.stderr.startswith(f"comparison written to {page}\n")


@pytest.mark.usefixtures("answers")
def test_open_without_a_browser_prints_the_address_of_the_leaderboard(valor, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)

    result = valor("compare", "a.json", "b.json", "c.json", "--open", "-o", "c.html")

    assert "Ranks" in result.stdout
    assert f"Open it with: {Path('c.html').absolute().as_uri()}\n" in result.stderr


@pytest.mark.usefixtures("reports")
def test_picture_as_output_of_a_comparison_suggests_the_page(valor):
    result = valor("compare", "a.json", "b.json", "-o", "plots.png")

    assert result.stderr.endswith("got plots.png\nName it plots.html, for example.\n")
