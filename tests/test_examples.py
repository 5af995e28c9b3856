"""Examples name their extras and run without them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from valor_core.packages import OWNERS
from valor_core.specs import GallerySpec, MetricSpec, ReaderSpec, Registry, Spec

ROOT = Path(__file__).parent.parent
EXAMPLES = {path.parent.name: path for path in sorted(ROOT.glob("examples/*/config.yaml"))}
FAMILIES = {"digits": "valor-classification", "dota": "valor-detection"}
"""Distributions of examples that are not named like their folder."""

RUN = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import valor_cli
sys.argv = ["valor", "run", "config.yaml", "-o", "report.html"]
valor_cli.main()
"""


def key(name: str) -> str:
    return name.lower().replace("_", "-")


def plain(*requirements: str) -> set[str]:
    """Distributions that pip installs for requirements."""
    found: set[tuple[str, str]] = set()
    waiting = list(map(Requirement, requirements))
    while waiting:
        one = waiting.pop()
        for extra in {(key(one.name), extra) for extra in ("", *one.extras)} - found:
            found.add(extra)
            needed = map(Requirement, distribution(one.name).requires or ())
            waiting += [
                each
                for each in needed
                if not each.marker or each.marker.evaluate({"extra": extra[1]})
            ]
    return {name for name, _ in found}


def blocked(allowed: set[str]) -> set[str]:
    """Modules of other installed distributions, except those of this project."""
    return {
        module
        for module, owners in packages_distributions().items()
        if allowed.isdisjoint(map(key, owners))
        and not module.startswith(("valor_", "__editable__"))
    }


def chosen(config: dict[str, Any]) -> Iterator[Spec]:
    """Specs of the metrics, the reader and the gallery of a config."""
    registry, task = Registry(), config["task"]
    yield registry.find(ReaderSpec, config["data"]["reader"], task)
    for metric in config["metrics"]:
        name = metric if isinstance(metric, str) else metric["name"]
        yield registry.find(MetricSpec, name, task)
    if "gallery" in config:
        yield registry.find(GallerySpec, config["gallery"].get("name", "Gallery"), task)


@pytest.mark.parametrize("file", EXAMPLES.values(), ids=EXAMPLES)
def test_first_line_of_config_names_extras(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    installed = plain("valor-cli")

    for spec in chosen(yaml.safe_load(text)):
        owner = OWNERS[spec.namespace]
        if spec.extra and not plain(f"{owner}[{spec.extra}]") <= plain(owner) | installed:
            assert f"{owner}[{spec.extra}]" in text.partition("\n")[0]


def test_only_an_extra_of_text_installs_nltk() -> None:
    assert "nltk" in plain("valor-text[nltk]")
    assert "nltk" not in plain("valor-text", "valor-rgb[llm]", "valor-llm")


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs_in_plain_install_of_its_family(example: str, tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES[example].parent, tmp_path / example)
    allowed = plain("valor-cli", FAMILIES.get(example, f"valor-{example}"))

    done = subprocess.run(
        [sys.executable, "-c", RUN.format(blocked=blocked(allowed))],
        cwd=folder,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert "numpy" in allowed
    assert "pillow" not in allowed
    warnings = [line for line in done.stdout.splitlines() if line.startswith("Warning: gallery: ")]
    assert all("gallery: not drawn, " in line and "'PIL'" in line for line in warnings)
    assert bool(warnings) == (example in ("detection", "segmentation"))
