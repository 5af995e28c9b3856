from __future__ import annotations

import json

import pytest

from valor_core.errors import StateError
from valor_core.results import Report


def run_json(valor, *arguments):
    result = valor("run", "config.yaml", "--json", *arguments)
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


@pytest.mark.usefixtures("lab")
def test_pipe_receives_plain_tables(valor):
    result = valor("run", "config.yaml")

    assert result.exit_code == 0
    assert result.stdout == (
        "2 items\n\nResults\nfloor 0.0\n\nmetric     value\n--------  ------\nLoudness  0.6000\n"
    )
    assert result.stderr == ""


@pytest.mark.usefixtures("lab")
def test_json_is_report(valor):
    report = Report.from_dict(run_json(valor))

    assert report["Loudness"].value == 0.6


@pytest.mark.usefixtures("lab")
def test_settings_override_config(valor):
    record = run_json(valor, "--set", "metrics[0].floor=0.5")

    assert record["results"][0]["value"] == 0.5


def test_outputs_are_relative_to_current_folder(lab, valor, monkeypatch):
    (lab / "elsewhere").mkdir()
    monkeypatch.chdir(lab / "elsewhere")

    result = valor("run", "../config.yaml", "-o", "a.json", "-o", "a.html", "-o", "a.md")

    assert result.exit_code == 0
    assert Report.load("a.json")["Loudness"].value == 0.6
    assert (lab / "elsewhere" / "a.html").read_text().startswith("<!doctype html>")
    assert (lab / "elsewhere" / "a.md").read_text().startswith("# Evaluation report")
    assert "report written to a.json\nreport written to a.html\n" in result.stderr


def test_flat_file_has_numbers_for_dvc(lab, valor):
    result = valor("run", "config.yaml", "--flat", "metrics.json", "-o", "report.json")

    assert json.loads((lab / "metrics.json").read_text()) == {"Loudness": 0.6}
    assert result.stderr == "report written to report.json\nnumbers written to metrics.json\n"
    assert "flat" not in Report.load("report.json").config


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--flat", "m.yaml"), "flat: expected .json, got m.yaml"),
        (("--flat", "m.json", "-o", "m.json"), "flat: expected a file that is not another output"),
        (("--flat", "lines.json", "--set", "data.path=lines.json"), "not an input, lines.json is"),
    ],
)
def test_flat_file_that_would_replace_another_is_rejected(lab, valor, arguments, error):
    (lab / "lines.txt").rename(lab / "lines.json")

    result = valor("run", "config.yaml", *arguments)

    assert result.exit_code == 2
    assert error in result.stderr


@pytest.mark.parametrize("command", ["run", "rerun"])
def test_unwritable_page_keeps_report_and_tables(lab, valor, monkeypatch, command):
    def fall_over(report):
        raise ValueError("too many labels")

    valor("run", "config.yaml", "-o", "before.json")
    monkeypatch.setattr("valor_report.pages.page.html", fall_over)
    source = "config.yaml" if command == "run" else "before.json"

    result = valor(
        *(command, source, "-o", "a.html", "-o", "a.json"),
        *("--gallery", "worst", "--set", "gallery.name=shoutlab.Posters"),
    )

    assert result.exit_code == 2
    assert Report.load("a.json")["Loudness"].value == 0.6
    assert (lab / "worst" / "index.html").exists()
    assert "Loudness  0.6000" in result.stdout
    assert result.stderr == (
        "report written to a.json\ngallery written to worst/index.html\n"
        f"valor: {lab / 'a.html'}: cannot be written, ValueError: too many labels; this is a bug "
        "in test_run.py\n"
        "Show the traceback with: VALOR_TRACEBACK=1 valor …\n"
    )


def test_failing_gallery_keeps_report_and_tables(lab, valor):
    posters = lab.parent / "site" / "shoutlab" / "posters.py"
    trouble = "raise RuntimeError('no paint')"
    posters.write_text(
        posters.read_text().replace("return Picture(", f"{trouble}\n        return (")
    )

    result = valor(
        *("run", "config.yaml", "-o", "a.json", "--gallery", "worst"),
        *("--set", "gallery.name=shoutlab.Posters"),
    )

    assert result.exit_code == 0
    report = Report.load("a.json")
    assert report["Loudness"].value == 0.6
    assert "Loudness  0.6000" in result.stdout
    assert result.stderr == "report written to a.json\ngallery written to worst/index.html\n"
    (warning,) = report.warnings
    assert warning.startswith("gallery: 1 of 1 items not drawn, the first is ")
    assert "RuntimeError: no paint; this is a bug in shoutlab" in warning
    assert f"Warning: {warning}" in result.stdout


