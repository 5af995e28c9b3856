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
        help="Metric that sorts the items, with its namespace if that is not text.",
    )
    settings: Mapping[str, Any] = parameter(default={}, help="Parameters of that metric.")
    number: str | None = parameter(
        default=None, help="Number that sorts the items, if the metric has several: rougeL."
    )
    ignore_case: bool = parameter(
        default=True, help="Whether words that differ only in case are not marked."
    )
    characters: int = parameter(
        default=2000, help="Largest number of characters to show of a text.", check=Within(1)
    )
