"""Parameters of the reader of GeoJSON."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters
from valor_detection.parameters.policy import Policy
from valor_detection.parameters.readers import fields


@parameters
class GeojsonParameters:
    """Parameters of the reader of GeoJSON."""

    groundtruths: Path = parameter(help="FeatureCollection of true objects.")
    predictions: Path = parameter(help="FeatureCollection of predicted objects with scores.")
    image: str = parameter(default="image", help="Property that names the image.")
    label: str = parameter(default="label", help="Property of the label.")
    score: str = parameter(default="score", help="Property of the score.")
    label_key: str = fields.label_key()
    invalid_geometry: Policy = fields.invalid_geometry("polygons")
