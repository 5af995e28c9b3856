"""Programs of other people, installed into a new environment, give the recorded numbers again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "benchmarks/references"
RECORDED = Path(__file__).parent / "references"
PROGRAMS = {
    "voc": (["numpy", "shapely", "object-detection-metrics==0.4.post1"], "podm"),
    "open_images": (
        ["setuptools", "numpy==1.23.5", "tensorflow_object_detection_api==0.1.1"],
        "api",
    ),
}
"""Distributions, installed without their dependencies, and the key of their numbers."""


@pytest.mark.nightly
@pytest.mark.parametrize("script", PROGRAMS)
def test_program_gives_the_recorded_numbers_again(script: str, tmp_path: Path) -> None:
    distributions, key = PROGRAMS[script]
    if script == "open_images" and sys.version_info >= (3, 12):
        pytest.skip("NumPy 1.23, which the API needs, has no wheels for Python 3.12")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = tmp_path / "venv" / folder / "python"
    for name in distributions:
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps", name]
        installed = subprocess.run(command, capture_output=True, text=True, check=False)
        if installed.returncode:
            pytest.skip(f"pip cannot install {name}: {installed.stderr.strip()[-200:]}")

    output = tmp_path / "numbers.json"
    subprocess.run([python, SCRIPTS / f"{script}.py", "--output", output], check=True)

    recorded = json.loads((RECORDED / f"{script}.json").read_text("utf-8"))[key]
    found = json.loads(output.read_text("utf-8"))[key]
    assert [row[0] for row in found] == [row[0] for row in recorded]
    assert [row[1:] for row in found] == [pytest.approx(row[1:], abs=1e-11) for row in recorded]
