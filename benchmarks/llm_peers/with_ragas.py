"""ragas: Faithfulness by `evaluate` over LangChain or `llm_factory`, or of the collections."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
os.environ["OPENAI_API_KEY"] = "sk-none"

from driver import Outcome, drive, why

MODEL = "gpt-4o-mini"


def score(asked: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Sequence[Outcome]:
    """By the mode that is asked for."""
    if asked["mode"] == "collections":
        return asyncio.run(_collections(asked, samples))
    return _evaluate(asked, samples)


def _llm(asked: Mapping[str, Any]) -> Any:
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory

    base = f"http://127.0.0.1:{asked['port']}/v1"
    return llm_factory(MODEL, client=AsyncOpenAI(base_url=base, timeout=asked["call_timeout"]))


async def _collections(
    asked: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]
) -> Sequence[Outcome]:
    from ragas.metrics.collections import Faithfulness

    metric, limit = Faithfulness(llm=_llm(asked)), asyncio.Semaphore(asked["concurrency"])

    async def one(sample: Mapping[str, Any]) -> Outcome:
        async with limit:
            try:
                found = await metric.ascore(
                    user_input=sample["query"],
                    response=sample["response"],
                    retrieved_contexts=sample["contexts"],
                )
            except Exception as error:
                return None, why(error)
        value = float(found.value)
        return (value, None) if value == value else (None, "NaN")

    return await asyncio.gather(*map(one, samples))


def _evaluate(asked: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Sequence[Outcome]:
    from ragas import EvaluationDataset, RunConfig, SingleTurnSample, evaluate
    from ragas.metrics import Faithfulness

    if asked["mode"] == "langchain":
        from langchain_openai import ChatOpenAI
        from ragas.llms import LangchainLLMWrapper

        base = f"http://127.0.0.1:{asked['port']}/v1"
        chat = ChatOpenAI(model=MODEL, base_url=base, timeout=asked["call_timeout"])
        llm: Any = LangchainLLMWrapper(chat)
    else:
        llm = _llm(asked)
    data = EvaluationDataset(
        [
            SingleTurnSample(
                user_input=one["query"],
                response=one["response"],
                retrieved_contexts=one["contexts"],
            )
            for one in samples
        ]
    )
    config = RunConfig(max_workers=asked["concurrency"], timeout=asked["patience"])
    found = evaluate(data, [Faithfulness(llm=llm)], run_config=config, show_progress=False)
    values = [float(row["faithfulness"]) for row in found.scores]
    return [(one, None) if one == one else (None, "NaN") for one in values]


if __name__ == "__main__":
    drive(score)
