"""deepeval: FaithfulnessMetric without a reason, by `evaluate`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_OUT": "1",
    "OPENAI_API_KEY": "sk-none",
}

from driver import Outcome, drive


def score(asked: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Sequence[Outcome]:
    """One evaluation of all samples; errors of a sample do not end it."""
    os.environ["DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE"] = str(asked["call_timeout"])

    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import GPTModel
    from deepeval.test_case import LLMTestCase

    model = GPTModel("gpt-4o-mini", base_url=f"http://127.0.0.1:{asked['port']}/v1")
    cases = [
        LLMTestCase(
            input=one["query"],
            actual_output=one["response"],
            retrieval_context=one["contexts"],
            name=one["uid"],
        )
        for one in samples
    ]
    found = evaluate(
        cases,
        [FaithfulnessMetric(model=model, include_reason=False, async_mode=True)],
        async_config=AsyncConfig(max_concurrent=asked["concurrency"]),
        cache_config=CacheConfig(write_cache=False, use_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    outcomes: dict[str, Outcome] = {}
    for one in found.test_results:
        for own in one.metrics_data or ():
            outcomes[one.name] = (own.score, own.error)
    return [outcomes.get(one["uid"], (None, "no result")) for one in samples]


if __name__ == "__main__":
    drive(score)
