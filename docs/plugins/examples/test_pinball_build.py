import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the package in a copy, with an entry point that its tests find."""
    copy = tmp_path_factory.mktemp("examples")
    for name in ("pinball", "regression"):
        shutil.copytree(FOLDER / name, copy / name)
    build = [sys.executable, "setup.py", "-q", "egg_info", "build_ext", "--inplace"]
    subprocess.run(build, cwd=copy / "pinball", check=True, capture_output=True)
    return copy / "pinball"


def run(folder, *command, **variables):
    path = os.pathsep.join([str(folder), str(folder.parent / "regression")])
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_pinball_passes_its_tests_compiled(built):
    assert "3 passed" in run(built, "pytest", "-q", "-p", "no:cacheprovider")


def test_pinball_passes_its_tests_with_numpy(built):
    tested = run(built, "pytest", "-q", "-p", "no:cacheprovider", VALOR_KERNELS="reference")
    assert "2 passed, 1 skipped" in tested


def test_config_of_pinball_uses_the_task_of_regression(built):
    # Errors -0.5, 0, 1, -1: (0.9 * 1 + 0.1 * (0.5 + 0 + 1)) / 4
    assert "0.2625" in run(built, "valor_cli", "run", "config.yaml")
