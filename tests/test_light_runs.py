"""A run creates only the parameter classes of the components that it uses."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).parent.parent / "examples"

COUNTED = """
import sys
import valor_cli

def parameter_classes(cls=object):
    for below in type.__subclasses__(cls):
        if any("valor" in field.metadata for field in vars(below).get("__attrs_attrs__", ())):
            yield below
        yield from parameter_classes(below)

sys.argv = ["valor", "run", "config.yaml", "--output", "report.json"]
try:
    valor_cli.main()
except SystemExit as ended:
    assert not ended.code, ended.code
print("made:", *(f"{cls.__module__}.{cls.__name__}" for cls in set(parameter_classes())))
"""


@pytest.mark.parametrize(
    ("example", "metric", "most"),
    [
        ("digits", "Accuracy", 10),
        ("detection", "AP", 13),
        ("segmentation", "IOU", 9),
        ("rgb", "NoiseRobustness", 5),
    ],
)
def test_run_of_one_metric_creates_few_parameter_classes(
    example: str, metric: str, most: int, tmp_path: Path
) -> None:
    folder = shutil.copytree(EXAMPLES / example, tmp_path / example)
    config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    chosen = {key: config[key] for key in ("task", "data")} | {"metrics": [metric]}
    (folder / "config.yaml").write_text(yaml.safe_dump(chosen), encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", COUNTED],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    made = done.stdout.rpartition("made:")[2].split()
    family = [
        name for name in made if not name.startswith(("valor_core.", "valor_cli.", "valor_report."))
    ]
    assert 2 <= len(family) <= most, family
