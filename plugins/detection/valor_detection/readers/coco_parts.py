"""Parts of COCO's files: which bytes of both files belong to some of the images.

Most runs read both files as a whole; what splits them stands in `coco_split`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from attrs import frozen
from valor_files import unreadable

from valor_core.readers import Partition
from valor_core.schemas import Codes
from valor_detection.coco_json.text import Text


@frozen(repr=False)
class CocoFiles(Partition):
    """Both files as a whole: annotations of an image can stand anywhere in either."""

    groundtruths: Path
    predictions: Path

    @property
    def name(self) -> str:
        """The two files."""
        return f"{self.groundtruths} and {self.predictions}"

    @property
    def identity(self) -> str:
        """The two files, from wherever they are named."""
        return f"{self.groundtruths.resolve()} and {self.predictions.resolve()}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files it is of."""
        return (self.groundtruths, self.predictions)

    def truths_text(self) -> Text:
        """What is to be read of the data set."""
        return Text.read(self.groundtruths)

    def results_text(self) -> Text:
        """What is to be read of the results."""
        return Text.read(self.predictions)


@frozen(eq=False, repr=False)
class Ranges:
    """Bytes of a file that hold some records of a list, in the order of the file.

    Parameters
    ----------
    starts, stops : ndarray of int64, shape (n,)
        Where neighboring records begin and end.
    rows : ndarray of int64, shape (m,)
        Position of each record in the list of the file.
    """

    starts: Codes
    stops: Codes
    rows: Codes

    def read(self, path: Path) -> bytes:
        """The records, with commas in between."""
        try:
            with path.open("rb") as stream:
                return b",".join(self._read(stream))
        except OSError as error:
            raise unreadable(path, error) from error

    def _read(self, stream: BinaryIO) -> Iterator[bytes]:
        for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True):
            stream.seek(start)
            yield stream.read(stop - start)


@frozen(eq=False, repr=False)
class CocoPart(Partition):
    """Some images with their annotations.

    Parameters
    ----------
    files : CocoFiles
        Both files.
    first, last : int
        Ids of the first and the last image.
    images, truths, results : Ranges
        Where their records are.
    categories : bytes
        The categories, as the file has them.
    fields : tuple of str
        Fields of images that are metadata, of this part or of others.
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
        """The two files, and which images."""
        return f"{self.files.name}, images {self.first} to {self.last}"

    @property
    def identity(self) -> str:
        """The two files, from wherever they are named, and which images."""
        return f"{self.files.identity}, images {self.first} to {self.last}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files it is of."""
        return self.files.paths

    def truths_text(self) -> Text:
        """What is to be read of the data set, as if it were one of its own."""
        path = self.files.groundtruths
        content = b'{"images": [%b], "annotations": [%b], "categories": %b}' % (
            self.images.read(path),
            self.truths.read(path),
            self.categories,
        )
        return Text.of(content, str(path))

    def results_text(self) -> Text:
        """What is to be read of the results, as if they were all."""
        path = self.files.predictions
        return Text.of(b"[%b]" % self.results.read(path), str(path))


def parts(files: CocoFiles, images: int | None) -> Sequence[CocoFiles | CocoPart]:
    """Parts of so many images; both files as a whole where that is one part, or they are odd.

    Files are odd if they are packed, or if something is wrong or not alike in them, so that only
    the whole tells what an annotation is. Reading the whole says what is wrong.

    Parameters
    ----------
    files : CocoFiles
        Both files.
    images : int, optional
        How many images a part has.
    """
    if images is None or any(path.suffix.lower() == ".gz" for path in files.paths):
        return (files,)
    from valor_detection.readers.coco_split import split

    return split(files, images) or (files,)
