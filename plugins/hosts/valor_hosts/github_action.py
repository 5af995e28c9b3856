"""Steps of the GitHub Action: evaluate, compare with the base branch, annotate and comment.

``python -m valor_hosts.github_action STEP`` runs one of them, with the environment that
``plugins/hosts/action/action.yml`` sets.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from attrs import evolve
from valor_report import Comparison, compare, requirement_table, troubles

from valor_core import Registry, Report
from valor_core.errors import ConfigError, ValorError, did_you_mean

GATES = ("worse", "differ", "never")
"""Values of the input ``fail-on``."""

LIMIT = 65_000
"""Characters of a comment; GitHub accepts 65,536."""


def annotation(level: str, message: str, title: str = "", file: str = "", line: int = 0) -> str:
    """Return a workflow command that annotates a run or a line of a file.

    Parameters
    ----------
    level : str
        ``error``, ``warning`` or ``notice``.
    message, title : str
        Text and title.
    file : str
        Path in the repository.
    line : int
        Line of the file, from 1 on.

    Examples
    --------
    >>> annotation("error", "required >= 0.9, found 0.5", "F1/macro", "evaluation.yaml", 7)
    '::error file=evaluation.yaml,line=7,title=F1/macro::required >= 0.9, found 0.5'
    """
    values = {"file": file, "line": str(line) if line else "", "title": title}
    given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in values.items() if value)
    return f"::{level}{' ' if given else ''}{given}::{_escaped(message)}"


def _escaped(text: str, special: str = "") -> str:
    return "".join(f"%{ord(c):02X}" if c in f"%\r\n{special}" else c for c in text)


def annotations_of(report: Report, config: Path) -> list[str]:
    """Return an annotation for each unmet requirement, other trouble and warning.

    Parameters
    ----------
    report : Report
        Report of the run.
    config : Path
        Config of the run. Annotations of requirements point to their lines.
    """
    lines = config.read_text(encoding="utf-8").splitlines() if config.is_file() else []
    file = config.as_posix()
    unmet = [one for one in report.requirements if not one.met]
    found = [
        annotation(
            "error",
            f"required {one.condition}, found {one.found}",
            one.name,
            file,
            _line_of(one.name, lines),
        )
        for one in unmet
    ]
    others = [text for text in troubles(report) if text not in map(str, unmet)]
    found += [annotation("error", text, "Valor", file) for text in others]
    return found + [annotation("warning", text, "Valor", file) for text in report.warnings]


def _line_of(name: str, lines: list[str]) -> int:
    """Return the number of the line that has a name as its key, or 0."""
    key = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[:=]")
    return next((number for number, line in enumerate(lines, 1) if key.match(line)), 0)


def summary(config: str, report: Report, comparison: Comparison | None, gate: str) -> str:
    """Return the result of a run as Markdown.

    Parameters
    ----------
    config : str
        Path of the config.
    report : Report
        Report of the run.
    comparison : Comparison or None
        Differences from the report of the base branch, if there is one.
    gate : str
        Kind of difference that fails the step: ``worse``, ``differ`` or ``never``.
    """
    unmet = [one for one in report.requirements if not one.met]
    parts = [f"# Valor: {config}"]
    if report.requirements:
        count = len(report.requirements)
        parts.append(f"**{count - len(unmet)} of {count} requirements met**")
    others = [text for text in troubles(report) if text not in map(str, unmet)]
    parts += ["\n".join(f"- {text}" for text in others)] if others else []
    parts += [table.markdown() for table in requirement_table(report.requirements)]
    parts.append("## Compared with the base branch")
    if comparison is None:
        parts.append("There is no earlier report.")
    else:
        failing = _failing(comparison, gate)
        parts.append(str(comparison.answer))
        parts.append(f"**{comparison.summary}**{': the comparison fails' if failing else ''}")
        if comparison.remarks:
            parts.append("\n".join(f"- {remark}" for remark in comparison.remarks))
        parts += [table.markdown() for table in comparison.tables(whole=False)]
    return "\n\n".join(parts) + "\n"


def _failing(comparison: Comparison, gate: str) -> tuple[str, ...]:
    if gate == "never":
        return ()
    if gate == "differ":
        return comparison.failing("differ")
    # A branch may change data and parameters on purpose: a warning names them.
    return evolve(comparison, incomparable=()).failing("worse")


def evaluate() -> int:
    """Run the evaluation, write the summary and the comment, and print annotations.

    Returns
    -------
    int
        Exit code: that of ``valor run``, or 1 if the comparison fails.
    """
    config, folder = os.environ["VALOR_CONFIG"], _folder()
    gate = os.environ.get("VALOR_FAIL_ON") or "worse"
    if gate not in GATES:
        hint = did_you_mean(gate, GATES) or f"Write one of: {', '.join(GATES)}."
        print(annotation("error", f"fail-on: unknown value {gate!r}. {hint}", "Valor"))
        return 2
    tolerance = _tolerance(os.environ.get("VALOR_TOLERANCE") or "0")
    outputs = [folder / f"report.{suffix}" for suffix in ("json", "html", "md")]
    for path in (*outputs, *folder.glob("report-*"), folder / "comment.md"):
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "valor_cli", "run", config, "--quiet"]
    for path in outputs:
        command += ["-o", str(path)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    sys.stderr.write(done.stderr)
    if several := sorted(folder.glob("report-*.json")):
        expected = f"{config}: runs: expected one run, found {len(several)}"
        return _failed(config, f"{expected}\nWrite a config for each run.", 2)
    if not outputs[0].is_file():
        return _failed(config, done.stderr, done.returncode or 1)
    report = Report.load(outputs[0])
    found = annotations_of(report, Path(config))
    comparison = _comparison(report, folder, tolerance)
    failing = () if comparison is None else _failing(comparison, gate)
    if failing:
        text = f"compared with the base branch: {', '.join(failing)}"
        found.append(annotation("error", text, "Valor", config))
    for reason in () if comparison is None else comparison.incomparable:
        text = f"not comparable with the base branch: {reason}"
        found.append(annotation("warning", text, "Valor", config))
    print(*found, sep="\n", end="\n" if found else "", flush=True)
    code = done.returncode or int(bool(failing))
    text = summary(config, report, comparison, gate)
    details = outputs[-1].read_text(encoding="utf-8").partition("\n")[2]
    _write(text, f"{text}\n<details><summary>Report</summary>\n{details}\n</details>\n", folder)
    _output(report=str(outputs[0]), ok=str(code == 0).lower())
    return code


def _comparison(report: Report, folder: Path, tolerance: float) -> Comparison | None:
    """Compare with the baseline that the action names or has downloaded."""
    named = os.environ.get("VALOR_BASELINE")
    path = Path(named) if named else folder / "base" / "report.json"
    if not named and not path.is_file():
        return None
    names = ("the base branch", "this branch")
    earlier = Report.load(path)
    return compare(earlier, report, tolerance=tolerance, registry=Registry(), names=names)


def _tolerance(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (tolerance := float(text)) < inf:
            return tolerance
    raise ConfigError(f"tolerance: expected a number of at least 0, got {text!r}")


def _failed(config: str, errors: str, code: int) -> int:
    """Report a run without results."""
    line = next(iter(errors.splitlines()), f"valor run ended with exit code {code}")
    print(annotation("error", line, "Valor", config), flush=True)
    text = f"# Valor: {config}\n\n**There is no report.**\n\n```text\n{errors.rstrip()}\n```\n"
    _write(text, text, _folder())
    _output(ok="false")
    return code


def _write(comment: str, whole: str, folder: Path) -> None:
    marked = f"{_marker(os.environ['VALOR_CONFIG'])}\n{comment}"
    if len(marked) > LIMIT:
        marked = (
            f"{marked[:LIMIT].rpartition(chr(10))[0]}\n\nThe summary of the job has the rest.\n"
        )
    (folder / "comment.md").write_text(marked, encoding="utf-8")
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(whole)


def _output(**values: str) -> None:
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.writelines(f"{key}={value}\n" for key, value in values.items())


def _marker(config: str) -> str:
    """Return the first line of the comment about a config, by which it is found again."""
    return f"<!-- valor: {config.replace('--', '- -')} -->"


def _folder() -> Path:
    folder = Path(os.environ["RUNNER_TEMP"], "valor")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def download() -> int:
    """Download the newest report of the base branch, with the program ``gh``.

    Returns
    -------
    int
        0, also if there is no report: a notice then gives the reason.
    """
    repository, branch = os.environ["GITHUB_REPOSITORY"], os.environ["GITHUB_BASE_REF"]
    artifact, folder = os.environ["VALOR_ARTIFACT"], _folder() / "base"
    try:
        listed = _gh("run", "list", "--repo", repository, "--branch", branch,
                     "--workflow", os.environ["GITHUB_WORKFLOW"], "--status", "success",
                     "--limit", "1", "--json", "databaseId", "--jq", ".[].databaseId")  # fmt: skip
        run = listed.strip()
        if not run:
            raise _GitHubError(f"no successful run on {branch}")
        _gh("run", "download", run, "--repo", repository, "--name", artifact, "--dir", str(folder))
    except _GitHubError as error:
        print(annotation("notice", f"no report of the base branch: {error}", "Valor"))
    return 0


def comment() -> int:
    """Post the summary as a comment of the pull request, or update the earlier one.

    Returns
    -------
    int
        0, also if the token may not comment: a notice then gives the reason.
    """
    body = _folder() / "comment.md"
    if not body.is_file():
        return 0
    event: Any = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    repository = f"repos/{os.environ['GITHUB_REPOSITORY']}"
    place = f"{repository}/issues/{event['pull_request']['number']}/comments"
    marker = json.dumps(_marker(os.environ["VALOR_CONFIG"]))
    earlier = f".[] | select(.body | startswith({marker})) | .id"
    try:
        found = _gh("api", "--paginate", place, "--jq", earlier).split()
        method = ("--method", "PATCH") if found else ("--method", "POST")
        target = f"{repository}/issues/comments/{found[0]}" if found else place
        _gh("api", *method, target, "--field", f"body=@{body}")
    except _GitHubError as error:
        print(annotation("notice", f"the summary is no comment: {error}", "Valor"))
    return 0


class _GitHubError(Exception):
    """A failed command of gh."""


def _gh(*arguments: str) -> str:
    try:
        done = subprocess.run(["gh", *arguments], capture_output=True, text=True, encoding="utf-8")
    except OSError as error:
        raise _GitHubError(f"gh: {error}") from error
    if done.returncode:
        raise _GitHubError(done.stderr.strip() or f"gh ended with exit code {done.returncode}")
    return done.stdout


STEPS = {"download": download, "evaluate": evaluate, "comment": comment}


def main(arguments: list[str]) -> int:
    """Run a step.

    Parameters
    ----------
    arguments : list of str
        Name of the step.

    Examples
    --------
    >>> main(["evaluat"])
    ::error title=Valor::unknown step 'evaluat'. Did you mean 'evaluate'?
    2
    """
    (name,) = arguments
    if name not in STEPS:
        hint = did_you_mean(name, STEPS) or f"Steps are: {', '.join(STEPS)}."
        print(annotation("error", f"unknown step {name!r}. {hint}", "Valor"))
        return 2
    try:
        return STEPS[name]()
    except ValorError as error:
        print(annotation("error", str(error), "Valor"))
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
