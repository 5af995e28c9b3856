"""Pairs of files: true and predicted label maps of the same name."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from valor_core.errors import ReadError, and_more
from valor_core.schemas.datum import Datum, Datums, Uid
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation import LabelMap, Layer, SegmentationBatch

Files = Mapping[str, Path]
"""Files by the uids of their images."""


@frozen
class Pair:
    """The files of one image; None where a side has none.

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
class Pairs:
    """A partition: the files of some images.

    Parameters
    ----------
    pairs : tuple of Pair
        The images, sorted by uid.

    Examples
    --------
    >>> Pairs((Pair("a", Path("true/a.png"), Path("seen/a.png")),)).name
    "images 'a' to 'a'"
    """

    pairs: tuple[Pair, ...]

    @property
    def name(self) -> str:
        """From which image to which."""
        return f"images {self.pairs[0].uid!r} to {self.pairs[-1].uid!r}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files it is of."""
        sides = (path for pair in self.pairs for path in (pair.groundtruth, pair.prediction))
        return tuple(dict.fromkeys(path for path in sides if path is not None))


Item = tuple[Uid, LabelMap | None, LabelMap | None]
"""Uid of an image, and its label maps."""

_BATCH_PIXELS = 1 << 24


def batched(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items in lists of about as many as have sixteen million pixels."""
    found: list[Item] = []
    room = _BATCH_PIXELS
    for item in items:
        found.append(item)
        room -= sum(math.prod(side.pixels.shape) for side in item[1:] if isinstance(side, LabelMap))
        if room <= 0:
            yield found
            found, room = [], _BATCH_PIXELS
    if found:
        yield found


def batch_of(
    items: Sequence[Item], labels: tuple[Label, ...], facts: Sequence[Mapping[str, Any]] = ()
) -> SegmentationBatch:
    """The batch of some images, with the metadata of each if there are any."""
    uids, true, seen = zip(*items, strict=True)
    datums = Datums.of(Datum(*pair) for pair in zip(uids, facts or [{}] * len(uids), strict=True))
    return SegmentationBatch(datums, labels, [Layer(true, seen)])


def files_of(place: Path, endings: Sequence[str]) -> dict[str, Path]:
    """Files of a folder and those below it, by their names without the ending; or one file.

    Files whose names begin with a dot are the system's and left out.

    Raises
    ------
    ReadError
        If there is no such folder or file, no file has such an ending, or two have one name.
    """
    if place.is_file():
        return {place.stem: place}
    if not place.is_dir():
        raise ReadError(f"{place}: expected a folder or a file, found nothing there")
    found: dict[str, Path] = {}
    lowered = [ending.lower() for ending in endings]
    for name in sorted(_files(place)):
        ending = next((one for one in lowered if name.lower().endswith(one)), None)
        if ending is None:
            continue
        uid, path = name[: -len(ending)], place / name
        if uid in found:
            raise ReadError(
                f"{place}: expected one file for each image, found {found[uid].name} and "
                f"{path.name}"
            )
        found[uid] = path
    if not found:
        raise ReadError(f"{place}: expected files that end in {' or '.join(endings)}, found none")
    return found


def _files(place: Path) -> Iterator[str]:
    """Names of all files of a folder and those below it, from there on."""
    for folder, _, names in os.walk(place):
        below = Path(folder).relative_to(place).as_posix()
        start = "" if below == "." else f"{below}/"
        yield from (start + name for name in names if not name.startswith("."))


def paired(groundtruths: Files, predictions: Files) -> list[Pair]:
    """Pairs of all images, sorted by uid; two single files are a pair whatever their names.

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
) -> list[Pair]:
    """Pairs of files in two folders, or of two files.

    Parameters
    ----------
    groundtruths, predictions : Path
        A folder, or a file.
    endings : (sequence of str, sequence of str)
        How names of true and of predicted files end.
    missing : {"error", "background"}
        What becomes of an image that one side lacks.

    Raises
    ------
    ReadError
        If a side lacks an image; says how many, and names the first few.
    """
    true, seen = files_of(groundtruths, endings[0]), files_of(predictions, endings[1])
    if groundtruths.is_file() and predictions.is_file():
        return [Pair(groundtruths.stem, groundtruths, predictions)]
    if missing == "error":
        check_partners(true, seen, predictions, "prediction")
        check_partners(seen, true, groundtruths, "ground truth")
    return paired(true, seen)


def check_partners(
    those: Collection[Uid], others: Collection[Uid], place: Path, what: str, show: int = 3
) -> None:
    """Raise a `ReadError` that names the images without a partner.

    Examples
    --------
    >>> check_partners(["a", "b"], ["a"], Path("predictions"), "prediction")
    Traceback (most recent call last):
        ...
    valor_core.errors.ReadError: predictions: expected a prediction for each of 2 images, found \
none for 1: 'b'
    Set data.missing to background to count images without one as all background.
    """
    lacking = sorted(uid for uid in those if uid not in others)
    if lacking:
        first = ", ".join(map(repr, lacking[:show]))
        raise ReadError(
            f"{place}: expected a {what} for each of {len(those):,} images, found none for "
            f"{len(lacking):,}: {first}{and_more(len(lacking) - show)}",
            "Set data.missing to background to count images without one as all background.",
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
    true_name: object, seen_name: object, true: LabelMap | None, seen: LabelMap | None
) -> None:
    """Raise a `ReadError` that names both label maps where they differ in size."""
    if true is None or seen is None or true.pixels.shape == seen.pixels.shape:
        return
    expected, found = (" by ".join(f"{n:,}" for n in one.pixels.shape) for one in (true, seen))
    raise ReadError(
        f"{seen_name}: expected {expected} pixels (rows by columns) as in {true_name}, found "
        f"{found}"
    )
