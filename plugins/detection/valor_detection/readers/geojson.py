"""Reader of GeoJSON: polygons with the image, label and score as properties."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from attrs import frozen
from valor_files import WholeFiles

from valor_core.errors import ReadError, SchemaError, short_repr
from valor_core.schemas import Label
from valor_core.schemas.columns import as_float
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import MultiPolygon, Polygon
from valor_detection.geometry.geojson import from_geojson
from valor_detection.geometry.validity import batch_of
from valor_detection.parameters.readers import GeojsonParameters
from valor_detection.readers.text_files import as_read_errors, text_of


@frozen
class GeojsonReader:
    """Reader of features with polygons or multipolygons in pixels.

    Parameters
    ----------
    parameters : GeojsonParameters
        Files and names of properties.
    task : str
        Always ``"detection"``.
    """

    parameters: GeojsonParameters
    task: str

    def partitions(self) -> Sequence[WholeFiles[Path]]:
        """Return one partition with both files."""
        return (WholeFiles(self.parameters.groundtruths, self.parameters.predictions),)

    def read(self, partition: WholeFiles[Path]) -> Iterator[DetectionBatch]:
        """Read the only batch.

        Raises
        ------
        ReadError
            If a file is not a FeatureCollection, a feature lacks a property, or a polygon is
            rejected.
        MissingExtraError
            If a polygon needs shapely, which is not installed.
        """
        truths = self._by_image(partition.groundtruths)
        predictions = self._by_image(partition.predictions)
        images = list({**truths, **predictions})
        features = {"groundtruths": truths, "predictions": predictions}
        with as_read_errors():
            batch = batch_of(
                (
                    Detection(
                        image,
                        [feature.true() for feature in truths.get(image, ())],
                        [feature.predicted() for feature in predictions.get(image, ())],
                    )
                    for image in images
                ),
                self.parameters.invalid_geometry,
                lambda side, image, row: features[side][images[image]][row].where,
            )
        yield batch

    def _by_image(self, path: Path) -> dict[str | int, list[_Feature]]:
        found: dict[str | int, list[_Feature]] = {}
        for feature in _features(path, self.parameters):
            found.setdefault(feature.image, []).append(feature)
        return found


@frozen
class _Feature:
    where: str
    image: str | int
    label: Label
    geometry: Polygon | MultiPolygon
    properties: dict[str, Any]
    score_name: str

    def true(self) -> TrueObject:
        name = "is_crowd" if "is_crowd" in self.properties else "iscrowd"
        is_crowd = self.properties.get(name)
        if not isinstance(is_crowd, (int, float, type(None))) or is_crowd not in (0, 1, None):
            raise ReadError(
                f"{self.where}, {name}: expected true or false, found {short_repr(is_crowd)}"
            )
        return TrueObject(self.label, self.geometry, bool(is_crowd))

    def predicted(self) -> PredictedObject:
        return PredictedObject([(self.label, self._score())], self.geometry)

    def _score(self) -> float:
        score = self.properties.get(self.score_name)
        is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
        if not is_number or not math.isfinite(as_float(score)):
            raise ReadError(
                f"{self.where}, {self.score_name}: expected a finite number, "
                f"found {short_repr(score)}"
            )
        return as_float(score)


def _features(path: Path, chosen: GeojsonParameters) -> Iterator[_Feature]:
    try:
        content = msgspec.json.decode(text_of(path))
    except (msgspec.DecodeError, RecursionError) as error:
        raise ReadError(
            f"{path}: expected GeoJSON, found: {error}", "Check that the file is complete."
        ) from error
    features = _of_type(content, "FeatureCollection", str(path)).get("features")
    if not isinstance(features, list):
        raise ReadError(f"{path}, features: expected a list, found {short_repr(features)}")
    for position, feature in enumerate(features):
        yield _feature(feature, f"{path}, features[{position}]", chosen)


def _feature(value: Any, where: str, chosen: GeojsonParameters) -> _Feature:
    feature = _of_type(value, "Feature", where)
    properties = feature.get("properties")
    if not isinstance(properties, dict):
        raise ReadError(f"{where}, properties: expected a table, found {short_repr(properties)}")
    image = _named(properties, chosen.image, where)
    if isinstance(image, int) and not -(1 << 63) <= image < 1 << 63:
        raise ReadError(f"{where}, {chosen.image}: expected a number of 64 bits, found {image}")
    label = Label(chosen.label_key, str(_named(properties, chosen.label, where)))
    try:
        geometry = from_geojson(feature.get("geometry"))
    except SchemaError as error:
        raise ReadError(f"{where}, {error.message}", error.remedy) from error
    return _Feature(where, image, label, geometry, properties, chosen.score)


def _of_type(value: Any, kind: str, where: str) -> dict[str, Any]:
    """Validate the ``type`` of a GeoJSON object."""
    if not isinstance(value, dict) or value.get("type") != kind:
        found = value.get("type") if isinstance(value, dict) else value
        raise ReadError(f"{where}: expected a {kind}, found {short_repr(found)}")
    return value


def _named(properties: dict[str, Any], name: str, where: str) -> str | int:
    value = properties.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise ReadError(
            f"{where}, {name}: expected a string or a whole number, found {short_repr(value)}",
            "Set data.image and data.label to the names of the properties.",
        )
    return value
