"""Parameters of the worst items: the metric Examples, and the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

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


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    by: str = parameter(
        help="Metric that sorts the items, with its namespace if that is not text: TokenF1, "
        "ROUGE, llm.Faithfulness."
    )
    settings: Mapping[str, Any] = parameter(default={}, help="Parameters of that metric.")
    number: str | None = parameter(
        default=None, help="Number that sorts the items, if the metric has several: rougeL."
    )
    worst: Literal["lowest", "highest"] | None = parameter(
        default=None,
        help="Values that come first; by default the worse ones in the direction of the metric.",
    )
    limit: int | None = parameter(
        default=10, help="Largest number of listed items; null lists all.", check=Within(1)
    )
    offset: int = parameter(default=0, help="Number of worst items to skip.", check=Within(0))
    characters: int = parameter(
        default=300, help="Largest number of characters to show of a text.", check=Within(1)
    )