def test_missing_gallery_package_keeps_report_and_tables(lab, valor):
    posters = lab.parent / "site" / "shoutlab" / "posters.py"
    posters.write_text(f"{posters.read_text()}\nimport paint_that_nobody_sells\n")

    result = valor(
        *("run", "config.yaml", "--gallery", "worst"), *("--set", "gallery.name=shoutlab.Posters")
    )

    assert result.exit_code == 0
    assert "Loudness  0.6000" in result.stdout
    assert "Warning: gallery: not drawn, shoutlab.Posters: its code" in result.stdout
    assert result.stderr == "gallery not written, see the warning\n"


@pytest.mark.usefixtures("lab")
def test_quiet_prints_nothing(valor):
    result = valor("run", "config.yaml", "--quiet", "-o", "a.json")

    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_gallery_is_relative_to_current_folder(lab, valor, monkeypatch):
    (lab / "elsewhere").mkdir()
    monkeypatch.chdir(lab / "elsewhere")

    result = valor(
        "run", "../config.yaml", "--gallery", "worst", "--set", "gallery.name=shoutlab.Posters"
    )

    assert result.exit_code == 0, result.stderr
    assert result.stderr == "gallery written to worst/index.html\n"
    page = (lab / "elsewhere" / "worst" / "index.html").read_text()
    assert "<b>line 0</b><div><span>soft 4</span></div>" in page


@pytest.mark.usefixtures("lab")
def test_unknown_gallery_exits_with_2(valor):
    named = "gallery.name=shoutlab.Portraits"

    result = valor("run", "config.yaml", "--gallery", "worst", "--set", named)

    assert result.exit_code == 2
    assert "gallery 'shoutlab.Portraits': not declared by the plugin" in result.stderr


@pytest.mark.usefixtures("lab")
def test_workers_option_configures_engine(valor):
    record = run_json(valor, "--workers", "2", "--set", "engine.mode=threads")

    assert record["config"]["engine"] == {"mode": "threads", "workers": 2}
    assert record["results"][0]["value"] == 0.6


@pytest.mark.parametrize(
    ("key", "option"), [("engine", "--workers"), ("engine", "--set"), ("gallery", "--gallery")]
)
@pytest.mark.parametrize("value", ["local", "out", 3, [1]])
def test_option_for_section_that_is_no_table_exits_with_2(lab, valor, key, option, value):
    config = {"data": {"reader": "shoutlab.lines", "path": "lines.txt"}, key: value}
    (lab / "c.json").write_text(json.dumps(config | {"metrics": ["shoutlab.Loudness"]}))
    given = {"--workers": "2", "--set": "engine.workers=2", "--gallery": "worst"}

    result = valor("run", "c.json", option, given[option])

    if (key, value) == ("engine", "local"):
        assert result.exit_code == 0, result.stderr
    else:
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 2 or value == "out"
        assert "is a bug" not in result.stderr


@pytest.mark.usefixtures("lab")
def test_workers_option_configures_named_engine(valor):
    record = run_json(valor, "--set", "engine=local", "--workers", "2")

    assert record["config"]["engine"] == {"name": "local", "workers": 2}


@pytest.mark.usefixtures("lab")
def test_unmet_requirement_exits_with_1(valor):
    result = valor("run", "config.yaml", "--set", 'require={"Loudness": ">= 0.9"}')

    assert result.exit_code == 1
    assert "not met" in result.stdout
    assert result.stderr == "valor: Loudness >= 0.9: 0.6, not met\n"


@pytest.mark.usefixtures("lab")
def test_requirement_without_number_exits_with_2_and_keeps_report(valor):
    both = 'require={"Loudness": ">= 0.9", "Loudness/loud": ">= 0.5"}'

    result = valor("run", "config.yaml", "-o", "a.json", "--set", both)

    assert result.exit_code == 2
    assert "Loudness  0.6000" in result.stdout
    assert Report.load("a.json")["Loudness"].value == 0.6
    assert result.stderr == (
        "report written to a.json\n"
        "valor: Loudness >= 0.9: 0.6, not met\n"
        "valor: Loudness/loud >= 0.5: no result of 'Loudness' for 'loud'\n"
        "Write one of: Loudness.\n"
    )


