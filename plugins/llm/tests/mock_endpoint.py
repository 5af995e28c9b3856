"""Mock endpoint of a judge in a separate process, and its handle for tests.

Run by itself, ``python mock_endpoint.py --port 0`` prints its port and serves until it is ended:
``POST /v1/chat/completions`` as OpenAI does, ``/v1/messages`` as Anthropic does, ``/api/chat`` as
Ollama does, and the batches of the first two. ``POST /mock/reset`` and ``/mock/settings`` take the
settings that `endpoint.server` documents, ``GET /mock/counters`` and ``/mock/log`` tell what came.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    from endpoint.server import Server


class MockEndpoint:
    """A handle on a running mock endpoint.

    Parameters
    ----------
    port : int
        Where it listens on loopback.
    """

    def __init__(self, port: int) -> None:
        self.port = port

    @property
    def root(self) -> str:
        """Base of Ollama's and Anthropic's paths."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """Base of OpenAI's paths."""
        return f"{self.root}/v1"

    def reset(self, **settings: Any) -> None:
        """Forget counters, log, files and settings, and set what is given."""
        self._ask("POST", "/mock/reset", settings)

    def configure(self, **settings: Any) -> None:
        """Change some settings; counters stay."""
        self._ask("POST", "/mock/settings", settings)

    @property
    def counters(self) -> dict[str, Any]:
        """Numbers of requests, connections, calls in flight, faults and what else came."""
        return dict(self._ask("GET", "/mock/counters"))

    @property
    def log(self) -> list[dict[str, Any]]:
        """Every call: ``key``, ``count``, ``fault``, ``state``, ``headers`` and ``body``."""
        return list(self._ask("GET", "/mock/log"))

    @property
    def faults(self) -> dict[str, list[str]]:
        """Names of all faults: of the ``reply``, of the ``wire`` and of the ``request``."""
        return dict(self._ask("GET", "/mock/faults"))

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise ValueError(text.decode())
        return json.loads(text)


@contextmanager
def mock_endpoint() -> Iterator[MockEndpoint]:
    """A mock endpoint, as long as the block runs."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__)), "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield MockEndpoint(int(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


async def _serve(port: int) -> None:
    server = await asyncio.start_server(
        Server().serve, "127.0.0.1", port, limit=64 * 1024 * 1024, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    asyncio.run(_serve(parser.parse_args().port))
