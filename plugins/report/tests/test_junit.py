"""JUnit XML of reports and comparisons."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

from attrs import evolve
from valor_report import compare
from valor_report.requirements import parse_requirements

from valor_core import Failed, Report, Result


def report(**values: float) -> Report:
    results = [Result(type=n, metric=f"lab.{n}@1", value=value) for n, value in values.items()]
    return Report(results=results, counts={"read": 10})


def outcomes(file: Path) -> dict[str, str]:
    """Return the outcome of each test as a CI service reads it."""
    (suite,) = Xml.parse(file).getroot()
    found = {}
    for case in suite.iter("testcase"):
        children = [child.tag for child in case]
        found[str(case.get("name"))] = children[0] if children else "passed"
    assert int(suite.get("tests", 0)) == len(found)
    assert int(suite.get("failures", 0)) == list(found.values()).count("failure")
    return found


def test_requirements_are_tests(tmp_path: Path) -> None:
    required = parse_requirements({"F1": ">= 0.5", "AUC": ">= 0.9", "mAP": ">= 0.5"})
    report(F1=0.75, AUC=0.8).judged(required).save(tmp_path / "r.xml")

    assert outcomes(tmp_path / "r.xml") == {
        "F1 >= 0.5": "passed",
        "AUC >= 0.9": "failure",
        "mAP >= 0.5": "error",
    }


def test_numbers_are_properties(tmp_path: Path) -> None:
    report(F1=0.75).save(tmp_path / "r.xml")

    (found,) = Xml.parse(tmp_path / "r.xml").getroot().iter("property")
    assert found.attrib == {"name": "F1", "value": "0.75"}


def test_failed_metric_is_an_error_without_requirements(tmp_path: Path) -> None:
    failed = Result(type="F1", metric="lab.F1@1", value=Failed("out of \x00 memory"))
    Report(results=[failed], counts={"read": 1}).save(tmp_path / "r.xml")

    assert outcomes(tmp_path / "r.xml") == {"complete": "error"}


def test_worse_number_of_a_comparison_fails(tmp_path: Path) -> None:
    found = compare(report(F1=0.75, AUC=0.5, mAP=1), report(F1=0.5, AUC=0.5, mAP=0.5))
    verdicts = {"F1": "worse", "AUC": "same", "mAP": "unclear"}
    changes = tuple(evolve(one, verdict=verdicts[one.entry.result.type]) for one in found.changes)
    evolve(found, changes=changes).save(tmp_path / "c.xml", "")

    assert outcomes(tmp_path / "c.xml") == {"F1": "failure", "AUC": "passed", "mAP": "skipped"}


def test_lost_metric_of_a_comparison_fails(tmp_path: Path) -> None:
    compare(report(F1=0.75), report(AUC=0.5)).save(tmp_path / "c.xml", "")

    assert outcomes(tmp_path / "c.xml") == {"numbers": "failure"}