@pytest.mark.usefixtures("lab")
def test_requirement_of_slice_is_checked(valor):
    sliced = ("--set", "slices=first", "--set", 'require={"Loudness/first:H": ">= 0.6"}')

    assert valor("run", "config.yaml", *sliced).exit_code == 0


@pytest.mark.usefixtures("lab")
def test_state_of_other_config_exits_with_2(valor):
    valor("run", "config.yaml", "-q", "--state", "s.npz")

    result = valor("run", "config.yaml", "--state", "s.npz", "--set", "metrics=shoutlab.Broken")

    assert result.exit_code == 2
    assert result.stderr.endswith("\nUse another state file, or remove this one.\n")


@pytest.mark.usefixtures("lab")
def test_failed_items_exit_with_1(valor):
    result = valor("run", "config.yaml", "--set", 'metrics=["shoutlab.Broken"]')

    assert result.exit_code == 1
    assert "valor: 2 items failed\n" in result.stderr
    assert "out of breath" in result.stdout


def test_metrics_of_module_can_be_selected(lab, valor):
    (lab / "mine.py").write_text(
        "import valor_core\n"
        "@valor_core.metric('mine.Length', task='text')\n"
        "def length(item) -> float:\n"
        "    return len(item.response)\n"
    )

    record = run_json(valor, "--set", "modules=mine.py", "--set", 'metrics=["mine.Length"]')

    assert record["results"][0]["value"] == 4.5


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere.yaml"], "valor: nowhere.yaml: no such file"),
        (["run", "config.yaml", "--set", "metrcs=1"], "Did you mean 'metrics'?"),
        (["run", "config.yaml", "--set", "nonsense"], "expected path=value"),
        (["run", "config.yaml", "--set", "data.path=no.txt"], "no.txt: cannot be read"),
        (
            ["run", "config.yaml", "--set", "plugins.shotlab=shoutlab"],
            "plugins.shotlab: no installed plugin claims this namespace\nDid you mean 'shoutlab'?",
        ),
        (
            ["run", "config.yaml", "--set", "plugins.shoutlab=louder"],
            "plugins.shoutlab: expected shoutlab, got 'louder'",
        ),
        (
            ["run", "config.yaml", "-o", "a.docx"],
            "expected .json, .csv, .html, .md, .pdf, .png, .svg, .txt or .xml",
        ),
        (["run"], "run: expected a config, or files of data, got nothing"),
        (["run", "config.yaml", "b.yaml"], "run: expected one config, got also b.yaml"),
        (["run", "config.yaml", "--workers", "0"], "--workers: expected"),
    ],
)
def test_invalid_request_exits_with_2(valor, arguments, message):
    result = valor(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["-o", "link.csv"],
            "output: expected a file that is not an input, link.csv is data.path",
        ),
        (
            ["-o", "config.json"],
            "output: expected a file that is not an input, config.json is the config itself",
        ),
        (
            ["-o", "counts.json", "--state", "counts.json"],
            "output: expected a file that is not an input, counts.json is state",
        ),
        (
            ["--state", "lines.csv"],
            "state: expected a file that is not an input, lines.csv is data.path",
        ),
        (
            ["-o", "lines.csv", "--set", "data.path=*.csv"],
            "output: expected a file that is not an input, lines.csv is data.path",
        ),
        (
            ["--set", "items=rows.jsonl", "--set", "data.path=rows.jsonl"],
            "items: expected a file that is not an input, rows.jsonl is data.path",
        ),
    ],
)
def test_run_does_not_overwrite_its_inputs(lab, valor, arguments, error):
    config = {"data": {"reader": "shoutlab.lines", "path": "lines.csv"}}
    (lab / "config.json").write_text(json.dumps(config | {"metrics": ["shoutlab.Loudness"]}))
    (lab / "lines.csv").write_text("Hello\nHELP\n")
    (lab / "link.csv").symlink_to("lines.csv")
    before = {path.name: path.read_text() for path in lab.iterdir()}

    result = valor("run", "config.json", *arguments)

    assert result.exit_code == 2
    assert result.stderr == f"valor: config.json: {error}\nChoose another file.\n"
    assert {path.name: path.read_text() for path in lab.iterdir()} == before


