"""Valor: one metric, by `evaluate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driver import Outcome, drive


def score(asked: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Iterator[Outcome]:
    """One report of all samples."""
    from valor_core import evaluate
    from valor_core.schemas.text import Text

    items = [
        Text(
            one["uid"],
            query=one["query"],
            response=one["response"],
            contexts=tuple(one["contexts"]),
        )
        for one in samples
    ]
    judge = {
        "client": {
            "name": "openai",
            "base_url": f"http://127.0.0.1:{asked['port']}/v1",
            "model": "gpt-4o-mini",
        },
        "concurrency": asked["concurrency"],
        "cache": "off",
        "call_timeout": asked["call_timeout"],
    }
    report = evaluate(items, [asked["metric"]], resources={"judge": judge}, items=True)
    for row in report.items[0].rows:
        is_scored = isinstance(row.value, float)
        yield (row.value, None) if is_scored else (None, f"{type(row.value).__name__}: {row.value}")


if __name__ == "__main__":
    drive(score)
