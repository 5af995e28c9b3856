from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import Within, parameter, parameters


@parameters
class LongShareParameters:
    threshold: float = parameter(
        default=3, help="Least length of a long response.", check=Within(0)
    )
    comment: str = parameter(default="", help="Anything.")


@parameters
class LongSharesParameters:
    thresholds: tuple[float, ...] = parameter(
        default=(1, 3), help="Least lengths of long responses.", check=Within(0), non_empty=True
    )


@parameters
class PartsParameters:
    path: Path = parameter(help="JSON file: a list of partitions, each a list of items.")
    log: Path | None = parameter(
        default=None, help="Folder that every partition read leaves a file in."
    )
    trouble: Literal["none", "raise", "schema", "exit", "wait"] = parameter(
        default="none", help="What the partition `at` does after its items."
    )
    at: int = parameter(default=0, help="Which partition misbehaves.")
