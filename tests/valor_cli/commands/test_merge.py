from __future__ import annotations

import json

import pytest

from valor_core.results import Report
from valor_core.specs.registry import DECORATED


@pytest.fixture
def states(lab, valor):
    (lab / "more.txt").write_text("SHOUT\n")
    first = valor("run", "config.yaml", "-q", "--state", "a.npz")
    second = valor(
        *("run", "config.yaml", "-q", "--state", "b.npz", "--set", "data.path=more.txt"),
        *("--set", "data.numbered_from=2"),
    )
    assert (first.exit_code, second.exit_code) == (0, 0)
    return lab


@pytest.mark.usefixtures("states")
def test_states_merge_into_one_report(valor):
    result = valor("merge", "a.npz", "b.npz", "-o", "all.json")

    assert result.exit_code == 0
    assert result.stdout.startswith("3 items\n")
    assert result.stderr == "report written to all.json\n"
    assert Report.load("all.json")["Loudness"].value == pytest.approx(2.2 / 3)


@pytest.mark.usefixtures("states")
def test_unwritable_file_keeps_other_files_and_tables(valor, monkeypatch):
    def fall_over(report):
        raise ValueError("too wide")

    monkeypatch.setattr("valor_report.text.markdown", fall_over)

    result = valor("merge", "a.npz", "b.npz", "-o", "a.md", "-o", "all.json")

    assert result.exit_code == 2
    assert result.stdout.startswith("3 items\n")
    assert Report.load("all.json").counts["read"] == 3
    assert result.stderr.startswith(
        "report written to all.json\nvalor: a.md: cannot be written, ValueError"
    )


@pytest.mark.usefixtures("states")
def test_merge_accepts_json_and_quiet(valor):
    result = valor("merge", "a.npz", "b.npz", "--json", "-q", "-o", "all.json")

    assert json.loads(result.stdout)["counts"]["read"] == 3
    assert result.stderr == ""


@pytest.mark.usefixtures("states")
def test_item_in_two_states_is_rejected(lab, valor):
    (lab / "copy.npz").write_bytes((lab / "a.npz").read_bytes())

    result = valor("merge", "a.npz", "copy.npz")

    assert result.exit_code == 2
    assert "item 'line 0': expected each uid once, found it 2 times" in result.stderr
    assert len(result.stderr.splitlines()) == 2
    assert "under data.path" in result.stderr


@pytest.mark.usefixtures("states")
@pytest.mark.parametrize(("bound", "exit_code"), [(0.5, 0), (0.9, 1)])
def test_requirement_gates_merged_report(valor, bound, exit_code):
    result = valor("merge", "a.npz", "b.npz", "--require", f"Loudness >= {bound}")

    assert result.exit_code == exit_code


@pytest.mark.usefixtures("states")
def test_merge_requirement_without_number_exits_with_2_and_keeps_report(valor):
    result = valor("merge", "a.npz", "b.npz", "-o", "all.json", "--require", "Loudness/floor:1 > 0")

    assert result.exit_code == 2
    assert result.stdout.startswith("3 items\n")
    assert "no result of 'Loudness' for 'floor:1'\nWrite one of: Loudness.\n" in result.stderr
    assert Report.load("all.json")["Loudness"].value == pytest.approx(2.2 / 3)


@pytest.mark.usefixtures("states")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.npz", "--require", "Loudness"], "expected a result and a comparison"),
        (["a.npz", "--require", "Loudnes >= 1"], "no chosen metric is called 'Loudnes'"),
        (["a.npz", "./a.npz"], "expected each state once, got it twice"),
        (["a.npz", "config.yaml"], "config.yaml: expected a saved state"),
        (
            ["a.npz", "-o", "all.docx"],
            "expected .json, .csv, .html, .md, .pdf, .png, .svg, .txt or .xml, got all.docx",
        ),
        ([], "merge: expected STATES, got nothing"),
    ],
)
def test_invalid_request_exits_with_2(valor, arguments, message):
    result = valor("merge", *arguments)

    assert result.exit_code == 2
    assert message in result.stderr


def test_states_of_decorated_metrics_require_module(lab, valor, monkeypatch):
    (lab / "mine.py").write_text(
        "import valor_core\n"
        "@valor_core.metric('mine.Length', task='text')\n"
        "def length(item) -> float:\n"
        "    return len(item.response)\n"
    )
    made = valor(
        *("run", "config.yaml", "-q", "--state", "m.npz"),
        *("--set", "modules=mine.py", "--set", 'metrics=["mine.Length"]'),
    )
    assert made.exit_code == 0
    monkeypatch.delitem(DECORATED, "mine.length")  # as in a separate process

    without = valor("merge", "m.npz")

    assert without.exit_code == 2
    assert without.stderr.endswith(
        "\nIf a Python file defines the metric, pass it with: --module FILE\n"
    )
    assert "4.5000" in valor("merge", "m.npz", "--module", "mine.py").stdout


def test_report_does_not_overwrite_state(lab, valor):
    assert valor("run", "config.yaml", "-q", "--state", "s.json").exit_code == 0
    before = (lab / "s.json").read_bytes()

    result = valor("merge", "s.json", "-o", "s.json")

    assert result.exit_code == 2
    assert (
        "merge: --output: expected a file that is not an input, s.json is one of the states"
        in result.stderr
    )
    assert (lab / "s.json").read_bytes() == before
