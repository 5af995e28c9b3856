"""A few cases of each fuzzer, to detect broken scripts before the nightly run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from valor_detection.kernels import KERNELS

FOLDER = Path(__file__).parent / "fuzz"
ROOT = FOLDER.parent.parent
FUZZERS = {
    "scanner": 240,
    "masks": 160,
    "readers": 12,
    "states": 5,
    "configs": 12,
    "reports": 12,
    "replies": 100,
}


def ran(fuzzer: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(fuzzer), "--seed", "9", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", FUZZERS)
def test_fuzzer_finds_no_failures(name: str, tmp_path: Path) -> None:
    cases = str(FUZZERS[name])
    done = ran(FOLDER / f"{name}.py", "--cases", cases, "--failures", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{name}: seed 9\n{name}: {cases} cases (")


def test_nightly_run_includes_every_fuzzer() -> None:
    scripts = {path.stem for path in FOLDER.glob("*.py") if "__main__" in path.read_text()}
    assert scripts == set(FUZZERS)
    (line,) = [
        line for line in (ROOT / ".ci/nightly").read_text().splitlines() if "fuzzers=(" in line
    ]
    assert set(line.partition("(")[2].rstrip(")").split()) == set(FUZZERS)


BAD = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, {folder!r})
from cases import fuzz
from valor_core.errors import PartitionError

def case(draw, folder):
    Path(folder, "input").write_text("kept")
    with Path(sys.argv[0]).with_name("begun" + os.environ["VALOR_KERNELS"]).open("a") as begun:
        begun.write(".")
        number = begun.tell()
    if number == 1:
        1 / 0
    if number == 2:
        raise PartitionError("a: IndexError: out of bounds")
    if number == 3:
        return os.environ["VALOR_KERNELS"] or "C"
    if number == 4:
        os.abort()
    while os.environ["VALOR_KERNELS"]:
        time.sleep(0.1)
    return "done"

if __name__ == "__main__":
    sys.exit(fuzz(case, None))
"""


def test_failed_cases_are_reported_with_seeds_and_files(tmp_path: Path) -> None:
    script, kept = tmp_path / "bad.py", tmp_path / "kept"
    script.write_text(BAD.format(folder=str(FOLDER)))
    done = ran(script, "--cases", "5", "--limit", "4", "--failures", str(kept))
    assert done.returncode == 1, done.stdout + done.stderr
    failures = done.stdout.split("FAILED case ")[1:]
    wanted = [
        ("9:0, ", "ZeroDivisionError: division by zero"),
        ("9:1, ", "expected an error that is explained"),
        ("9:2, kernels both", "compiled: C\nNumPy:    NumPy"),
        ("9:3, ", "ended by SIGABRT"),
        ("9:4, kernels NumPy", "no answer in 4 s"),
    ]
    if KERNELS.library is None:
        del wanted[2]
    for failure, (case, message) in zip(failures, wanted, strict=True):
        name = case.partition(",")[0]
        assert failure.startswith(case)
        assert message in failure
        assert f"Again: python {script} --case {name}\n" in failure
        files = list(kept.glob(f"bad-{name.replace(':', '-')}/*/input"))
        assert {path.read_text() for path in files} == {"kept"}
