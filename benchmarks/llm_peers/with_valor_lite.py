"""valor-lite: one metric, from a pool of threads or, as documented, in sequence."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from driver import Outcome, drive, why


def score(asked: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Sequence[Outcome]:
    """Each sample by itself; an exception is that of its sample."""
    os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{asked['port']}/v1"

    from valor_lite.text_generation import Context, Evaluator, QueryResponse

    judge = Evaluator.openai(model_name="gpt-4o-mini", api_key="sk-none")
    judge.client.client = judge.client.client.with_options(timeout=asked["call_timeout"])

    metrics = {
        "llm.Faithfulness": judge.compute_faithfulness,
        "llm.SummaryCoherence": judge.compute_summary_coherence,
    }
    compute = metrics[asked["metric"]]

    def one(sample: Mapping[str, Any]) -> Outcome:
        context = Context(prediction=list(sample["contexts"]))
        response = QueryResponse(sample["query"], sample["response"], context)
        try:
            metric = compute(response)
        except Exception as error:
            return None, why(error)
        if metric.type == "Error":
            return None, str(metric.value)
        return float(metric.value), None

    if asked["mode"] == "sequence":
        return [one(sample) for sample in samples]
    with ThreadPoolExecutor(asked["concurrency"]) as pool:
        return list(pool.map(one, samples))


if __name__ == "__main__":
    drive(score)
