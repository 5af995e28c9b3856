"""Parameters of the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core.parameters import Within, parameter, parameters


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    by: str = parameter(
        default="TokenF1",
        help="The metric that says how bad an item is, with its namespace where that is another "
        "one.",
    )
    settings: Mapping[str, Any] = parameter(default={}, help="Parameters of that metric.")
    number: str | None = parameter(
        default=None, help="Which number says it where the metric has several: rougeL."
    )
    ignore_case: bool = parameter(
        default=True, help="Whether words that differ in case alone are not marked."
    )
    characters: int = parameter(
        default=2000, help="Most characters of a text that are shown.", check=Within(1)
    )
