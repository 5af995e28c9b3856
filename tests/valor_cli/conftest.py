"""Fixtures with a plugin installed as pip does: a `.dist-info` folder on the path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

PLUGIN = """
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (GallerySpec, MetricSpec, Range, ReaderSpec, Reference, hookimpl)
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (ResourceSpec)
from shoutlab.parameters import Loudness, Lines


@hookimpl
def valor_metrics():
    return (
        ItemMetricSpec(
            name="shoutlab.Loudness", task="text", summary="Share of capitals in a response",
            parameters=Loudness, implementation="shoutlab.loudness:score",
            higher_is_better=True, range=Range(0, 1), aliases=("shouting",),
            references=(Reference("Capitals", "section 2"),), requires=("response",),
        ),
        ItemMetricSpec(
            name="shoutlab.Broken", task="text", summary="Fails on every item",
            implementation="shoutlab.loudness:broken",
            higher_is_better=False, range=Range(0, 1),
        ),
    )


@hookimpl
def valor_readers():
    return (
        ReaderSpec(name="shoutlab.lines", task="text", summary="A response on each line",
                   parameters=Lines, implementation="shoutlab.lines:LineReader"),
    )


@hookimpl
def valor_resources():
    return (ResourceSpec(name="shoutlab.megaphone", summary="Makes louder",
                         implementation="shoutlab.loudness:score"),)


@hookimpl
def valor_galleries():
    return (GallerySpec(name="shoutlab.Posters", task="text", summary="Draws responses",
                        implementation="shoutlab.posters:Posters"),)
"""
PARAMETERS = """
from pathlib import Path
from valor_core.parameters import (Within, parameter, parameters)


@parameters
class Loudness:
    floor: float = parameter(default=0.0, check=Within(0, 1), aliases=("minimum",),
                             help="Shares below this count as none.")


@parameters
class Lines:
    path: Path = parameter(help="File to read.")
    numbered_from: int = parameter(default=0, help="Uid of the first line.")
"""
LOUDNESS = """
from valor_core import Failed

def score(item, parameters, resources):
    share = sum(map(str.isupper, item.response)) / len(item.response)
    return share if share >= parameters.floor else 0.0

def broken(item, parameters, resources):
    return Failed("out of breath")
"""
POSTERS = """
from valor_report import Picture

class Posters:
    legend = {"loud": "red"}

    def __init__(self, parameters):
        pass

    def errors(self, batch):
        return [sum(map(str.islower, response)) for response in batch.responses]

    def draw(self, batch):
        return Picture(b"image", b"small", {"soft": self.errors(batch)[0]})
"""
LINES = """
from attrs import frozen
from valor_core.readers.reader import Position
from valor_core.errors import (ReadError)
from valor_core.schemas.text import (Text, TextBatch)

@frozen
class LineReader:
    parameters: object
    task: str

    def _lines(self):
        try:
            return self.parameters.path.read_text().splitlines()
        except OSError as error:
            raise ReadError(f"{self.parameters.path}: cannot be read") from error

    def partitions(self):
        return [Position(number) for number in range(len(self._lines()))]

    def read(self, partition):
        line = self._lines()[partition.number]
        if line == "STOP":
            raise KeyboardInterrupt
        if line == "CRASH":
            raise RuntimeError("reader fell over")
        uid = f"line {self.parameters.numbered_from + partition.number}"
        yield TextBatch.of([Text(uid, response=line, metadata={"first": line[:1]})])
"""
CONFIG = """\
data:
  reader: shoutlab.lines
  path: lines.txt
metrics:
  - shoutlab.Loudness
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with a config, data and an installed plugin."""
    site = tmp_path / "site"
    package, facts = site / "shoutlab", site / "shoutlab-1.2.dist-info"
    package.mkdir(parents=True)
    facts.mkdir()
    (package / "__init__.py").write_text("")
    for name, text in {
        "plugin": PLUGIN,
        "parameters": PARAMETERS,
        "loudness": LOUDNESS,
        "lines": LINES,
        "posters": POSTERS,
    }.items():
        (package / f"{name}.py").write_text(text)
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shoutlab\nVersion: 1.2\nProvides-Extra: horn\n"
        "Requires-Dist: surely-not-there-horn; extra == 'horn'\n"
    )
    (facts / "entry_points.txt").write_text("[valor.plugins]\nshoutlab = shoutlab.plugin\n")
    work = tmp_path / "work"
    work.mkdir()
    (work / "config.yaml").write_text(CONFIG)
    (work / "lines.txt").write_text("Hello\nHELP\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.chdir(work)
    yield work
    for name in [name for name in sys.modules if name.partition(".")[0] == "shoutlab"]:
        del sys.modules[name]


@pytest.fixture
def valor() -> Callable[..., Result]:
    """Run the program in this process."""
    from valor_cli.program.program import program

    def run(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(program, list(arguments), prog_name="valor", **options)

    return run


@pytest.fixture
def process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the program, or other code, in a separate process."""

    def run(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
        start = "from valor_cli import main; main()"
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", f"{code}\n{start}", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            env=os.environ | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            check=False,
        )

    return run
