"""Tests of the manifest and the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner
from valor_cli.program.program import program


def test_manifest_does_not_import_dask() -> None:
    code = "import sys, valor_dask.plugin; print(*{'dask', 'distributed'} & set(sys.modules))"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.split() == []


@pytest.mark.parametrize("arguments", [["list", "--engines"], ["doctor"], ["show", "dask.dask"]])
def test_command_line_shows_engine(arguments: list[str]) -> None:
    result = CliRunner().invoke(program, arguments)

    assert "valor-dask" in result.output


def test_script_without_main_guard_is_rejected(tmp_path: object) -> None:
    script = f"{tmp_path}/script.py"
    with open(script, "w") as file:
        file.write(
            "from valor_core import evaluate\n"
            "from valor_classification import from_arrays\n"
            "batch = from_arrays([0, 1], [0.2, 0.8])\n"
            "evaluate(batch, 'Accuracy', engine={'name': 'dask', 'workers': 1})\n"
        )

    ran = subprocess.run([sys.executable, script], capture_output=True, text=True)

    *_, message, remedy = ran.stderr.strip().splitlines()
    assert ran.returncode == 1
    assert "EngineError: engine: a cluster cannot be started here" in message
    assert remedy.startswith('Call it under `if __name__ == "__main__":`')
