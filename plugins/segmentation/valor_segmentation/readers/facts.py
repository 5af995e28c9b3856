"""Facts about images: the columns of a table with one row for each, as metadata."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve
from valor_files import columns_beside, read_table

from valor_core.errors import ReadError, and_more
from valor_segmentation.readers.file_pairs import Pair


def described(pairs: Sequence[Pair], path: Path | None, uid: str) -> list[Pair]:
    """Pairs of files with what a table says of their images; None for those that it lacks.

    Parameters
    ----------
    pairs : sequence of Pair
        The files of all images.
    path : Path or None
        The table.
    uid : str
        Its column with the names of images.

    Raises
    ------
    ReadError
        If a name stands there twice, or is no image's; names the row.
    """
    if path is None:
        return list(pairs)
    table = read_table(path)
    uids = table.uids(uid).tolist()
    rows = {name: row for row, name in enumerate(uids)}
    known = {pair.uid for pair in pairs}
    strange = [name for name in uids if name not in known]
    if strange:
        raise ReadError(
            f"{table.place(rows[strange[0]], uid)}: expected the name of one of the "
            f"{len(known):,} images without its ending, found {strange[0]!r}"
            f"{and_more(len(strange) - 1)}"
        )
    columns = columns_beside(table, own=(uid,))
    return [
        evolve(
            pair,
            facts={
                name: column[rows[pair.uid]] if pair.uid in rows else None
                for name, column in columns.items()
            },
        )
        for pair in pairs
    ]
