"""Reader of GeoJSON: polygons with the image, label and score as properties."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from attrs import evolve, frozen

from valor_core.errors import ReadError, SchemaError, shown
from valor_core.readers.table import file_size
from valor_core.schemas.arrays import as_float
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Geometry, MultiPolygon, Polygon
from valor_core.schemas.label import Label
from valor_detection.geometry.validity import let_through
from valor_detection.reader_parameters import GeojsonParameters


@frozen
class Collections:
    """The one partition: features of an image can stand anywhere in either file."""

    groundtruths: Path
    predictions: Path

    @property
    def name(self) -> str:
        """The two files."""
        return f"{self.groundtruths} and {self.predictions}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files it is of."""
        return (self.groundtruths, self.predictions)


@frozen
class GeojsonReader:
    """Reads features whose geometry is a polygon or several, in pixels.

    Parameters
    ----------
    parameters : GeojsonParameters
        Files and names of properties.
    task : str
        Always ``"detection"``.
    """

    parameters: GeojsonParameters
    task: str

    def partitions(self) -> Sequence[Collections]:
        """Both files as a whole."""
        return (Collections(self.parameters.groundtruths, self.parameters.predictions),)

    def read(self, partition: Collections) -> Iterator[DetectionBatch]:
        """The one batch."""
        truths: dict[str | int, list[TrueObject]] = {}
        predictions: dict[str | int, list[PredictedObject]] = {}
        features, true_counts = self._checked(partition.groundtruths, "groundtruths")
        for feature, geometry in features:
            objects = truths.setdefault(feature.image, [])
            if geometry is not None:
                objects.append(TrueObject(feature.label, geometry, feature.is_crowd))
        features, counts = self._checked(partition.predictions, "predictions")
        for feature, geometry in features:
            found = predictions.setdefault(feature.image, [])
            if geometry is not None:
                found.append(PredictedObject([(feature.label, feature.score())], geometry))
        batch = DetectionBatch.of(
            Detection(image, truths.get(image, ()), predictions.get(image, ()))
            for image in {**truths, **predictions}
        )
        yield evolve(batch, left_out={**true_counts, **counts})

    def _checked(
        self, path: Path, side: str
    ) -> tuple[list[tuple[_Feature, Geometry | None]], dict[str, int]]:
        """Features with their geometry, None where the policy leaves it out."""
        features = list(_features(path, self.parameters))
        geometries, counts = let_through(
            [feature.geometry for feature in features],
            None,
            self.parameters.invalid_geometry,
            side,
            lambda row: features[row].place,
        )
        return list(zip(features, geometries, strict=True)), counts


@frozen
class _Feature:
    place: str
    image: str | int
    label: Label
    geometry: Polygon | MultiPolygon
    properties: dict[str, Any]
    score_name: str

    @property
    def is_crowd(self) -> bool:
        return bool(self.properties.get("is_crowd", self.properties.get("iscrowd", False)))

    def score(self) -> float:
        score = self.properties.get(self.score_name)
        is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
        if not is_number or not math.isfinite(as_float(score)):
            raise ReadError(
                f"{self.place}, {self.score_name}: expected a finite number, found {shown(score)}"
            )
        return as_float(score)


def _features(path: Path, chosen: GeojsonParameters) -> Iterator[_Feature]:
    file_size(path)
    try:
        content = msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"{path}: expected GeoJSON, found: {error}") from error
    features = content.get("features") if isinstance(content, dict) else None
    if not isinstance(features, list):
        raise ReadError(f"{path}: expected a FeatureCollection, found {shown(content)}")
    for position, feature in enumerate(features):
        yield _feature(feature, f"{path}, features[{position}]", chosen)


def _feature(value: Any, place: str, chosen: GeojsonParameters) -> _Feature:
    properties = value.get("properties") if isinstance(value, dict) else None
    if not isinstance(properties, dict):
        raise ReadError(f"{place}: expected a Feature with properties, found {shown(value)}")
    image = _named(properties, chosen.image, place)
    label = Label(chosen.label_key, str(_named(properties, chosen.label, place)))
    geometry = _geometry(value.get("geometry"), place)
    return _Feature(place, image, label, geometry, properties, chosen.score)


def _named(properties: dict[str, Any], name: str, place: str) -> str | int:
    value = properties.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise ReadError(
            f"{place}, {name}: expected a string or a whole number, found {shown(value)}",
            "Say which property it is under data.image and data.label.",
        )
    return value


def _geometry(value: Any, place: str) -> Polygon | MultiPolygon:
    kind = value.get("type") if isinstance(value, dict) else None
    coordinates = value.get("coordinates") if isinstance(value, dict) else None
    if kind not in ("Polygon", "MultiPolygon") or not isinstance(coordinates, list):
        raise ReadError(
            f"{place}, geometry: expected a Polygon or MultiPolygon, found {shown(kind)}"
        )
    try:
        if kind == "Polygon":
            return Polygon(coordinates)
        return MultiPolygon([Polygon(rings) for rings in coordinates])
    except (SchemaError, ValueError) as error:
        raise ReadError(
            f"{place}, geometry: expected rings of points [x, y], found {shown(coordinates)}"
        ) from error
