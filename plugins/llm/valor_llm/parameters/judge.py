"""Parameters of the judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters

Combination = Literal["mean", "median", "majority"]
"""Ways to combine the scores of several judges."""


@parameters
class Prices:
    """Prices of a million tokens, in any money."""

    prompt: float = parameter(help="Price of a million tokens of prompts.", check=Within(0))
    completion: float = parameter(help="Price of a million tokens of replies.", check=Within(0))
    cached: float | None = parameter(
        default=None,
        help="Price of a million tokens of prompts that the endpoint has seen before; null is that "
        "of others.",
        check=Within(0),
    )
    batch: float = parameter(
        default=0.5, help="Which part of these a call in a batch costs.", check=Within(0, 1)
    )


@parameters
class JudgeParameters:
    """Parameters of the judge."""

    temperature: float | None = parameter(
        default=0.0,
        help="Sampling temperature; null sends none. An endpoint that takes none is remembered.",
        check=Within(0),
    )
    seed: int | None = parameter(
        default=0, help="Seed of the sampling, one more in each repeat; null sends none."
    )
    reply_tokens: int | None = parameter(
        default=2048,
        help="Most tokens of a reply, twice as many after one that was cut off; null sends none.",
        check=Within(1),
    )
    language: str = parameter(
        default="English", help="Language that analyses are written in.", non_empty=True
    )
    prompts: Mapping[str, Path] = parameter(
        default={}, help="Files that replace prompts, by the name of the step."
    )
    scoring: Literal["given", "expected"] = parameter(
        default="given",
        help="The rating that a reply gives, or the mean of all grades by their probabilities.",
    )
    repeats: int = parameter(
        default=1,
        help="How often each judge scores an item; the mean counts, the report has the spread.",
        check=Within(1),
    )
    combine: Combination = parameter(
        default="mean",
        help="How the scores of several judges become one. Of scores that are given as often, "
        "`majority` takes the mean.",
    )
    concurrency: int = parameter(
        default=16, help="Maximum number of concurrent calls.", check=Within(1)
    )
    call_timeout: float = parameter(
        default=120.0, help="Seconds that one call may take.", check=Within(0, open_low=True)
    )
    run_timeout: float | None = parameter(
        default=None,
        help="Seconds after its first call in which the judge makes calls; null is no end.",
        check=Within(0, open_low=True),
    )
    requests_per_minute: int | None = parameter(
        default=None, help="Calls in any minute, at the most, in each process.", check=Within(1)
    )
    tokens_per_minute: int | None = parameter(
        default=None, help="Tokens in any minute, at the most, in each process.", check=Within(1)
    )
    http_retries: int = parameter(
        default=6,
        help="How often a call is made again after an HTTP fault that may pass.",
        check=Within(0),
    )
    reply_retries: int = parameter(
        default=2,
        help="How often a reply that does not fit is asked for again, with what is wrong with it.",
        check=Within(0),
    )
    max_calls: int | None = parameter(
        default=None,
        help="Calls of a run, at the most; null is no limit.",
        check=Within(1),
    )
    max_tokens: int | None = parameter(
        default=None,
        help="Tokens of a run, prompts and replies together, at the most; null is no limit.",
        check=Within(1),
    )
    max_cost: float | None = parameter(
        default=None,
        help="What a run may cost at the most, in the money of `prices`; null is no limit.",
        check=Within(0, open_low=True),
    )
    prices: Prices | None = parameter(
        default=None,
        help="Prices of a million tokens, for the computation of costs: `prompt`, `completion`, "
        "`cached`, and `batch`, the part of these that a call in a batch costs.",
    )
    calibration: Path | None = parameter(
        default=None,
        help="Record of a calibration, made by `valor judge calibrate`; reports then have the mean "
        "that it corrects, or say that it is another judge's.",
    )
    mode: Literal["calls", "batch"] = parameter(
        default="calls",
        help="How questions are sent: one call for each, or many in batches, which endpoints "
        "answer within a day at half the price.",
    )
    poll_seconds: float = parameter(
        default=30.0,
        help="Seconds between two looks at a batch.",
        check=Within(0, open_low=True),
    )
    cache: Literal["use", "replay", "off"] = parameter(
        default="use",
        help="Whether replies are stored in `cache_file` and reused, only reused, or neither.",
    )
    cache_file: Path = parameter(
        default=Path("judge-cache.sqlite"), help="File that keeps the replies of the endpoint."
    )
    record: Path | None = parameter(
        default=None, help="File that all replies of a run are written to, for `client: recorded`."
    )

    def __attrs_post_init__(self) -> None:
        if self.max_cost is not None and self.prices is None:
            raise ParameterError(
                "max_cost needs prices, found none",
                "Give those of a million tokens: prices: {prompt: 0.15, completion: 0.6}",
            )
