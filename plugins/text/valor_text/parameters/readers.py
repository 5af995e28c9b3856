"""Parameters of the reader of plain text files."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import Within, parameter, parameters


@parameters
class LinesParameters:
    """Parameters of the reader of plain text files with one item per line."""

    responses: Path = parameter(
        help="File with a response in each line.", aliases=("hypotheses", "predictions")
    )
    references: tuple[Path, ...] = parameter(
        default=(),
        help="Files with the references of these, line by line; of several, an empty line says "
        "that the item has none there.",
        distinct=True,
    )
    queries: Path | None = parameter(
        default=None,
        help="File with what was asked, or the sources of translations, line by line.",
        aliases=("sources",),
    )
    partition_bytes: int = parameter(
        default=4 << 20,
        help="Size of the parts of the responses that workers read, in bytes.",
        check=Within(1),
    )
