"""Reader of Pascal VOC's files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn
from unicodedata import normalize
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from attrs import evolve, frozen
from valor_files import unreadable_error

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Label
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_detection.geometry.validity import batch_of
from valor_detection.parameters.readers import VocParameters
from valor_detection.readers.folders import ImageFiles, check_some, image_files
from valor_detection.readers.images import files_of
from valor_detection.readers.text_files import as_read_errors, number_of, text_of


def xml_root(path: Path) -> Element:
    """Parse an XML file and return its root element.

    Raises
    ------
    ReadError
        If the file is not XML, or declares entities.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def reject(*_: Any) -> NoReturn:
        raise ReadError(
            f"{path}, line {parser.CurrentLineNumber}: expected XML without entity declarations, "
            "found one",
            "Remove the DOCTYPE and its entities from the file.",
        )

    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = reject
    try:
        parser.Parse(path.read_bytes(), True)
    except OSError as error:
        raise unreadable_error(path, error) from error
    except expat.ExpatError as error:
        raise ReadError(f"{path}, line {error.lineno}: expected XML, found: {error}") from error
    except LookupError as error:
        raise ReadError(f"{path}: expected XML in a supported encoding, found: {error}") from error
    return builder.close()


_RESULT = re.compile(r"(?:comp\d+_det_[^_]+_)?(.+)")
_EDGES = ("xmin", "ymin", "xmax", "ymax")
_SIDES = ("height", "width")


@frozen
class VocReader:
    """Reader of objects in XML files; results are XML, or lines of image, score and edges.

    Lines of results are those of VOC's devkit, in a file for each class such as
    ``comp4_det_test_dog.txt``. The devkit counts pixels from 1 and measures a width as
    ``xmax - xmin + 1``. The reader converts to edges, ``xmin - 1`` and ``xmax``, so areas and IoUs
    are those of the devkit.

    Parameters
    ----------
    parameters : VocParameters
        Folders and coordinate convention.
    task : str
        Always ``"detection"``.
    """

    parameters: VocParameters
    task: str

    def partitions(self) -> Sequence[ImageFiles]:
        """Split into ranges of images; one partition if results are in one file per class."""
        chosen = self.parameters
        truths = files_of(chosen.groundtruths, [".xml"])
        results = files_of(chosen.predictions, [".xml"])
        if chosen.images is not None:
            truths = _listed(truths, chosen.images, chosen.groundtruths)
            _check_listed(results, truths, chosen.images)
        lines = files_of(chosen.predictions, [".txt"])
        if results and lines:
            raise ReadError(
                f"{chosen.predictions}: expected results as .xml or as .txt files, found both, "
                f"such as {min(results.values()).name} and {min(lines.values()).name}",
                "Move files that are not results to another folder.",
            )
        step = chosen.partition_images if results else max(1, len(truths))
        parts = image_files(truths, results, {}, step)
        check_some(parts, chosen.groundtruths, ".xml")
        return parts

    def read(self, partition: ImageFiles) -> Iterator[DetectionBatch]:
        """Read the batch of a partition.

        Raises
        ------
        ReadError
            If a file cannot be read, an object lacks a name, an edge or a score, a result has an
            image without ground truths, or a box is rejected.
        """
        lines = self._lines(partition)
        files = zip(partition.uids, partition.groundtruths, partition.predictions, strict=True)
        images, predictions = [], []
        for uid, truths, results in files:
            images.append(_Image.read(truths, self.parameters))
            predicted = _Image.read(results, self.parameters)
            predictions.append([*predicted.objects, *lines.get(uid, ())])
        objects = {
            "groundtruths": [list(image.objects) for image in images],
            "predictions": predictions,
        }
        with as_read_errors():
            batch = batch_of(
                (
                    Detection(
                        uid,
                        [one.true() for one in image.objects],
                        [one.predicted() for one in predicted_objects],
                        {} if image.folder is None else {"folder": image.folder},
                        image.size,
                    )
                    for uid, image, predicted_objects in zip(
                        partition.uids, images, predictions, strict=True
                    )
                ),
                self.parameters.invalid_geometry,
                lambda side, image, row: objects[side][image][row].where,
            )
        skipped = sum(image.skipped for image in images)
        difficult = {"groundtruths left out: difficult": skipped} if skipped else {}
        positions = [[one.position for one in image.objects] for image in images]
        yield evolve(
            batch,
            groundtruths=batch.groundtruths.renumber(positions),
            left_out={**batch.left_out, **difficult},
        )

    def _lines(self, partition: ImageFiles) -> dict[str, list[_Object]]:
        """Read predictions of text files by image."""
        if any(partition.predictions):
            return {}
        found: dict[str, list[_Object]] = {uid: [] for uid in partition.uids}
        unknown = []
        for path in files_of(self.parameters.predictions, [".txt"]).values():
            for where, uid, prediction in _results(path, self.parameters):
                if uid in found:
                    found[uid].append(prediction)
                else:
                    unknown.append((where, uid))
        if unknown:
            where, uid = unknown[0]
            raise ReadError(
                f"{where}: expected one of the {len(found):,} images of "
                f"{self.parameters.images or self.parameters.groundtruths}, "
                f"found {uid!r}{and_more(len(unknown) - 1)}"
            )
        return found


