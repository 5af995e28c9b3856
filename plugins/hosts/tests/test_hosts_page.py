"""Programs of docs/hosts.md, each with its real host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "hosts.md"
BLOCK = re.compile(
    r"<!-- file: (\w+)\.py -->\n```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S
)
PROGRAMS = {name: (code, output) for name, code, output in BLOCK.findall(PAGE.read_text("utf-8"))}
NEEDED = {
    "dask": ("dask.dataframe",),
    "inspect_ai": ("inspect_ai",),
    "lightning": ("lightning",),
    "lm_eval": ("lm_eval",),
    "mlflow": ("mlflow",),
    "opentelemetry": ("opentelemetry.sdk",),
    "ray": ("ray",),
    "spark": ("pyspark",),
    "tensorboard": ("tensorboard", "torch"),
    "torch": ("torch",),
    "transformers": ("transformers", "torch"),
    "wandb": ("wandb",),
}
"""Modules that the program of each host imports."""

OFFLINE = {
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "offline",
}


def test_page_has_program_for_each_host() -> None:
    assert {name.removeprefix("with_") for name in PROGRAMS} == {*NEEDED, "iris", "test_model"}


def is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.hosts
@pytest.mark.parametrize("host", NEEDED)
def test_program_prints_output_of_page(host: str, tmp_path: Path) -> None:
    missing = [module for module in NEEDED[host] if not is_installed(module)]
    if missing:
        assert not os.environ.get("VALOR_ALL_HOSTS"), f"{missing[0]} is not installed"
        pytest.skip(f"host {host}: {missing[0]} is not installed")
    code, output = PROGRAMS[f"with_{host}"]
    (tmp_path / "iris.py").write_text(PROGRAMS["iris"][0], encoding="utf-8")
    (tmp_path / "program.py").write_text(code, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=os.environ | OFFLINE | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(output), done.stdout + done.stderr
