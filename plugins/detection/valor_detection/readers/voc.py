"""Reader of Pascal VOC's files: an XML file for each image, results as text or XML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from attrs import evolve, frozen

from valor_core.errors import ReadError, and_more, shown
from valor_core.readers.table import unreadable
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.schemas.label import Label
from valor_detection.reader_parameters import VocParameters
from valor_detection.readers.folders import ImageFiles, check_some, image_files
from valor_detection.readers.images import files_of
from valor_detection.readers.xml import xml_root

_RESULT = re.compile(r"(?:comp\d+_det_[^_]+_)?(.+)")
_EDGES = ("xmin", "ymin", "xmax", "ymax")


@frozen
class VocReader:
    """Reads objects of XML files; results as lines of image, score and edges, or as XML.

    Parameters
    ----------
    parameters : VocParameters
        Folders, and how coordinates are counted.
    task : str
        Always ``"detection"``.
    """

    parameters: VocParameters
    task: str

    def partitions(self) -> Sequence[ImageFiles]:
        """Some images each; all of them where results stand in a file for each class."""
        chosen = self.parameters
        truths = files_of(chosen.groundtruths, [".xml"])
        results = files_of(chosen.predictions, [".xml"])
        step = chosen.partition_images if results else max(1, len(truths))
        parts = image_files(truths, results, {}, step)
        check_some(parts, chosen.groundtruths, ".xml")
        return parts

    def read(self, partition: ImageFiles) -> Iterator[DetectionBatch]:
        """The batch of one part."""
        skipped = 0
        items = []
        lines = self._lines(partition)
        files = zip(partition.uids, partition.groundtruths, partition.predictions, strict=True)
        for uid, truths, results in files:
            true = _Image.read(truths, self.parameters)
            seen = _Image.read(results, self.parameters)
            skipped += true.skipped
            predictions = [*(own.predicted() for own in seen.objects), *lines.get(uid, ())]
            items.append(
                Detection(
                    uid,
                    [own.true() for own in true.objects],
                    predictions,
                    {} if true.folder is None else {"folder": true.folder},
                    true.size,
                )
            )
        batch = DetectionBatch.of(items)
        yield evolve(batch, left_out={"groundtruths: difficult": skipped}) if skipped else batch

    def _lines(self, partition: ImageFiles) -> dict[str, list[PredictedObject]]:
        """Predictions of text files by image."""
        if any(partition.predictions):
            return {}
        found: dict[str, list[PredictedObject]] = {uid: [] for uid in partition.uids}
        strangers = []
        for path in files_of(self.parameters.predictions, [".txt"]).values():
            for place, uid, prediction in _results(path, self.parameters):
                if uid in found:
                    found[uid].append(prediction)
                else:
                    strangers.append((place, uid))
        if strangers:
            place, uid = strangers[0]
            raise ReadError(
                f"{place}: expected one of the {len(found):,} images of "
                f"{self.parameters.groundtruths}, found {uid!r}{and_more(len(strangers) - 1)}"
            )
        return found


@frozen
class _Object:
    place: str
    label: Label
    box: Box
    score: float | None

    def true(self) -> TrueObject:
        return TrueObject(self.label, self.box)

    def predicted(self) -> PredictedObject:
        if self.score is None:
            raise ReadError(f"{self.place}: expected a score, found none")
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
        objects = list(root.iter("object"))
        kept = [own for own in objects if chosen.difficult == "keep" or not _is_difficult(own)]
        return cls(
            tuple(_object(own, f"{path}, object[{objects.index(own)}]", chosen) for own in kept),
            _size(root),
            root.findtext("folder"),
            len(objects) - len(kept),
        )


def _is_difficult(element: Element) -> bool:
    return (element.findtext("difficult") or "0").strip() == "1"


def _size(root: Element) -> tuple[int, int] | None:
    found = [root.findtext(f"size/{name}") or "" for name in ("height", "width")]
    height, width = (int(text) if text.strip().isdigit() else 0 for text in found)
    return (height, width) if height and width else None


def _object(element: Element, place: str, chosen: VocParameters) -> _Object:
    name = (element.findtext("name") or "").strip()
    if not name:
        raise ReadError(f"{place}, name: expected a name, found none")
    edges = [_number(element.findtext(f"bndbox/{edge}"), f"{place}, {edge}") for edge in _EDGES]
    scores = [element.findtext(tag) for tag in ("score", "confidence")]
    score = next((_number(text, f"{place}, score") for text in scores if text), None)
    return _Object(place, Label(chosen.label_key, name), _box(edges, place, chosen), score)


def _number(text: str | None, place: str) -> float:
    try:
        number = float(text or "")
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ReadError(f"{place}: expected a number, found {shown(text)}")
    return number


def _box(edges: Sequence[float], place: str, chosen: VocParameters) -> Box:
    xmin, ymin, xmax, ymax = edges
    if chosen.inclusive:
        xmin, ymin = xmin - 1, ymin - 1
    if xmax < xmin or ymax < ymin:
        raise ReadError(
            f"{place}: expected a box with xmin <= xmax and ymin <= ymax, found {list(edges)}"
        )
    return Box(xmin, ymin, xmax, ymax)


def _results(path: Path, chosen: VocParameters) -> Iterator[tuple[str, str, PredictedObject]]:
    """Place, image and prediction of each line of a class's results."""
    match = _RESULT.fullmatch(path.stem)
    label = Label(chosen.label_key, match[1] if match else path.stem)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise unreadable(path, error) from error
    for count, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        place = f"{path}, line {count}"
        if len(words) != 6:
            raise ReadError(
                f"{place}: expected image, score, xmin, ymin, xmax and ymax, found {shown(line)}"
            )
        score, *edges = (_number(word, place) for word in words[1:])
        yield place, words[0], PredictedObject([(label, score)], _box(edges, place, chosen))
