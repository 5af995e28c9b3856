"""Parameters of the reader of plain text files."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import Within, parameter, parameters


@parameters
class LinesParameters:
    """Parameters of the reader of plain text files with one item per line."""

    responses: Path = parameter(
        help="File with one response per line.", aliases=("hypotheses", "predictions")
    )
    references: tuple[Path, ...] = parameter(
        default=(),
        help="Files with the references, line by line; with several files, an empty line means no "
        "reference.",
        distinct=True,
    )
    queries: Path | None = parameter(
        default=None,
        help="File with questions, or sources of translations, line by line.",
        aliases=("sources",),
    )
    partition_bytes: int = parameter(
        default=4 << 20,
        help="Size in bytes of the ranges of responses that workers read.",
        check=Within(1),
    )
