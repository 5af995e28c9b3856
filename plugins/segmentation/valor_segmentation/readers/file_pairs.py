"""Pairs of files with a true and a predicted image, and their metadata."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import ArrayLike
from valor_files import metadata_by_uid, read_table

from valor_core.errors import ReadError, ValorError, and_more
from valor_core.readers import Partition
from valor_core.schemas import Datum, Datums, Label, Uid
from valor_core.schemas.segmentation import LabelImage, Layer, Pixels, SegmentationBatch

_MOST_SAMPLED = 20
_PIXELS_AT_ONCE = 1 << 22

Files = Mapping[str, Path]
"""Files by the uids of their images."""


@frozen
class Pair:
    """Files of one image; None for a missing side.

    Parameters
    ----------
    uid : str
        Its name.
    groundtruth, prediction : Path or None
        Its files.
    facts : mapping of str to value
        Its metadata.
    """

    uid: str
    groundtruth: Path | None
    prediction: Path | None
    facts: Mapping[str, Any] = field(factory=dict)


@frozen
class Pairs(Partition):
    """Partition of pairs of files.

    Parameters
    ----------
    pairs : tuple of Pair
        The images, sorted by uid.

    Examples
    --------
    >>> Pairs((Pair("a", Path("true/a.png"), Path("predicted/a.png")),)).name
    "images 'a' to 'a'"
    """

    pairs: tuple[Pair, ...]

    @property
    def name(self) -> str:
        """First and last image."""
        return f"images {self.pairs[0].uid!r} to {self.pairs[-1].uid!r}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of the partition."""
        sides = (path for pair in self.pairs for path in (pair.groundtruth, pair.prediction))
        return tuple(dict.fromkeys(path for path in sides if path is not None))


Item = tuple[Uid, LabelImage | None, LabelImage | None]
"""Uid of an image, and its label images."""

_BATCH_PIXELS = 1 << 24


