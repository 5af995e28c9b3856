"""Ask the YAML language server what it offers in configs, and check it.

Installs the server from npm into a temporary folder, and prints a table of the positions and
configs in ``tests/fixtures/editors.py``. Without npm, it says so and checks nothing.

    uv run python tests/editors/language_server.py
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from editors import CONFIGS, CURSOR, LARGEST, POSITIONS
from valor_cli.config.editor.json_schema import json_schema, schema_text

from valor_core import Registry

VERSION = "1.25.0"
SERVER = "node_modules/yaml-language-server/bin/yaml-language-server"
SCHEMA = "valor.schema.json"


class Client:
    """Client of a language server on its standard streams."""

    def __init__(self, server: subprocess.Popen[bytes], folder: Path) -> None:
        self.server, self.folder, self.number = server, folder, 0
        self.request("initialize", processId=None, rootUri=folder.as_uri(), capabilities={})
        self.notify("initialized")

    def labels(self, text: str) -> set[str]:
        """Return the labels offered at the cursor of a config."""
        before = text[: text.index(CURSOR)]
        at = {"line": before.count("\n") + 1, "character": len(before) - before.rfind("\n") - 1}
        with self.opened(text.replace(CURSOR, "")) as uri:
            found = self.request("textDocument/completion", textDocument={"uri": uri}, position=at)
        return {item["label"] for item in found["items"]}

    def problems(self, text: str) -> list[str]:
        """Return the messages shown for a config."""
        with self.opened(text) as uri:
            while True:
                message = self._read()
                found = message.get("params", {})
                is_found = message.get("method") == "textDocument/publishDiagnostics"
                if is_found and found["uri"] == uri:
                    return [one["message"] for one in found["diagnostics"]]
                self._reply(message)

    @contextmanager
    def opened(self, text: str) -> Iterator[str]:
        """Open a config that names the schema; yield its address."""
        self.number += 1
        uri = (self.folder / f"config{self.number}.yaml").as_uri()
        text = f"# yaml-language-server: $schema={SCHEMA}\n{text}"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        yield uri
        self.notify("textDocument/didClose", textDocument={"uri": uri})

    def request(self, method: str, **parameters: Any) -> Any:
        """Send a request and return its result."""
        self.number += 1
        number = self.number
        self._write({"id": number, "method": method, "params": parameters})
        while True:
            message = self._read()
            if message.get("id") == number and "method" not in message:
                return message["result"]
            self._reply(message)

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a notification."""
        self._write({"method": method, "params": parameters})

    def _reply(self, message: dict[str, Any]) -> None:
        """Answer a request of the server for settings: all are the defaults."""
        if "method" in message and "id" in message:
            items = message.get("params", {}).get("items")
            self._write({"id": message["id"], "result": [None] * len(items) if items else None})

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        length = 0
        while line := self.server.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise SystemExit("the language server stopped")
        message: dict[str, Any] = json.loads(self.server.stdout.read(length))
        return message


@contextmanager
def client(folder: Path) -> Iterator[Client]:
    """Start the server in a folder and stop it at the end."""
    command = ["node", SERVER, "--stdio"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe) as server:
        try:
            yield Client(server, folder)
        finally:
            server.kill()


def main() -> int:
    """Print the table; return 1 if a row of it is wrong."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        print("not checked: the YAML language server needs node and npm")
        return 0
    registry = Registry()
    schema = schema_text(json_schema(registry))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / SCHEMA).write_text(schema, encoding="utf-8")
        install = [npm, "install", "--silent", "--no-audit", f"yaml-language-server@{VERSION}"]
        if subprocess.run(install, cwd=folder, check=False).returncode:
            print("not checked: npm cannot install the YAML language server")
            return 0
        with client(folder) as server:
            rows = [*_rows(server, registry)]
    size = len(schema.encode())
    rows.append(("size of the schema", f"{size // 1000} KB", size <= LARGEST))
    print("| position | offered | |\n| --- | --- | --- |")
    for position, found, is_right in rows:
        print(f"| {position} | {found} | {'right' if is_right else 'wrong'} |")
    return 0 if all(is_right for _, _, is_right in rows) else 1


def _rows(server: Client, registry: Registry) -> Iterator[tuple[str, str, bool]]:
    for title, position in POSITIONS.items():
        found = server.labels(position.text)
        wrong = sorted(found ^ position.expected(registry))
        yield title, f"{len(found)}{' wrong: ' * bool(wrong)}{', '.join(wrong)}", not wrong
    for title, (text, problem) in CONFIGS.items():
        problems = server.problems(text)
        is_right = len(problems) == (problem is not None)
        yield title, "; ".join(problems).replace("\n", " ")[:100] or "no problem", is_right


if __name__ == "__main__":
    raise SystemExit(main())
