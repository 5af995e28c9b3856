"""Parameters of the readers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from valor_files import TableSource

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters
from valor_rgb.parameters.rules import ABILITIES, Ability

_SHARE = Within(0, 1)


@parameters
class DatasetParameters:
    """Parameters of the reader of the benchmark's data sets."""

    noise_robustness: tuple[Path, ...] = parameter(
        default=(),
        help="Files of questions to ask with some irrelevant documents, such as en.json.",
    )
    negative_rejection: tuple[Path, ...] = parameter(
        default=(),
        help="Files of questions to ask with irrelevant documents only, such as en.json.",
    )
    information_integration: tuple[Path, ...] = parameter(
        default=(),
        help="Files of questions whose answer is spread over several documents, such as "
        "en_int.json.",
    )
    counterfactual_robustness: tuple[Path, ...] = parameter(
        default=(), help="Files of questions with false documents, such as en_fact.json."
    )
    responses: tuple[Path, ...] = parameter(
        default=(),
        help="Tables with the uid of a prompt and the model's response; without any, no sample has "
        "a response.",
    )
    noise_ratios: tuple[float, ...] = parameter(
        default=(0.0, 0.2, 0.4, 0.6, 0.8),
        help="Shares of irrelevant documents at which noise robustness is tested.",
        check=_SHARE,
        non_empty=True,
        distinct=True,
    )
    integration_noise_ratios: tuple[float, ...] = parameter(
        default=(0.0, 0.2, 0.4),
        help="Shares of irrelevant documents at which information integration is tested.",
        check=_SHARE,
        non_empty=True,
        distinct=True,
    )
    counterfactual_noise_ratio: float = parameter(
        default=0.0,
        help="Share of irrelevant documents among the false ones.",
        check=_SHARE,
    )
    correct_ratio: float = parameter(
        default=0.0, help="Share of true documents among the false ones.", check=_SHARE
    )
    closed_book: bool = parameter(
        default=True,
        help="Whether the questions with false documents are asked a second time without any.",
    )
    passages: int = parameter(default=5, help="Number of documents of a prompt.", check=Within(1))
    seed: int = parameter(
        default=2333, help="Seed of the order of documents, restarted for every sample."
    )
    strict: bool = parameter(
        default=False,
        help="Whether a sample that cannot have as many irrelevant documents as asked for is an "
        "error.",
    )
    partition_bytes: int = parameter(
        default=4 << 20, help="Minimum size of partitions, in bytes.", check=Within(1)
    )

    def __attrs_post_init__(self) -> None:
        if not any(getattr(self, ability) for ability in ABILITIES):
            raise ParameterError(
                f"{', '.join(ABILITIES)}: expected a file for at least one of them, found none",
                "Name a file of questions: noise_robustness: en.json",
            )
        if self.counterfactual_noise_ratio + self.correct_ratio > 1:
            raise ParameterError(
                "counterfactual_noise_ratio and correct_ratio must add up to at most 1, got "
                f"{self.counterfactual_noise_ratio:g} and {self.correct_ratio:g}"
            )


@parameters
class ResponsesParameters:
    """Parameters of the reader of responses."""

    path: tuple[TableSource, ...] = parameter(
        help="Tables with one row for each response, in .csv, .tsv, .jsonl, .json or .parquet.",
        non_empty=True,
        distinct=True,
    )
    columns: Mapping[str, str] = parameter(
        default={}, help="Column names in the files by field: {response: output}."
    )
    ability: tuple[Ability, ...] = parameter(
        default=(),
        help="What rows without an ability test: one for all files, or one for each.",
    )
    noise_ratio: tuple[float, ...] = parameter(
        default=(),
        help="Noise ratio of rows without one: one for all files, or one for each.",
        check=_SHARE,
    )
    partition_bytes: int = parameter(
        default=4 << 20, help="Minimum size of partitions, in bytes.", check=Within(1)
    )

    def __attrs_post_init__(self) -> None:
        for name in ("ability", "noise_ratio"):
            count, files = len(getattr(self, name)), len(self.path)
            if count not in (0, 1, files):
                raise ParameterError(
                    f"{name} must be one for all files or one for each of {files}, got {count}"
                )
