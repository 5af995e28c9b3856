"""Judge and its client."""

import asyncio
import json

from valor_core.errors import ResourceStopped


class Lines:
    """Client that sends lines of JSON over a socket."""

    def __init__(self, parameters):
        self.port = parameters.port

    async def ask(self, text):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(json.dumps({"text": text}).encode() + b"\n")
        await writer.drain()
        answer = json.loads(await reader.readline())
        writer.close()
        return answer


class Judge:
    """Judge that calls a client within a budget."""

    def __init__(self, parameters, client):
        self.parameters = parameters
        self.client = client
        self.width = parameters.width
        self.stop = None
        self.calls = self.peak = 0
        self._note("open")

    async def ask(self, text):
        if self.parameters.budget is not None and self.calls >= self.parameters.budget:
            self.stop = f"budget of {self.parameters.budget} calls is spent"
            raise ResourceStopped(self.stop)
        self.calls += 1
        answer = await self.client.ask(text)
        if "busy" in answer:
            raise ConnectionError("the judge is busy")
        return answer["grade"]

    def facts(self):
        return {"calls": self.calls, "model": self.parameters.model}

    def close(self):
        self._note("close")

    def _note(self, what):
        if self.parameters.opened is not None:
            with self.parameters.opened.open("a") as file:
                file.write(f"{what}\n")
