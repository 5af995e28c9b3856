"""Labelme: a reader of two folders of labelme files, one file per image."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen
from valor_files import Detected

from valor_core.errors import ReadError
from valor_core.parameters import Within, parameter, parameters
from valor_core.readers import Partition
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Polygon
from valor_core.specs import ReaderSpec, hookimpl


@parameters
class LabelmeParameters:
    """Parameters of the reader."""

    groundtruths: Path = parameter(help="Folder of files with true objects.")
    predictions: Path = parameter(help="Folder of files of the same names with scores.")
    partition_files: int = parameter(default=1000, help="Files per partition.", check=Within(1))


@frozen(repr=False)
class Files(Partition):
    """Files of some images."""

    groundtruths: Path
    predictions: Path
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """Folder with the first and the last file."""
        return f"{self.groundtruths}, {self.names[0]} to {self.names[-1]}"

    @property
    def identity(self) -> str:
        """The name with an absolute path."""
        return f"{self.groundtruths.resolve()}, {self.names[0]} to {self.names[-1]}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files of the partition that exist."""
        both = (self.groundtruths, self.predictions)
        paths = (folder / name for folder in both for name in self.names)
        return tuple(path for path in paths if path.exists())


@frozen
class LabelmeReader:
    """Reader of polygons and rectangles in pixels."""

    parameters: LabelmeParameters
    task: Any

    def partitions(self) -> list[Files]:
        """Split the files by name."""
        truths, predictions = self.parameters.groundtruths, self.parameters.predictions
        if not truths.is_dir():
            raise ReadError(f"{truths}: expected a folder of labelme files")
        names = sorted(path.name for path in truths.glob("*.json"))
        size = self.parameters.partition_files
        starts = range(0, len(names), size)
        return [Files(truths, predictions, tuple(names[i : i + size])) for i in starts]

    def read(self, partition: Files) -> Iterator[DetectionBatch]:
        """Yield the images of a partition. An image without a file has no predictions."""
        images = []
        for name in partition.names:
            true = _content(partition.groundtruths / name)
            seen = partition.predictions / name
            predicted = _content(seen)["shapes"] if seen.exists() else []
            images.append(
                Detection(
                    Path(name).stem,
                    [TrueObject(shape["label"], _geometry(shape)) for shape in true["shapes"]],
                    [
                        PredictedObject({shape["label"]: shape["score"]}, _geometry(shape))
                        for shape in predicted
                    ],
                    true.get("flags", {}),
                    (true["imageHeight"], true["imageWidth"]),
                )
            )
        yield DetectionBatch.of(images)


def _content(path: Path) -> Any:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ReadError(f"{path}: expected JSON, found {error}") from None
    if not isinstance(content, dict) or "shapes" not in content:
        raise ReadError(f"{path}: expected a labelme file with the key 'shapes'")
    return content


def _geometry(shape: Any) -> Box | Polygon:
    points = shape["points"]
    if shape["shape_type"] == "rectangle":
        xs, ys = zip(*points, strict=True)
        return Box(min(xs), min(ys), max(xs), max(ys))
    return Polygon(points)


def detect(files: list[Path]) -> Detected | None:
    """Recognize two folders of labelme files."""
    if len(files) != 2 or not all(file.is_dir() for file in files):
        return None
    for folder in files:
        first = min(folder.glob("*.json"), default=None)
        if first is None or '"shapes"' not in first.read_text(encoding="utf-8", errors="replace"):
            return None
    true, predicted = map(str, files)
    return Detected(data={"groundtruths": true, "predictions": predicted}, metrics=("AP",))


@hookimpl
def valor_readers() -> list[ReaderSpec]:
    """Declare the reader."""
    return [
        ReaderSpec(
            name="labelme.labelme",
            task="detection",
            summary="Two folders of labelme files",
            parameters=LabelmeParameters,
            implementation="labelme:LabelmeReader",
            detect="labelme:detect",
        )
    ]