def _listed(truths: dict[str, Path], images: Path, folder: Path) -> dict[str, Path]:
    """Return the annotation files of the images in a list."""
    lines = [line.split() for line in text_of(images).splitlines()]
    names = [normalize("NFC", fields[0]) for fields in lines if fields]
    missing = [name for name in names if name not in truths]
    if missing:
        raise ReadError(
            f"{images}: expected images with an XML file in {folder}, found "
            f"{missing[0]!r}{and_more(len(missing) - 1)}"
        )
    return {name: truths[name] for name in names}


def _check_listed(results: dict[str, Path], truths: dict[str, Path], images: Path) -> None:
    unknown = [uid for uid in results if uid not in truths]
    if unknown:
        raise ReadError(
            f"{results[unknown[0]]}: expected one of the {len(truths):,} images of {images}, found "
            f"{unknown[0]!r}{and_more(len(unknown) - 1)}"
        )


@frozen
class _Object:
    where: str
    position: int
    label: Label
    box: Box
    score: float | None
    is_ignored: bool = False

    def true(self) -> TrueObject:
        return TrueObject(self.label, self.box, ignored=self.is_ignored)

    def predicted(self) -> PredictedObject:
        if self.score is None:
            raise ReadError(
                f"{self.where}: expected a score, found none",
                "Write the confidence of each predicted object: <score>0.9</score>",
            )
        return PredictedObject([(self.label, self.score)], self.box)


@frozen
class _Image:
    objects: tuple[_Object, ...] = ()
    size: tuple[int, int] | None = None
    folder: str | None = None
    skipped: int = 0

    @classmethod
    def read(cls, path: Path | None, chosen: VocParameters) -> _Image:
        if path is None:
            return cls()
        root = xml_root(path)
        if root.tag != "annotation":
            raise ReadError(f"{path}: expected an element annotation, found {short_repr(root.tag)}")
        objects = list(enumerate(root.findall("object")))
        kept = [one for one in objects if chosen.difficult != "skip" or not _is_difficult(one[1])]
        return cls(
            tuple(_object(element, path, position, chosen) for position, element in kept),
            _size(root, path),
            root.findtext("folder"),
            len(objects) - len(kept),
        )


def _is_difficult(element: Element) -> bool:
    return (element.findtext("difficult") or "0").strip() == "1"


def _size(root: Element, path: Path) -> tuple[int, int] | None:
    """Return height and width; None if one is missing or 0."""
    height, width = (_side(root.findtext(f"size/{side}"), path, side) for side in _SIDES)
    return (height, width) if height and width else None


def _side(text: str | None, path: Path, side: str) -> int:
    where = f"{path}, size, {side}"
    number = _number(text, where) if text and text.strip() else 0.0
    if not number.is_integer() or not 0 <= number < 1 << 31:
        raise ReadError(f"{where}: expected a whole number of pixels, found {short_repr(text)}")
    return int(number)


def _object(element: Element, path: Path, position: int, chosen: VocParameters) -> _Object:
    where = f"{path}, object[{position}]"
    name = (element.findtext("name") or "").strip()
    if not name:
        raise ReadError(f"{where}, name: expected a name, found none")
    if element.find("robndbox") is not None or element.find("bndbox/angle") is not None:
        raise ReadError(
            f"{where}: expected an upright box, found an oriented one",
            "Write the corners of oriented boxes as YOLO labels (class, x1, y1, …, x4, y4) and use "
            "the reader yolo.",
        )
    edges = [_number(element.findtext(f"bndbox/{edge}"), f"{where}, {edge}") for edge in _EDGES]
    scores = [element.findtext(tag) for tag in ("score", "confidence")]
    score = next((_number(text, f"{where}, score") for text in scores if text), None)
    label = Label(chosen.label_key, name)
    is_ignored = chosen.difficult == "ignore" and _is_difficult(element)
    return _Object(where, position, label, _box(edges, where, chosen), score, is_ignored)


def _number(text: str | None, where: str) -> float:
    try:
        number = number_of(text or "")
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ReadError(f"{where}: expected a number, found {short_repr(text)}")
    return number


def _box(edges: Sequence[float], where: str, chosen: VocParameters) -> Box:
    xmin, ymin, xmax, ymax = edges
    may_be_inverted = chosen.invalid_geometry in ("repair", "skip")
    if (xmax < xmin or ymax < ymin) and not may_be_inverted:
        raise ReadError(
            f"{where}: expected a box with xmin <= xmax and ymin <= ymax, found {list(edges)}"
        )
    before = 1 if chosen.inclusive else 0
    # The first pixel belongs to the box, even if the edges are inverted.
    (left, right), (top, bottom) = (
        (first - before, last) if first <= last else (first, last - before)
        for first, last in ((xmin, xmax), (ymin, ymax))
    )
    return Box(left, top, right, bottom)


def _results(path: Path, chosen: VocParameters) -> Iterator[tuple[str, str, _Object]]:
    """Yield location, image and prediction of each line of a class's results."""
    match = _RESULT.fullmatch(path.stem)
    label = Label(chosen.label_key, match[1] if match else path.stem)
    for count, line in enumerate(text_of(path).splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        where = f"{path}, line {count}"
        if len(fields) != 6:
            raise ReadError(
                f"{where}: expected image, score, xmin, ymin, xmax and ymax, "
                f"found {short_repr(line)}"
            )
        score, *edges = (_number(field, where) for field in fields[1:])
        uid = normalize("NFC", fields[0])
        yield where, uid, _Object(where, count - 1, label, _box(edges, where, chosen), score)
