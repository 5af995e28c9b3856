from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
# Workers must import the same modules of this folder as the client.
sys.path.append(str(TESTS))
_NO_PAGE = ("--no-dashboard",)
# Dask checks its event loop for delays 50 times a second, most of the load of an idle cluster.
_SELDOM = {"DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s"}


class Cluster:
    """Scheduler and workers in separate processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[str]] = []
        arguments = ("--host", "127.0.0.1", "--port", "0", *_NO_PAGE)
        self.scheduler = self.start("dask_scheduler", *arguments, says="Scheduler at:").split()[-1]

    def start_workers(self, count: int, *, threads: int = 1, **environment: str) -> None:
        """Start workers without a nanny, which would restart them, in another folder."""
        for _ in range(count):
            arguments = (self.scheduler, "--no-nanny", "--nthreads", str(threads), *_NO_PAGE)
            self.start("dask_worker", *arguments, says="Starting established", **environment)

    def start(self, program: str, *arguments: str, says: str, **environment: str) -> str:
        """Start a Dask program and wait until it prints that it is ready."""
        path = os.pathsep.join(filter(None, (environment.pop("first", ""), str(TESTS))))
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", f"distributed.cli.{program}", *arguments],
            cwd=self.folder,
            env=os.environ | _SELDOM | {"PYTHONPATH": path} | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if says in line:
                return line
        raise AssertionError("".join(lines))

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.communicate()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Cluster of one test, which may kill its workers."""
    started = Cluster(tmp_path)
    yield started
    started.close()


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a scheduler with three workers, shared by the tests of a file.

    The cluster stops after each file, since an idle cluster slows other tests.
    """
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    started.start_workers(2)
    started.start_workers(1, threads=2)
    yield started.scheduler
    started.close()


COURTROOM = TESTS.parents[2] / "tests" / "plugins" / "courtroom"


class Judge:
    """Slow judge in a separate process that logs its questions."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "asked"
        self.process = subprocess.Popen(
            [sys.executable, str(COURTROOM / "server.py"), str(self.log), "0.02"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    @property
    def asked(self) -> Counter[str]:
        return Counter(self.log.read_text().splitlines() if self.log.exists() else ())

    def section(self, **options: Any) -> dict[str, Any]:
        return {"client": {"name": "lines", "port": self.port}, **options}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder with an installed plugin whose metrics wait for a judge."""
    site = tmp_path / "site"
    shutil.copytree(COURTROOM, site / "courtroom", ignore=shutil.ignore_patterns("__pycache__"))
    info = site / "valor_courtroom-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: valor-courtroom\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[valor.plugins]\ncourtroom = courtroom.plugin\n")
    monkeypatch.syspath_prepend(site)
    yield site
    for name in [name for name in sys.modules if name.partition(".")[0] == "courtroom"]:
        del sys.modules[name]


@pytest.fixture
def judge(site: Path, tmp_path: Path) -> Iterator[Judge]:
    started = Judge(tmp_path)
    yield started
    started.process.kill()
    started.process.communicate()
