"""Server: takes requests on loopback, answers them rightly or with the faults that are set."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from itertools import count
from typing import Any

import endpoint.contrary_faults
import endpoint.verdict_faults  # noqa: F401 - declares its faults
from endpoint.answers import FENCED
from endpoint.batches import Batches
from endpoint.dialects import FIELDS, answered, dialect_of, prompts_of, refused, rejection, right
from endpoint.reply_faults import REPLY_FAULTS, Said
from endpoint.wire_faults import WIRE_FAULTS, Exchange, message

REJECTIONS = (*FIELDS, "rejects_json_schema", "rejects_list_lengths")
BATCH_FAULTS = ("errored", "server_error", "expired")
SETTINGS: Mapping[str, Any] = {
    "latency": 0.0,
    "faults": {},
    "script": [],
    "seed": 0,
    "only": None,
    "key": None,
    "retry_after": 0.02,
    "slow_seconds": 1.0,
    "batch_looks": 2,
    "batch_end": "completed",
    "batch_faults": {},
}
"""Settings of the endpoint.

``faults`` maps names to shares of the calls. Whether a call meets one is drawn from ``seed``, the
request's content and how often it has come, so that it does not depend on the order of arrival. A
fault that has nothing to act on changes nothing and is not counted. ``script`` lists what becomes
of the next calls, before anything is drawn: a fault's name, null, or a table with a ``reply`` and
optionally a ``finish``. ``only`` is a pattern of the prompts that faults and script act on. ``key``
is a key without which no request is taken.
"""


class Server:
    """An endpoint in the dialects of OpenAI, Anthropic and Ollama."""

    def __init__(self) -> None:
        self.reset({})
        self.open = 0
        self.numbers = count(1)

    def reset(self, settings: Mapping[str, Any]) -> None:
        """Forget everything, and set what is given."""
        self.settings: dict[str, Any] = deepcopy(dict(SETTINGS))
        self.counters: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.log: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.connections: set[int] = set()
        self.batches = Batches(self.settings, self.ask_batch, self.counters)
        self.configure(settings)

    def configure(self, settings: Mapping[str, Any]) -> None:
        """Change what is given."""
        known = {*REPLY_FAULTS, *WIRE_FAULTS, *REJECTIONS}
        scripted = [one for one in settings.get("script", ()) if isinstance(one, str)]
        unknown = [name for name in [*settings.get("faults", {}), *scripted] if name not in known]
        unknown += [name for name in settings if name not in SETTINGS]
        unknown += [name for name in settings.get("batch_faults", {}) if name not in BATCH_FAULTS]
        if unknown:
            raise ValueError(f"no such setting or fault: {', '.join(unknown)}")
        self.settings.update(deepcopy(dict(settings)))

    # ---- what becomes of a call

    def drawn(self, shares: Mapping[str, float], key: str, times: int) -> str | None:
        """The fault that a call meets, by its content and how often it has come."""
        content = f"{self.settings['seed']} {key} {times}".encode()
        fraction = int.from_bytes(hashlib.sha256(content).digest()[:8]) / 2**64
        for name, share in shares.items():
            if fraction < share:
                return name
            fraction -= share
        return None

    def ask_batch(self, dialect: str, body: dict[str, Any]) -> tuple[Said, str | None]:
        """The answer to an entry of a batch, and the fault of the batch that it meets."""
        key, said = key_of(body), right(dialect, body)
        name = self.drawn(self.settings["faults"], key, 1)
        if name in REPLY_FAULTS:
            said = REPLY_FAULTS[name](said) or said
        return said, self.drawn(self.settings["batch_faults"], key, 1)

    async def answer(
        self, dialect: str, body: dict[str, Any], entry: dict[str, Any], wire: Exchange
    ) -> None:
        """Answer a call, with or without a fault."""
        scripted = self.settings["script"]
        plan: Any = None
        pattern = self.settings["only"]
        if pattern is None or re.search(pattern, "\n".join(prompts_of(body))):
            shares = self.settings["faults"]
            plan = scripted.pop(0) if scripted else self.drawn(shares, entry["key"], entry["count"])
        await asyncio.sleep(self.settings["latency"])
        if isinstance(plan, str) and plan in REJECTIONS:
            content = rejection(plan, dialect, body)
            if content:
                self.hit(plan, entry)
                await wire.refuse(400, content)
                return
        said = right(dialect, body)
        if isinstance(plan, dict):
            said = replace(said, text=plan["reply"], finish=plan.get("finish", "stop"))
        elif plan in REPLY_FAULTS and (changed := REPLY_FAULTS[plan](said)) is not None:
            self.hit(plan, entry)
            said = changed
        wire.body = json.dumps(answered(dialect, body, said)).encode()
        if isinstance(plan, str) and plan in WIRE_FAULTS:
            self.hit(plan, entry)
            await WIRE_FAULTS[plan](wire)
        else:
            await wire.send(200, wire.body)

    def hit(self, name: str, entry: dict[str, Any]) -> None:
        """Note that a call met a fault."""
        self.faults[name] += 1
        entry["fault"] = name

    # ---- HTTP

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        connection = next(self.numbers)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while not writer.is_closing():
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, path, _ = head[0].split(" ", 2)
                pairs = (line.partition(":") for line in head[1:] if line)
                headers = {name.lower(): value.strip() for name, _, value in pairs}
                body = await self._body(reader, headers)
                path = path.partition("?")[0]
                if path.startswith("/mock/"):
                    writer.write(self.control(path, body))
                else:
                    await self.call(method, path, headers, body, reader, writer, connection)
        writer.close()

    async def _body(self, reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await reader.readexactly(int(headers.get("content-length", 0)))
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append((await reader.readexactly(size + 2))[:-2])
        await reader.readline()
        return b"".join(parts)

    async def call(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        connection: int,
    ) -> None:
        """Answer one request that is not about the mock itself."""
        key = self.settings["key"]
        given = (headers.get(name, "") for name in ("authorization", "x-api-key", "api-key"))
        if key is not None and key not in {one.removeprefix("Bearer ") for one in given}:
            content = refused(dialect_of(path) or "openai", 401, "Incorrect API key provided.")
            writer.write(message(401, json.dumps(content).encode()))
            return
        other = self.batches.respond(method, path, headers, body)
        dialect = dialect_of(path)
        if other is not None:
            writer.write(message(*other))
            return
        if method != "POST" or dialect is None:
            content = refused("openai", 404, f"no such path: {method} {path}")
            writer.write(message(404, json.dumps(content).encode()))
            return
        asked = json.loads(body)
        entry = self._entered(path, headers, asked, connection)
        self.open += 1
        self.counters["max_in_flight"] = max(self.open, self.counters["max_in_flight"])
        log = self.log  # a reset begins another one
        try:
            await self.answer(dialect, asked, entry, Exchange(writer, dialect, b"", self.settings))
            if entry["fault"] == "hang":
                await reader.read()
            entry["state"] = "lost" if reader.at_eof() else "answered"
        except ConnectionError:
            entry["state"] = "lost"
            raise
        finally:
            self.open -= 1
            if log is self.log:
                self.counters[entry["state"]] += 1

    def _entered(
        self, path: str, headers: Mapping[str, str], body: dict[str, Any], connection: int
    ) -> dict[str, Any]:
        key = key_of(body)
        self.seen[key] += 1
        self.counters["requests"] += 1
        self.connections.add(connection)
        entry = {
            "key": key,
            "count": self.seen[key],
            "path": path,
            "fault": None,
            "state": "open",
            "headers": dict(headers),
            "body": body,
        }
        self.log.append(entry)
        return entry

    def control(self, path: str, body: bytes) -> bytes:
        """Answer what is asked of the mock itself."""
        try:
            if path == "/mock/reset":
                self.reset(json.loads(body or b"{}"))
            elif path == "/mock/settings":
                self.configure(json.loads(body))
            elif path == "/mock/log":
                return message(200, json.dumps(self.log).encode())
            elif path == "/mock/faults":
                names = {"reply": [*REPLY_FAULTS], "wire": [*WIRE_FAULTS], "request": [*REJECTIONS]}
                return message(200, json.dumps(names).encode())
        except ValueError as error:
            return message(400, str(error).encode())
        counters = dict.fromkeys(("requests", "answered", "lost", "batches", "batch_requests"), 0)
        counters |= {"max_in_flight": 0, "batch_looks": 0, **self.counters}
        content = counters | {"in_flight": self.open, "connections": len(self.connections)}
        return message(200, json.dumps(content | {"faults": self.faults}).encode())


def key_of(body: Mapping[str, Any]) -> str:
    """Return the question of a request without its delimiters."""
    text = json.dumps(body, sort_keys=True)
    fences = {match["fence"] for match in FENCED.finditer("\n".join(prompts_of(body)))}
    for fence in sorted(fences, key=len, reverse=True):
        text = text.replace(fence, "FENCE")
    return hashlib.sha256(text.encode()).hexdigest()[:16]
