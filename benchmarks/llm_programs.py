"""Programs that score with a judge: Valor and its peers, each in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PINS: Mapping[str, tuple[str, ...]] = {
    "ragas": (
        "ragas==0.4.3",
        "langchain-community<0.4.2",
        "instructor>=1.11",
        "langchain-openai",
    ),
    "deepeval": ("deepeval==4.3.1",),
    "valor-lite": ("valor-lite[openai]==0.39.0",),
}
"""What is installed for each peer; ragas cannot be imported without its pins."""

TITLES: Mapping[str, str] = {
    "valor": "Valor",
    "ragas": "ragas 0.4.3",
    "deepeval": "deepeval 4.3.1",
    "valor-lite": "valor-lite 0.39.0",
}
"""What tables call them."""


def default_folder() -> Path:
    """Where environments are kept, outside the repository."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "valor-benchmarks"


def interpreter(peer: str, folder: Path) -> str:
    """The interpreter of a peer's environment, which is made if it is not there."""
    if peer == "valor":
        return sys.executable
    place = folder / peer
    python = place / "bin" / "python"
    if not (place / "made").exists():
        print(f"{peer}: installing into {place}", file=sys.stderr, flush=True)
        venv.create(place, with_pip=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", *PINS[peer]], check=True, stdout=sys.stderr
        )
        (place / "made").touch()
    return str(python)


class Program:
    """One program, which is asked again and again.

    Parameters
    ----------
    peer : str
        ``"valor"`` or a peer.
    folder : Path
        Where the environments are.
    environment : mapping of str to str
        Further variables.
    """

    def __init__(
        self, peer: str, folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        script = HERE / "llm_peers" / f"with_{peer.replace('-', '_')}.py"
        self.command = [interpreter(peer, folder), str(script)]
        self.environment = {**os.environ, **(environment or {})}
        self.place = tempfile.TemporaryDirectory()  # some write files where they run
        self.process: subprocess.Popen[str] | None = None

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a request, or None if it took longer than its ``patience``."""
        if self.process is None:
            self.process = self._start([])
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        timer = threading.Timer(request["patience"], self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self.close()
            return None
        return dict(json.loads(line))

    def whole(self, request: Mapping[str, Any]) -> tuple[float, float, dict[str, Any]]:
        """Seconds and CPU seconds of a process of its own, and its answer."""
        start = time.perf_counter()
        process = self._start([json.dumps(request)])
        assert process.stdout is not None
        line = process.stdout.readline()
        _, _, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - start
        process.returncode = 0
        process.communicate()
        return taken, usage.ru_utime + usage.ru_stime, json.loads(line)

    def _start(self, arguments: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
            cwd=self.place.name,
        )

    def close(self) -> None:
        """End the process; another one is started for the next request."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
