"""Benchmark of judges: 200 samples of Faithfulness, 50 ms a call, 16 calls at a time.

    python benchmarks/llm.py --programs valor valor-lite --repeat 5

Valor and its peers ask the mock endpoint of the tests, each in an environment of its own. Nobody
can be faster than calls times latency by concurrency. *Call* is after a warm-up of two samples;
*whole process* is from the start of Python to its end, imports and connections included.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "plugins" / "llm" / "tests"))  # where the mock endpoint is

from llm_data import samples  # noqa: E402
from llm_programs import TITLES, Program, default_folder  # noqa: E402
from mock_endpoint import MockEndpoint, mock_endpoint  # noqa: E402
from turns import versions  # noqa: E402

MODES: Mapping[str, Mapping[str, str]] = {
    "valor": {"": "`evaluate`"},
    "valor-lite": {"threads": "in a pool of threads", "sequence": "as documented, one by one"},
    "ragas": {
        "collections": "collections, own semaphore",
        "langchain": "`evaluate`, LangChain",
        "llm_factory": "`evaluate`, llm_factory",
    },
    "deepeval": {"": "`evaluate`, no reason"},
}
SLOW = {"valor-lite sequence"}
"""What is measured once, since it takes half a minute."""
SAMPLES, LATENCY, WIDTH = 200, 0.05, 16
HEADER = (
    *("program", "how", "calls", "ideal, s", "call, s", "times ideal", "CPU, ms a call"),
    *("whole process, s", "its CPU, s", "connections", "most in flight"),
)


def measured(peer: str, program: Program, endpoint: MockEndpoint, repeat: int) -> Iterator[str]:
    """The rows of a program."""
    data, warm = samples(SAMPLES), samples(2, seed=1)
    for mode, how in MODES[peer].items():
        request = {
            "port": endpoint.port,
            "samples": data,
            "metric": "llm.Faithfulness",
            "mode": mode,
            "concurrency": WIDTH,
            "patience": 600.0,
            "call_timeout": 60.0,
        }
        program.ask(request | {"samples": warm})
        seconds, cpu, wholes, counters = [], [], [], {}
        for _ in range(1 if f"{peer} {mode}" in SLOW else repeat):
            endpoint.reset(latency=LATENCY)
            answer = program.ask(request)
            assert answer is not None
            counters = endpoint.counters
            _check(peer, answer, data)
            seconds.append(answer["seconds"])
            cpu.append(answer["cpu"])
            endpoint.reset(latency=LATENCY)
            *taken, answer = program.whole(request)
            _check(peer, answer, data)
            wholes.append(taken)
        program.close()
        calls = counters["requests"]
        ideal = calls * LATENCY / (1 if mode == "sequence" else WIDTH)
        best = min(seconds)
        cells = [
            *(TITLES[peer], how, str(calls), f"{ideal:.2f}", f"{best:.2f}", f"{best / ideal:.2f}"),
            f"{1000 * min(cpu) / calls:.2f}",
            *(f"{min(column):.2f}" for column in zip(*wholes, strict=True)),
            *(str(counters["connections"]), str(counters["max_in_flight"])),
        ]
        yield f"| {' | '.join(cells)} |"


def _check(peer: str, answer: Mapping[str, Any], data: list[dict[str, Any]]) -> None:
    """Every score is right; else there is nothing to compare."""
    for found, error, one in zip(answer["scores"], answer["errors"], data, strict=True):
        if found is None or abs(found - one["right"]) > 1e-9:
            raise SystemExit(f"{peer}: {found} in place of {one['right']}: {error}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--programs", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--environments", type=Path, default=default_folder())
    chosen = parser.parse_args()
    print(f"{versions(('valor-llm', 'urllib3'))}\n")
    print(f"{SAMPLES} samples, {1000 * LATENCY:.0f} ms a call, {WIDTH} calls at a time;", end=" ")
    print(f"the least of {chosen.repeat} turns\n")
    print(f"| {' | '.join(HEADER)} |\n|{' --- |' * len(HEADER)}", flush=True)
    with mock_endpoint() as endpoint:
        for peer in chosen.programs:
            for row in measured(peer, Program(peer, chosen.environments), endpoint, chosen.repeat):
                print(row, flush=True)


if __name__ == "__main__":
    main()