def test_failing_reader_is_named(lab, valor):
    (lab / "lines.txt").write_text("Hello\nCRASH\n")

    result = valor("run", "config.yaml")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: batch 1: lines.py, line 26: RuntimeError: reader fell over, raised in shoutlab\n"
    )


def test_interrupted_run_resumes_from_state(lab, valor):
    (lab / "lines.txt").write_text("Hello\nSTOP\n")

    stopped = valor("run", "config.yaml", "--state", "counts.npz")
    (lab / "lines.txt").write_text("Hello\nHELP\n")
    finished = valor("run", "config.yaml", "--state", "counts.npz", "--json")

    assert stopped.exit_code == 130
    assert "valor: run: stopped after 1 of 2 partitions, 1 items, saved in" in stopped.stderr
    assert finished.exit_code == 0
    assert json.loads(finished.stdout)["results"][0]["value"] == 0.6


@pytest.mark.usefixtures("lab")
def test_exit_codes_are_those_of_process(process):
    assert process("run", "config.yaml").returncode == 0
    assert process("run", "config.yaml", "--set", "metrics=shoutlab.Broken").returncode == 1
    assert process("run", "nowhere.yaml").returncode == 2


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("filter=uid == 3", "filter 'uid == 3': field 'uid' holds text and cannot be compared"),
        ("filter=uid = 3", "filter 'uid = 3': expected an operator such as == at character 5"),
        ("filter=wether == 3", "filter: no item has the metadata field 'wether'"),
        ("slices=[[]]", "slices[0]: expected at least one field, found none"),
    ],
)
def test_error_in_filter_or_slices_names_config(valor, setting, message):
    result = valor("run", "config.yaml", "--set", setting)

    assert result.exit_code == 2
    assert result.stderr.startswith(f"valor: config.yaml: {message}")


@pytest.mark.parametrize("key", ["data.path", "output", "state", "items", "modules"])
def test_path_with_nul_is_rejected(lab, valor, key):
    result = valor("run", "config.yaml", "--set", f'{key}="a\\u0000b.json"')

    assert result.exit_code == 2
    assert f"config.yaml: {key}" in result.stderr
    assert "must be" in result.stderr
    assert "is a bug" not in result.stderr


def test_control_characters_in_config_keys_are_escaped(lab, valor):
    (lab / "c.json").write_text('{"\\u001b[31mtask": 1, "metrics": "F1"}')

    result = valor("run", "c.json")

    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "\\x1b[31mtask: unknown key" in result.stderr


@pytest.mark.usefixtures("lab")
def test_unwritable_state_keeps_report(valor, monkeypatch):
    def full(*arguments):
        raise StateError("s.npz: cannot be written, No space left on device")

    monkeypatch.setattr("valor_core.evaluation.saved.save_state", full)

    result = valor("run", "config.yaml", "--state", "s.npz", "-o", "a.json")

    assert result.exit_code == 2
    assert "Loudness  0.6000" in result.stdout
    assert Report.load("a.json")["Loudness"].value == 0.6
    assert "report written to a.json\n" in result.stderr
    assert "valor: s.npz: cannot be written, No space left on device" in result.stderr


@pytest.mark.usefixtures("lab")
def test_worst_slices_are_options_of_slices_in_config(valor):
    given = ("--worst-slices", "3", "--set")
    for slices in ("slices=first", 'slices={"by": "first", "worst": 1}'):
        record = run_json(valor, *given, slices)
        assert record["config"]["slices"] == {"by": [["first"]], "worst": 3}

    result = valor("run", "config.yaml", "--worst-slices", "3")
    assert result.exit_code == 2
    assert "--worst-slices: expected slices in the config, found none" in result.stderr


def test_confidence_that_is_not_json_is_rejected_with_an_example(valor, tmp_path):
    (tmp_path / "config.yaml").write_text("task: text")
    result = valor("run", str(tmp_path / "config.yaml"), "--confidence", "{resamples: 200}")

    assert result.exit_code == 2
    assert result.stderr == (
        "valor: --confidence: expected a level or JSON, got '{resamples: 200}'\n"
        "Write it as: --confidence '{\"resamples\": 1000}'\n"
    )
