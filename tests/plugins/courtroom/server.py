"""Server of a slow judge, which answers lines of JSON after a delay and logs questions."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any


class Server:
    """Grades texts by their share of vowels; a text with *busy* fails once."""

    def __init__(self, log: str, seconds: float) -> None:
        self.log = log
        self.seconds = seconds
        self.under_way = 0
        self.peak = 0
        self.seen: set[str] = set()

    def answer(self, text: str) -> dict[str, Any]:
        if "busy" in text and text not in self.seen:
            self.seen.add(text)
            return {"busy": True}
        letters = [letter for letter in text if letter.isalpha()]
        vowels = sum(letter in "aeiou" for letter in letters)
        return {"grade": vowels / max(len(letters), 1), "peak": self.peak}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = json.loads(await reader.readline())
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(f"{asked['text']}\n")
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        await asyncio.sleep(self.seconds)
        self.under_way -= 1
        writer.write(json.dumps(self.answer(asked["text"])).encode() + b"\n")
        await writer.drain()
        writer.close()


async def main(log: str, seconds: float) -> None:
    server = await asyncio.start_server(Server(log, seconds).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
