"""Parameters of metrics that are modules of `evaluate`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters


@parameters
class ModuleParameters:
    """Parameters of Module."""

    module: Path = parameter(
        help="The module: the folder of its script, the script itself, or the name of a module "
        "that was loaded before or is on the hub."
    )
    allow_code: bool = parameter(
        default=False,
        help="Whether the code of the module may be executed. It is somebody's program and may do "
        "anything that you may.",
    )
    config_name: str | None = parameter(
        default=None, help="Which of the module's configurations, where it has several."
    )
    revision: str | None = parameter(
        default=None, help="Version of a module on the hub: a tag, a branch or a commit."
    )
    options: Mapping[str, Any] = parameter(
        default={},
        help="What the module's own compute takes besides the data: {average: macro}.",
    )
    columns: Mapping[str, Any] = parameter(
        default={},
        help="What feeds the module's columns where their names do not say it: a field of the "
        "items, metadata.NAME, or a number for all items: {sources: query}.",
    )
    labels: tuple[str, ...] = parameter(
        default=(),
        distinct=True,
        help="Names of classes in the order of their codes 0, 1 and so on; of two, the last is "
        "the positive one. Those in the data, sorted, without it; whole numbers are their codes.",
    )
    lists: Literal["text", "words", "json"] | None = parameter(
        default=None,
        help="What a text is where the module wants a list of texts: its only one, its words, or "
        "a list in JSON. Words without it where the module calls them labels, else its only one.",
    )
    score_threshold: float = parameter(
        default=0.5, help="Score from which on a label is predicted, where there may be several."
    )
    single_precision: bool = parameter(
        default=False,
        help="Whether numbers are rounded to 32 bits where the module declares it, as "
        "evaluate does.",
    )
    seed: int = parameter(
        default=0, check=Within(0, 2**32 - 1), help="Seed of random numbers while it computes."
    )
    higher_is_better: bool | None = parameter(
        default=None,
        help="Direction of the module's numbers, for comparisons; modules do not say it.",
    )
