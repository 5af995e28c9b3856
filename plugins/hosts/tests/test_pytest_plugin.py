from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from valor_core import evaluate

TESTS = """\
import pytest


def test_good(valor):
    require = {"Accuracy": ">= 0.5"}
    report = valor.check(["cat", "dog"], ["cat", "cat"], ["Accuracy"], require=require)
    assert report["Accuracy"].value == 0.5


def test_bad(valor):
    require = {"F1/macro": ">= 0.9", "F1/cat": ">= 0.1"}
    valor.check(["cat", "dog"], ["cat", "cat"], ["F1"], require=require)


def test_saved(valor):
    valor.check("report.json")


def test_saved_with_requirement(valor):
    valor.check("labels.json", require={"Accuracy": ">= 0.9"})


def test_without_requirement(valor):
    valor.check(["cat"], ["cat"], ["Accuracy"])


def test_without_fixture():
    pass
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_model.py").write_text(TESTS, encoding="utf-8")
    evaluate(["a"], ["a"], ["ROCAUC"]).save(folder / "report.json")
    evaluate(["a", "b"], ["a", "a"], ["Accuracy"]).save(folder / "labels.json")
    return folder


@pytest.fixture(scope="module")
def done(folder: Path) -> subprocess.CompletedProcess[str]:
    return run_pytest(folder, "--junit-xml=junit.xml")


def test_failed_check_prints_table_of_unmet_requirements(
    done: subprocess.CompletedProcess[str],
) -> None:
    table = """\
AssertionError: 1 of 2 requirements not met

result    required     found  outcome
--------  --------  --------  -------
F1/macro  >= 0.9    0.333333  not met
"""
    lines = [re.sub("^E +", "", line).rstrip() for line in done.stdout.splitlines()]

    assert table in "\n".join(lines)
    assert 'valor.check(["cat", "dog"], ["cat", "cat"], ["F1"], require=require)' in done.stdout
    assert "checks.py" not in done.stdout.replace("checks.py:", "", 1)


def test_failed_check_reports_failed_metrics(done: subprocess.CompletedProcess[str]) -> None:
    assert "AssertionError: ROCAUC failed: expected a score with each prediction" in done.stdout
    assert "4 failed, 2 passed" in done.stdout


def test_requirement_of_saved_report_is_checked(done: subprocess.CompletedProcess[str]) -> None:
    assert "Accuracy  >= 0.9      0.5  not met" in done.stdout


def test_check_of_data_without_requirement_fails(done: subprocess.CompletedProcess[str]) -> None:
    assert "ConfigError: valor.check: expected requirements, got none" in done.stdout


def test_junit_file_has_numbers_as_properties(
    done: subprocess.CompletedProcess[str], folder: Path
) -> None:
    root = ElementTree.parse(folder / "junit.xml").getroot()

    found = {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in root.iter("testcase")
    }
    assert found["test_good"] == {"Accuracy": "0.5"}
    assert found["test_bad"]["F1/macro"] == "0.3333333333333333"
    assert found["test_without_fixture"] == {}


def test_plugin_imports_nothing_until_its_fixture_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_imports.py").write_text(
        "import sys\n"
        "def test_imports(pytestconfig):\n"
        "    assert pytestconfig.pluginmanager.hasplugin('valor')\n"
        "    found = {name.partition('.')[0] for name in sys.modules}\n"
        "    assert 'valor_hosts' in found\n"
        "    assert not found & {'valor_core', 'valor_report', 'attrs', 'numpy', 'sklearn'}\n",
        encoding="utf-8",
    )

    done = run_pytest(tmp_path, "-p", "no:hypothesispytest", "-p", "no:xdist")

    assert done.returncode == 0, done.stdout
