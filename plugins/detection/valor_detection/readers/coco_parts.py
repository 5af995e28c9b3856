"""Partitions of COCO's files: both files, or the byte ranges of a number of images.

`coco_split` computes the ranges. It is imported only for runs that split files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from attrs import frozen
from valor_files import WholeFiles, unreadable_error

from valor_core.readers import Partition
from valor_core.schemas import Codes
from valor_detection.coco_json.text import Text


@frozen(repr=False)
class CocoFiles(WholeFiles[Path]):
    """Both files as one partition."""

    def truths_text(self) -> Text:
        """Read the data set."""
        return Text.read(self.groundtruths)

    def results_text(self) -> Text:
        """Read the results."""
        return Text.read(self.predictions)


@frozen(eq=False, repr=False)
class Ranges:
    """Byte ranges of a file that hold records of a list, in the order of the file.

    Parameters
    ----------
    starts, stops : ndarray of int64, shape (n,)
        First byte and end of each run of neighbouring records.
    rows : ndarray of int64, shape (m,)
        Position of each record in the list of the file.
    """

    starts: Codes
    stops: Codes
    rows: Codes

    def read(self, path: Path) -> bytes:
        """Read the records, joined by commas."""
        try:
            with path.open("rb") as stream:
                return b",".join(self._read(stream))
        except OSError as error:
            raise unreadable_error(path, error) from error

    def _read(self, stream: BinaryIO) -> Iterator[bytes]:
        for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True):
            stream.seek(start)
            yield stream.read(stop - start)


@frozen(eq=False, repr=False)
class CocoPart(Partition):
    """Images with ids from `first` to `last`, and their annotations.

    Parameters
    ----------
    files : CocoFiles
        Both files.
    first, last : int
        Ids of the first and the last image.
    images, truths, results : Ranges
        Byte ranges of their records.
    categories : bytes
        JSON of the categories.
    fields : tuple of str
        Fields of images that are metadata in the whole file.
    """

    files: CocoFiles
    first: int
    last: int
    images: Ranges
    truths: Ranges
    results: Ranges
    categories: bytes
    fields: tuple[str, ...]

    @property
    def name(self) -> str:
        """Names of both files and range of ids."""
        return f"{self.files.name}, images {self.first} to {self.last}"

    @property
    def identity(self) -> str:
        """Absolute paths of both files and range of ids."""
        return f"{self.files.identity}, images {self.first} to {self.last}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Both files."""
        return self.files.paths

    def truths_text(self) -> Text:
        """Read the records of the data set, as a smaller data set."""
        path = self.files.groundtruths
        content = b'{"images": [%b], "annotations": [%b], "categories": %b}' % (
            self.images.read(path),
            self.truths.read(path),
            self.categories,
        )
        return Text.of(content, str(path))

    def results_text(self) -> Text:
        """Read the records of the results, as a shorter list."""
        path = self.files.predictions
        return Text.of(b"[%b]" % self.results.read(path), str(path))


def parts(files: CocoFiles, images: int | None) -> Sequence[CocoFiles | CocoPart]:
    """Split the files into partitions of a number of images.

    Compressed files, files with errors and files with mixed records are not split: the meaning of
    their annotations depends on the whole file, and reading it whole reports the errors.

    Parameters
    ----------
    files : CocoFiles
        Both files.
    images : int, optional
        Number of images in a partition. By default the files are not split.
    """
    if images is None or any(path.suffix.lower() == ".gz" for path in files.paths):
        return (files,)
    from valor_detection.readers.coco_split import split

    return split(files, images) or (files,)
