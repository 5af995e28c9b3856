"""Partitions of folders with one file per image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from valor_core.errors import ReadError
from valor_core.readers import Partition

Files = Mapping[str, Path]
"""Files by the names of their images."""


@frozen
class ImageFiles(Partition):
    """Partition of a range of images with the files of both sides.

    Parameters
    ----------
    uids : tuple of str
        Names of the images, sorted.
    groundtruths, predictions, images : tuple of Path or None
        File of each image, or None.
    """

    uids: tuple[str, ...]
    groundtruths: tuple[Path | None, ...]
    predictions: tuple[Path | None, ...]
    images: tuple[Path | None, ...]

    @property
    def name(self) -> str:
        """First and last image."""
        return f"images {self.uids[0]!r} to {self.uids[-1]!r}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of both sides."""
        return tuple(path for path in (*self.groundtruths, *self.predictions) if path)


def image_files(
    groundtruths: Files, predictions: Files, images: Files, step: int
) -> Sequence[ImageFiles]:
    """Split images into partitions of `step` images.

    Examples
    --------
    >>> from pathlib import Path
    >>> truths, results = {"a": Path("t/a.txt")}, {"b": Path("p/b.txt")}
    >>> [part.name for part in image_files(truths, results, {}, step=1)]
    ["images 'a' to 'a'", "images 'b' to 'b'"]
    """
    sides = (groundtruths, predictions, images)
    uids = sorted({*groundtruths, *predictions, *images})
    return [
        ImageFiles(tuple(chosen), *(tuple(side.get(uid) for uid in chosen) for side in sides))
        for chosen in (uids[start : start + step] for start in range(0, len(uids), step))
    ]


def check_some(parts: Sequence[ImageFiles], folder: Path, suffix: str) -> None:
    """Raise a `ReadError` if there are no images."""
    if not parts:
        raise ReadError(f"{folder}: expected {suffix} files, found none")
