"""Parameters of metrics that run modules of `evaluate`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters


@parameters
class ModuleParameters:
    """Parameters of Module."""

    module: Path = parameter(
        help="Folder of the module's script, the script itself, or the name of a module in the "
        "cache or on the hub."
    )
    allow_code: bool = parameter(
        default=False,
        help="Whether the code of the module may be executed. It is third-party code with all your "
        "permissions.",
    )
    config_name: str | None = parameter(
        default=None, help="Configuration of the module, if it has several."
    )
    revision: str | None = parameter(
        default=None, help="Version on the hub: a tag, branch or commit."
    )
    options: Mapping[str, Any] = parameter(
        default={},
        help="Options of the module's `compute` besides the data: {average: macro}.",
    )
    columns: Mapping[str, Any] = parameter(
        default={},
        help="Sources of columns that their names do not determine: a field of the items, "
        "metadata.NAME, or a number for all items: {sources: query}.",
    )
    labels: tuple[str, ...] = parameter(
        default=(),
        distinct=True,
        help="Class names in the order of their codes 0, 1, …; of two, the last is positive. By "
        "default, the sorted names in the data; integers are their own codes.",
    )
    lists: Literal["text", "words", "json"] | None = parameter(
        default=None,
        help="Conversion of a text to a list of texts: a list with the text, its words, or a list "
        "in JSON. By default words if the module calls them labels, else the text.",
    )
    score_threshold: float = parameter(
        default=0.5, help="Lowest score of a predicted label, if there may be several."
    )
    single_precision: bool = parameter(
        default=False,
        help="Whether numbers are rounded to 32 bits if the module declares it, as in evaluate.",
    )
    seed: int = parameter(default=0, check=Within(0, 2**32 - 1), help="Seed of random generators.")
    higher_is_better: bool | None = parameter(
        default=None,
        help="Direction of the numbers for comparisons; modules do not declare it.",
    )
