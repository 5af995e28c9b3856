"""Seconds that metrics wait for a judge which is a process of its own and takes 50 ms a call.

200 items, two calls in sequence for each, 16 items at a time, the serial engine: what cannot be
beaten is 200 / 16 * 2 * 0.05 = 1.25 s. Run it with: ``python benchmarks/judge.py``
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLUGINS = Path(__file__).parents[1] / "tests" / "plugins"
sys.path.insert(0, str(PLUGINS))

import courtroom.plugin  # noqa: E402

from valor_core import Registry, evaluate  # noqa: E402
from valor_core.schemas.text import Text  # noqa: E402

ITEMS, CALLS, SECONDS, WIDTH, TURNS = 200, 2, 0.05, 16, 5
LIMIT = ITEMS / WIDTH * CALLS * SECONDS


def main() -> None:
    """Print the table."""
    registry = Registry()
    registry.register("courtroom", courtroom.plugin)
    items = [Text(f"q{i}", response=f"answer {i}", metadata={"part": i % 5}) for i in range(ITEMS)]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [
                sys.executable,
                str(PLUGINS / "courtroom" / "server.py"),
                f"{folder}/log",
                str(SECONDS),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            section = {"client": {"name": "lines", "port": int(server.stdout.readline())}}
            section["width"] = WIDTH

            def seconds(**options: object) -> list[float]:
                taken = []
                for turn in range(TURNS):
                    own = {name: value for name, value in options.items() if name != "state"}
                    if "state" in options:
                        own["state"] = f"{folder}/{turn}.npz"
                    started = time.perf_counter()
                    report = evaluate(
                        items,
                        "courtroom.Grade",
                        resources={"judge": section},
                        registry=registry,
                        **own,
                    )
                    taken.append(time.perf_counter() - started)
                    assert report.facts["judge"]["calls"] == ITEMS * CALLS
                return taken

            rows = {
                "items gathered, serial engine": seconds(),
                "the same, in five slices": seconds(slices=["part"]),
                "the same, with a journal": seconds(state=True),
            }
        finally:
            server.kill()
            server.communicate()
    print(f"{ITEMS} items, {CALLS} calls of {SECONDS * 1000:.0f} ms each, {WIDTH} items at a time")
    print(f"{TURNS} turns; the call alone, after imports\n")
    print("| how | least, s | median, s | least, times the limit |\n| --- | --- | --- | --- |")
    for how, taken in rows.items():
        least, median = min(taken), statistics.median(taken)
        print(f"| {how} | {least:.2f} | {median:.2f} | {least / LIMIT:.2f} |")
    print(f"| limit: nothing but waiting | {LIMIT:.2f} | {LIMIT:.2f} | 1.00 |")


if __name__ == "__main__":
    main()
