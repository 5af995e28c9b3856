"""Steps of the GitHub Action, run with bash, a pip and a gh that only record their arguments."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from attrs import frozen
from valor_hosts import github_action
from valor_hosts.github_action import annotation, annotations_of

from valor_core import Report, evaluate

ACTION = Path(__file__).parents[1] / "action" / "action.yml"
SETTINGS: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in SETTINGS["runs"]["steps"] if "run" in step}
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")

PYTHON = """#!{bash}
if [ "$1 $2" = "-m pip" ]; then echo "$PWD: $@" >> "$CALLS"; exit 0; fi
exec {python} "$@"
"""
GH = """#!{bash}
echo "$@" >> "$CALLS"
case "$1 $2" in
  "run list") echo "$RUNS" ;;
  "run download") mkdir -p "${{@: -1}}" && cp base.json "${{@: -1}}/report.json" ;;
  "api --paginate") echo "$COMMENTS" ;;
  api*) [ -z "$REFUSED" ] || {{ echo "$REFUSED" >&2; exit 1; }} ;;
esac
"""
CONFIG = """\
task: classification
data: {reader: predicted, path: rows.csv}
metrics: [Accuracy]
require:
  "Accuracy": ">= 0.9"
"""


@frozen
class Job:
    """Folder of a job, with the files that GitHub reads after each step."""

    folder: Path

    def run(self, name: str, inputs: Mapping[str, str], **environment: str) -> tuple[int, str]:
        """Run a step as the action does, and return its exit code and output."""
        step = STEPS[name]
        assert step["shell"] == "bash"
        given = {key: str(one.get("default", "")) for key, one in SETTINGS["inputs"].items()}
        given |= inputs
        own = {
            key: INPUT.sub(lambda match: given[match[1]], value)
            for key, value in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=os.environ | self.environment | own | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

    @property
    def environment(self) -> dict[str, str]:
        """Variables that the runner sets."""
        return {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "CALLS": str(self.folder / "calls"),
            "GITHUB_ACTION_PATH": str(ACTION.parent),
            "GITHUB_BASE_REF": "main",
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_REPOSITORY": "lab/model",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_WORKFLOW": "evaluation",
            "RUNNER_TEMP": str(self.folder / "temp"),
        }

    def text(self, name: str) -> str:
        """Return the text of a file, empty if it is missing."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    bash = shutil.which("bash")
    if bash is None or sys.platform == "win32":
        pytest.skip("no bash")
    (tmp_path / "bin").mkdir()
    for name, code in (("python", PYTHON), ("gh", GH)):
        program = tmp_path / "bin" / name
        program.write_text(code.format(bash=bash, python=sys.executable), encoding="utf-8")
        program.chmod(0o755)
    rows = "label,prediction\ncat,cat\ndog,dog\ndog,cat\ncat,cat\n"
    (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "evaluation.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "event.json").write_text('{"pull_request": {"number": 7}}', encoding="utf-8")
    return Job(tmp_path)


def base_report(job: Job, predictions: list[str]) -> None:
    truths = ["cat", "dog", "cat", "dog"]
    evaluate(truths, 2 * predictions, ["Accuracy"]).save(job.folder / "base.json")


INPUTS = {"config": "evaluation.yaml", "baseline": "base.json"}


def test_packages_are_installed_from_folder_of_action(job: Job) -> None:
    code, _ = job.run("Install Valor", {"packages": "text llm"})

    place, _, command = job.text("calls").strip().partition(": ")
    assert code == 0
    assert Path(place) == ACTION.parents[3]
    files = [name for name in command.split() if name.endswith(".txt")]
    assert files == [f"requirements/{name}.txt" for name in ("cli", "hosts", "text", "llm")]
    assert all((ACTION.parents[3] / name).is_file() for name in files)


def test_unmet_requirement_is_annotated_at_its_line(job: Job) -> None:
    base_report(job, ["cat", "cat"])

    code, output = job.run("Evaluate", INPUTS)

    assert code == 1
    assert (
        "::error file=evaluation.yaml,line=5,title=Accuracy::required >= 0.9, found 0.75" in output
    )
    assert output.count("::error") == 1
    assert job.text("output").splitlines()[1] == "ok=false"


def test_summary_has_requirements_and_comparison(job: Job) -> None:
    base_report(job, ["cat", "cat"])

    job.run("Evaluate", INPUTS)

    summary, _, details = job.text("summary").partition("<details>")
    assert summary.startswith("# Valor: evaluation.yaml\n\n**0 of 1 requirements met**\n")
    assert "| Accuracy | >= 0.9 | 0.75 | not met |" in summary
    assert "this branch is better than the base branch in 1 of 1 main number" in summary
    assert "**1 number compared, 1 better**" in summary
    assert "| Accuracy | 0.7500 |" in details
    comment = job.text("temp/valor/comment.md")
    assert comment == f"<!-- valor: evaluation.yaml -->\n{summary}".rstrip() + "\n"
    report = Report.load(
        dict(line.split("=") for line in job.text("output").splitlines())["report"]
    )
    assert report["Accuracy"].value == 0.75


def test_page_shows_comment_of_run_with_unmet_requirement(job: Job) -> None:
    page = (ACTION.parents[3] / "docs" / "hosts.md").read_text(encoding="utf-8")
    rows = job.text("rows.csv")
    (job.folder / "rows.csv").write_text(rows.replace("dog,cat", "dog,dog"), encoding="utf-8")
    job.run("Evaluate", {"config": "evaluation.yaml"})
    shutil.copy(job.folder / "temp/valor/report.json", job.folder / "base.json")
    (job.folder / "rows.csv").write_text(rows, encoding="utf-8")
    job.run("Evaluate", INPUTS)

    comment = job.text("temp/valor/comment.md").partition("\n")[2]

    assert "1 worse" in comment
    assert f"```text\n{comment}```" in page


def test_workflow_of_page_has_inputs_of_action() -> None:
    page = (ACTION.parents[3] / "docs" / "hosts.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(page.partition("```yaml\nname: evaluation")[2].partition("```")[0])

    (step,) = (one for one in workflow["jobs"]["evaluate"]["steps"] if "with" in one)

    assert "/plugins/hosts/action@" in step["uses"]
    assert step["with"].keys() <= SETTINGS["inputs"].keys()
    assert workflow["permissions"] == {
        "actions": "read",
        "contents": "read",
        "pull-requests": "write",
    }


def test_step_passes_if_requirements_are_met_and_nothing_is_worse(job: Job) -> None:
    base_report(job, ["cat", "cat"])
    text = CONFIG.replace(">= 0.9", ">= 0.5")
    (job.folder / "evaluation.yaml").write_text(text, encoding="utf-8")

    code, output = job.run("Evaluate", INPUTS)

    assert (code, output) == (0, "")
    assert job.text("output").splitlines()[1] == "ok=true"
    assert "**1 of 1 requirements met**" in job.text("summary")


def test_other_data_than_base_branch_is_a_warning(job: Job) -> None:
    evaluate(["cat", "dog"], ["cat", "cat"], ["Accuracy"]).save(job.folder / "base.json")
    text = CONFIG.replace(">= 0.9", ">= 0.5")
    (job.folder / "evaluation.yaml").write_text(text, encoding="utf-8")

    code, output = job.run("Evaluate", INPUTS)

    assert code == 0
    assert output == (
        "::warning file=evaluation.yaml,title=Valor::"
        "not comparable with the base branch: data: 2 items, then 4\n"
    )


@pytest.mark.parametrize(
    ("tolerance", "gate", "code"),
    [("0", "worse", 1), ("0.3", "worse", 0), ("0", "never", 0), ("0", "differ", 1), ("", "", 1)],
)
def test_worse_number_than_base_branch_fails(
    job: Job,
    tolerance: str,
    gate: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        report = evaluate(["cat", "dog", "cat", "dog"], ["cat", "dog", "cat", "cat"], ["Accuracy"])
        for path in command[command.index("-o") + 1 :: 2]:
            report.save(path)
        return subprocess.CompletedProcess(command, 0, stderr="")

    base_report(job, ["cat", "dog"])
    monkeypatch.setattr(github_action.subprocess, "run", run)
    names = ("CONFIG", "BASELINE", "TOLERANCE", "FAIL_ON")
    values = ("evaluation.yaml", str(job.folder / "base.json"), tolerance, gate)
    own = {f"VALOR_{name}": value for name, value in zip(names, values, strict=True)}
    for name, value in (job.environment | own).items():
        monkeypatch.setenv(name, value)

    assert github_action.main(["evaluate"]) == code

    message = "::error file=evaluation.yaml,title=Valor::compared with the base branch: 1 "
    assert (message in capsys.readouterr().out) == bool(code)
    assert (": the comparison fails" in job.text("summary")) == bool(code)


def test_unknown_gate_is_annotated(job: Job) -> None:
    code, output = job.run("Evaluate", {"config": "evaluation.yaml", "fail-on": "wors"})

    assert code == 2
    assert output == "::error title=Valor::fail-on: unknown value 'wors'. Did you mean 'worse'?\n"


def test_invalid_tolerance_is_annotated(job: Job) -> None:
    base_report(job, ["cat", "cat"])

    code, output = job.run("Evaluate", {"config": "evaluation.yaml", "tolerance": "1%"})

    assert code == 2
    assert output == (
        "::error title=Valor::tolerance: expected a number of at least 0, got '1%25'\n"
    )


def test_config_of_several_runs_is_annotated(job: Job) -> None:
    (job.folder / "evaluation.yaml").write_text(f"{CONFIG}runs: [small, large]\n", "utf-8")

    code, output = job.run("Evaluate", {"config": "evaluation.yaml"})

    assert code == 2
    assert "evaluation.yaml: runs: expected one run, found 2" in output
    assert "expected one run, found 2" in job.text("summary")


def test_missing_baseline_is_annotated(job: Job) -> None:
    code, output = job.run("Evaluate", {"config": "evaluation.yaml", "baseline": "old.json"})

    assert code == 2
    assert "old.json" in next(line for line in output.splitlines() if "title=Valor::" in line)


def test_broken_config_is_annotated_and_summarized(job: Job) -> None:
    (job.folder / "evaluation.yaml").write_text(CONFIG.replace("Accuracy", "Acuracy"), "utf-8")

    code, output = job.run("Evaluate", {"config": "evaluation.yaml"})

    assert code == 2
    assert "::error file=evaluation.yaml,title=Valor::valor: evaluation.yaml: " in output
    assert "**There is no report.**" in job.text("summary")
    assert "Did you mean" in job.text("temp/valor/comment.md")
    assert job.text("output") == "ok=false\n"


def test_report_of_base_branch_is_downloaded_and_compared(job: Job) -> None:
    base_report(job, ["cat", "dog"])

    code, output = job.run("Download the report of the base branch", {}, RUNS="42")
    job.run("Evaluate", {"config": "evaluation.yaml"})

    assert (code, output) == (0, "")
    listed, downloaded = job.text("calls").splitlines()
    assert "--branch main --workflow evaluation --status success" in listed
    assert downloaded.startswith("run download 42 --repo lab/model --name valor-report")
    assert "**1 number compared, 1 worse**: the comparison fails" in job.text("summary")


def test_first_run_has_nothing_to_compare_with(job: Job) -> None:
    code, output = job.run("Download the report of the base branch", {}, RUNS="")
    job.run("Evaluate", {"config": "evaluation.yaml"})

    assert code == 0
    assert output == (
        "::notice title=Valor::no report of the base branch: no successful run on main\n"
    )
    assert "There is no earlier report." in job.text("summary")


@pytest.mark.parametrize(
    ("comments", "call"),
    [
        ("", "--method POST repos/lab/model/issues/7/comments"),
        ("31\n32", "--method PATCH repos/lab/model/issues/comments/31"),
    ],
    ids=["new", "update"],
)
def test_comment_is_posted_or_updated(job: Job, comments: str, call: str) -> None:
    job.run("Evaluate", {"config": "evaluation.yaml"})

    code, output = job.run("Comment", {"config": "evaluation.yaml"}, COMMENTS=comments)

    listed, posted = job.text("calls").splitlines()
    assert (code, output) == (0, "")
    assert 'startswith("<!-- valor: evaluation.yaml -->")' in listed
    assert f"{call} --field body=@{job.folder / 'temp/valor/comment.md'}" in posted


def test_token_without_permission_to_comment_prints_notice(job: Job) -> None:
    job.run("Evaluate", {"config": "evaluation.yaml"})

    code, output = job.run(
        "Comment", {"config": "evaluation.yaml"}, REFUSED="HTTP 403", COMMENTS=""
    )

    assert (code, output) == (0, "::notice title=Valor::the summary is no comment: HTTP 403\n")


def test_inputs_reach_scripts_as_variables_only() -> None:
    assert STEPS.keys() == {
        "Install Valor",
        "Download the report of the base branch",
        "Evaluate",
        "Comment",
    }
    for name, step in STEPS.items():
        assert "${{" not in step["run"], name
    written = json.dumps(SETTINGS)
    assert set(INPUT.findall(written)) | {"comment"} == SETTINGS["inputs"].keys()


def test_line_breaks_and_separators_are_escaped() -> None:
    assert annotation("error", "50%\nmore", "a:b,c") == "::error title=a%3Ab%2Cc::50%25%0Amore"


def test_failed_items_and_warnings_are_annotated(tmp_path: Path) -> None:
    report = Report(results=(), counts={"read": 3, "failed": 2}, warnings=["an old file"])

    assert annotations_of(report, tmp_path / "missing.yaml") == [
        annotation("error", "2 items failed", "Valor", (tmp_path / "missing.yaml").as_posix()),
        annotation("warning", "an old file", "Valor", (tmp_path / "missing.yaml").as_posix()),
    ]


def test_long_comment_is_cut_at_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VALOR_CONFIG", "evaluation.yaml")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))

    github_action._write("| a row |\n" * 10_000, "whole", tmp_path)

    text = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert 60_000 < len(text) < 65_536
    assert text.endswith("| a row |\n\nThe summary of the job has the rest.\n")
