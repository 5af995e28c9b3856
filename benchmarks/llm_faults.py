"""Table of faults: what Valor and its peers make of endpoints that fail, and of replies that err.

    python benchmarks/llm_faults.py --only one_short http_429

Samples with known scores are judged by the mock endpoint of the tests, one kind of fault at a time.
Every program gets the same faults at the same share of its calls. The whole table is written to
``docs/llm/faults.md``, a part of it is printed. What Valor says of samples without a score is
printed, too. Outcomes of the peers are kept beside their environments and in ``llm_peers``; with
``--kept``, no environment of a peer is made, and kinds without an outcome stay empty.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "plugins" / "llm" / "tests"))  # where the mock endpoint is

from llm_data import rated_samples, samples  # noqa: E402
from llm_fault_kinds import CONTRARY, GROUPS, OF_IDS, RATINGS, RUBRIC, SHARES  # noqa: E402
from llm_fault_page import Outcome, Row, page  # noqa: E402
from llm_programs import TITLES, Program, default_folder  # noqa: E402
from mock_endpoint import MockEndpoint, mock_endpoint  # noqa: E402

MODES = {"valor": "", "ragas": "collections", "deepeval": "", "valor-lite": "threads"}
ASKED: Mapping[str, Any] = {  # of metrics with parameters
    "llm.Rubric": {"name": "llm.Rubric", "criteria": "Is it clear?", "fields": ["response"]}
}
PEERS = Path(__file__).with_name("llm_peers")
PAGE = ROOT / "docs" / "llm" / "faults.md"
WIDTH, LATENCY, CALL_TIMEOUT, PATIENCE = 16, 0.01, 10.0, 120.0


def outcome(
    peer: str,
    program: Program,
    endpoint: MockEndpoint,
    fault: str,
    metric: str,
    data: Sequence[Any],
) -> Outcome:
    """What a program makes of a fault."""
    request = {
        "port": endpoint.port,
        "samples": data,
        "metric": ASKED.get(metric, metric),
        "mode": MODES[peer],
        "concurrency": WIDTH,
        "patience": PATIENCE,
        "call_timeout": CALL_TIMEOUT,
    }
    if program.process is None:  # what it imports and builds at first is no part of it
        endpoint.reset()
        program.ask(request | {"samples": data[:2]})
    shares = {fault: SHARES.get(fault, 0.2)} if fault else {}
    drip = 3 * CALL_TIMEOUT
    endpoint.reset(latency=LATENCY, faults=shares, slow_seconds=drip, retry_after=0.2, seed=1)
    answer = program.ask(request)
    counters = endpoint.counters
    calls, met = counters["requests"], sum(counters["faults"].values())
    if answer is None:
        return Outcome(0, len(data), 0, calls, met, None)
    found = list(zip(answer["scores"], (one["right"] for one in data), strict=True))
    none = sum(score is None for score, _ in found)
    right = sum(score is not None and abs(score - true) < 1e-9 for score, true in found)
    if peer == "valor":
        for error in sorted({one for one in answer["errors"] if one}):
            print(f"    {error}", file=sys.stderr)
    return Outcome(right, none, len(data) - right - none, calls, met, answer["seconds"])


class Kept:
    """Outcomes of the peers, which do not change with Valor.

    Parameters
    ----------
    folder : Path
        Where new outcomes are written, a file of lines for each of them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Outcome] = {}
        for path in (PEERS / "outcomes.jsonl", *folder.glob("outcomes-*.jsonl")):
            for line in path.read_text("utf-8").splitlines():
                told = json.loads(line)
                self.known[told["key"]] = Outcome(**told["outcome"])

    def add(self, peer: str, key: str, found: Outcome) -> None:
        """Keep an outcome."""
        with (self.folder / f"outcomes-{peer}.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": key, "outcome": asdict(found)}) + "\n")


def rows(
    programs: Mapping[str, Program | None],
    endpoint: MockEndpoint,
    faults: Mapping[str, str],
    metric: str,
    data: Sequence[Any],
    kept: Kept,
) -> Iterator[Row]:
    """Faults with the outcome of every program."""
    for fault, words in faults.items():
        found = {}
        for peer, program in programs.items():
            if peer != "valor" and fault in OF_IDS:
                continue
            key = f"{peer} {fault} {metric} {len(data)}"
            if program is None:
                if key in kept.known:
                    found[peer] = kept.known[key]
                continue
            found[peer] = kept.known.get(key) or outcome(
                peer, program, endpoint, fault, metric, data
            )
            if peer != "valor" and key not in kept.known:
                kept.add(peer, key, found[peer])
        told = "; ".join(f"{peer} {one.scores} ({one.cost})" for peer, one in found.items())
        met = "/".join(str(one.faults) for one in found.values())
        print(f"{fault or 'none'}, met {met}: {told}", file=sys.stderr, flush=True)
        yield Row(fault, words, found)


def main() -> None:
    """Write or print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--only", nargs="+", help="faults; all without it")
    parser.add_argument("--programs", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--environments", type=Path, default=default_folder())
    parser.add_argument("--kept", action="store_true", help="run Valor alone")
    chosen = parser.parse_args()
    kept = Kept(chosen.environments)
    programs = {
        peer: None if chosen.kept and peer != "valor" else Program(peer, chosen.environments)
        for peer in chosen.programs
    }
    raters = {peer: one for peer, one in programs.items() if peer in ("valor", "valor-lite")}
    data, rated = samples(chosen.samples), rated_samples(chosen.samples)
    groups = {"Without a fault": {"": "none"}} | dict(GROUPS) | dict(CONTRARY)
    found: dict[str, list[Row]] = {}
    with mock_endpoint() as endpoint:
        for title, faults in groups.items():
            own = {fault: faults[fault] for fault in faults if fault in (chosen.only or faults)}
            found[title] = list(rows(programs, endpoint, own, "llm.Faithfulness", data, kept))
        own = {fault: RATINGS[fault] for fault in RATINGS if fault in (chosen.only or RATINGS)}
        title = "The rating is none of those asked for"
        found[title] = list(rows(raters, endpoint, own, "llm.SummaryCoherence", rated, kept))
        own = {fault: RUBRIC[fault] for fault in RUBRIC if fault in (chosen.only or RUBRIC)}
        scaled = [one | {"right": (one["right"] - 1) / 4} for one in rated]
        of_valor = {peer: one for peer, one in programs.items() if peer == "valor"}
        title = "The rating is denied, bounded or attributed"
        found[title] = list(rows(of_valor, endpoint, own, "llm.Rubric", scaled, kept))
    for program in programs.values():
        if program is not None:
            program.close()
    settings = {
        "samples": chosen.samples,
        "latency": 1000 * LATENCY,
        "width": WIDTH,
        "timeout": CALL_TIMEOUT,
        "patience": PATIENCE,
    }
    titles = {peer: TITLES[peer] for peer in chosen.programs}
    told = page({title: own for title, own in found.items() if own}, titles, settings)
    if chosen.only is None and chosen.programs == list(MODES):
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(told, encoding="utf-8")
    else:
        print(told)


if __name__ == "__main__":
    main()