def batched(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield lists of items with about sixteen million pixels each."""
    found: list[Item] = []
    room = _BATCH_PIXELS
    for item in items:
        found.append(item)
        room -= sum(
            math.prod(side.pixels.shape) for side in item[1:] if isinstance(side, LabelImage)
        )
        if room <= 0:
            yield found
            found, room = [], _BATCH_PIXELS
    if found:
        yield found


def batch_of(
    items: Sequence[Item], labels: tuple[Label, ...], facts: Sequence[Mapping[str, Any]] = ()
) -> SegmentationBatch:
    """Make a batch of images, with their metadata if there are any."""
    uids, true, predicted = zip(*items, strict=True)
    datums = Datums.of(Datum(*pair) for pair in zip(uids, facts or [{}] * len(uids), strict=True))
    return SegmentationBatch(datums, labels, [Layer(true, predicted)])


def files_of(source: Path, endings: Sequence[str]) -> dict[str, Path]:
    """Files of a folder and its subfolders by name without the ending, or a single file.

    Files whose names begin with a dot are skipped.

    Raises
    ------
    ReadError
        If the path does not exist, no file has one of the endings, or two files have the same name.
    """
    if source.is_file():
        return {source.stem: source}
    if not source.is_dir():
        raise ReadError(f"{source}: expected a folder or a file, found nothing there")
    found: dict[str, Path] = {}
    lowered = [ending.lower() for ending in endings]
    for name in sorted(_files(source)):
        ending = next((one for one in lowered if name.lower().endswith(one)), None)
        if ending is None:
            continue
        uid, path = name[: -len(ending)], source / name
        if uid in found:
            raise ReadError(
                f"{source}: expected one file for each image, found {found[uid].name} and "
                f"{path.name}"
            )
        found[uid] = path
    if not found:
        raise ReadError(f"{source}: expected files that end in {' or '.join(endings)}, found none")
    return found


def values_of_some(
    read: Callable[[Path], ArrayLike], path: Path, endings: Sequence[str]
) -> set[int]:
    """Values in the first few images of a folder; empty if one of them cannot be read.

    Parameters
    ----------
    read : callable
        Returns the values of an image.
    path : Path
        A folder, or a file.
    endings : sequence of str
        Endings of file names.
    """
    try:
        files = islice(files_of(path, endings).values(), _MOST_SAMPLED)
        return {int(value) for file in files for value in np.unique(read(file))}
    except (ValorError, OSError, TypeError, ValueError):
        return set()


def values_of(*images: Pixels | None) -> set[int]:
    """Values of all pixels of images, which are read a few rows at a time.

    Examples
    --------
    >>> from valor_core.schemas.segmentation.pixels import ImageInMemory
    >>> sorted(values_of(ImageInMemory(np.array([[0, 2], [2, 255]])), None))
    [0, 2, 255]
    """
    found: set[int] = set()
    for image in images:
        if image is None:
            continue
        height, width = image.shape
        step = max(image.strip_rows, _PIXELS_AT_ONCE // max(width, 1))
        for start in range(0, height, step):
            pixels = image.read(start, min(start + step, height))
            if pixels.dtype == np.uint8:  # faster than sorting
                found.update(np.flatnonzero(np.bincount(pixels.ravel(), minlength=1)).tolist())
            else:
                found.update(map(int, np.unique(pixels)))
    return found


def _files(path: Path) -> Iterator[str]:
    """Yield relative names of all files of a folder and its subfolders."""
    for folder, _, names in os.walk(path):
        below = Path(folder).relative_to(path).as_posix()
        start = "" if below == "." else f"{below}/"
        yield from (start + name for name in names if not name.startswith("."))


def paired(groundtruths: Files, predictions: Files) -> list[Pair]:
    """Return the pairs of all images, sorted by uid; two single files are always a pair.

    Examples
    --------
    >>> [pair.uid for pair in paired({"b": Path("b.png")}, {"a": Path("a.png")})]
    ['a', 'b']
    """
    uids = sorted({*groundtruths, *predictions})
    return [Pair(uid, groundtruths.get(uid), predictions.get(uid)) for uid in uids]


def pairs_of(
    groundtruths: Path,
    predictions: Path,
    endings: tuple[Sequence[str], Sequence[str]],
    missing: str,
    *,
    has_endings: bool = False,
) -> list[Pair]:
    """Pairs of files in two folders, or of two files.

    Parameters
    ----------
    groundtruths, predictions : Path
        A folder, or a file.
    endings : (sequence of str, sequence of str)
        Endings of the names of true and of predicted files.
    missing : {"error", "background"}
        Handling of images that one side lacks.
    has_endings : bool
        Whether the reader has parameters for the endings.

    Raises
    ------
    ReadError
        If a side lacks images; names the first few, and suggests endings if no image has both
        sides.
    """
    true, predicted = files_of(groundtruths, endings[0]), files_of(predictions, endings[1])
    if groundtruths.is_file() and predictions.is_file():
        return [Pair(groundtruths.stem, groundtruths, predictions)]
    if missing == "error":
        hint = None
        if true.keys().isdisjoint(predicted):
            hint = _meeting(true, predicted, endings, has_endings=has_endings)
        check_partners(true, predicted, predictions, "prediction", hint)
        check_partners(predicted, true, groundtruths, "ground truth", hint)
    return paired(true, predicted)


def _meeting(
    true: Files,
    predicted: Files,
    endings: tuple[Sequence[str], Sequence[str]],
    *,
    has_endings: bool,
) -> str:
    """Return a remedy if no image has files on both sides, by the difference of their names."""
    extra = _extra_endings(sorted(true), sorted(predicted))
    if extra is None or not has_endings:
        one, other = (min(files.values()).name for files in (true, predicted))
        return f"Call the files of an image alike on both sides, not {one!r} and {other!r}."
    keys = ("groundtruth_ending", "prediction_ending")
    settings = [
        f"data.{key} to {more + ending[0]}"
        for key, more, ending in zip(keys, extra, endings, strict=True)
        if more
    ]
    return f"Set {' and '.join(settings)}."


def _extra_endings(true: Sequence[str], predicted: Sequence[str]) -> tuple[str, str] | None:
    """Endings whose removal makes all names of one side names of the other, if any.

    Examples
    --------
    >>> _extra_endings(["a_gt", "b_gt"], ["a_pred", "b_pred", "c_pred"])
    ('_gt', '_pred')
    >>> _extra_endings(["a"], ["b"])
    """
    shared = max((_shared(true[0], name) for name in predicted), key=len)
    ending = true[0][len(shared) :]
    stems = _stems(true, ending)
    for name in predicted:
        matching = _stems(predicted, name[len(shared) :]) if name.startswith(shared) else set()
        if shared and matching and (stems <= matching or stems >= matching):
            return ending, name[len(shared) :]
    return None


def _shared(one: str, other: str) -> str:
    """Return the common beginning of both names, up to a letter or digit."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in alike).rstrip("_-. ")


def _stems(names: Sequence[str], ending: str) -> set[str]:
    """Remove a common ending from names; return no names if one has another ending."""
    if not all(name.endswith(ending) for name in names):
        return set()
    return {name.removesuffix(ending) for name in names}


def check_partners(
    uids: Collection[Uid],
    partners: Collection[Uid],
    where: Path,
    what: str,
    hint: str | None,
    show: int = 3,
) -> None:
    """Raise a `ReadError` that names the images without a partner.

    Parameters
    ----------
    uids, partners : collection of str or int
        Images of one side and of the other.
    where : Path
        The other side's folder or file.
    what : str
        Missing kind of file.
    hint : str or None
        Remedy if no image has both sides, which means that names differ.
    show : int
        Number of images to name.

    Examples
    --------
    >>> check_partners(["a", "b"], ["a"], Path("predictions"), "prediction", None)
    Traceback (most recent call last):
        ...
    valor_core.errors.ReadError: predictions: expected a prediction for each of 2 images, found \
none for 1: 'b'
    Set data.missing to background to count images without one as all background.
    """
    lacking = sorted(uid for uid in uids if uid not in partners)
    if lacking:
        first = ", ".join(map(repr, lacking[:show]))
        raise ReadError(
            f"{where}: expected a {what} for each of {len(uids):,} images, found none for "
            f"{len(lacking):,}: {first}{and_more(len(lacking) - show)}",
            hint or "Set data.missing to background to count images without one as all background.",
        )


def parts(pairs: Sequence[Pair], step: int) -> list[Pairs]:
    """Partitions of `step` images each.

    Examples
    --------
    >>> pairs = paired({"a": Path("a.png"), "b": Path("b.png")}, {})
    >>> [part.name for part in parts(pairs, 1)]
    ["images 'a' to 'a'", "images 'b' to 'b'"]
    """
    starts = range(0, len(pairs), step)
    return [Pairs(tuple(pairs[start : start + step])) for start in starts]


def check_shapes(
    true_name: object, seen_name: object, true: LabelImage | None, predicted: LabelImage | None
) -> None:
    """Raise a `ReadError` that names both label images if they differ in size."""
    if true is None or predicted is None or true.pixels.shape == predicted.pixels.shape:
        return
    expected, found = (" by ".join(f"{n:,}" for n in one.pixels.shape) for one in (true, predicted))
    raise ReadError(
        f"{seen_name}: expected {expected} pixels (rows by columns) as in {true_name}, found "
        f"{found}"
    )


def changed(path: Path, shape: tuple[int, int], found: str) -> ReadError:
    """Make the error for a file that changed after it was first read.

    Examples
    --------
    >>> changed(Path("a.npy"), (4, 3), "array of uint8, shape (2, 3)").message
    'a.npy: expected 4 by 3 whole numbers as at first, found array of uint8, shape (2, 3)'
    """
    height, width = shape
    return ReadError(
        f"{path}: expected {height:,} by {width:,} whole numbers as at first, found {found}",
        "Run again when no program writes to the file.",
    )


def described(pairs: Sequence[Pair], path: Path | None, uid: str) -> list[Pair]:
    """Pairs of files with metadata from a table; None for images that the table lacks.

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
        If a name occurs twice or has no image; names the row.
    """
    if path is None:
        return list(pairs)
    expected = f"the name of one of the {len(pairs):,} images without its ending"
    columns = metadata_by_uid(read_table(path), uid, [pair.uid for pair in pairs], expected)
    return [
        evolve(pair, facts={name: cells[i] for name, cells in columns.items()})
        for i, pair in enumerate(pairs)
    ]
