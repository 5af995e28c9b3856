"""Readers of tables of boxes and of GeoJSON, and their errors."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_detection.parameters.readers import GeojsonParameters
from valor_detection.parameters.tables import TableParameters
from valor_detection.readers.geojson import GeojsonReader
from valor_detection.readers.tables import TableReader

from valor_core.errors import ReadError
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import MultiPolygon, Polygon


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


HEADER = "uid,label,xmin,ymin,xmax,ymax"
TRUTHS = f"{HEADER},is_crowd\na,dog,0,0,2,1,\nb,cat,1,1,2,3,1\na,cat,0,0,1,1,0\n"
RESULTS = f"{HEADER},score\nc,dog,0,0,2,1,0.5\na,dog,0,0,2,1.5,0.75\n"


def table(truths: str = TRUTHS, results: str = RESULTS, images: str = "", **chosen: Any) -> Any:
    for name, text in (("gt.csv", truths), ("dt.csv", results), ("images.csv", images)):
        Path(name).write_text(text, encoding="utf-8")
    given: dict[str, Any] = {"groundtruths": Path("gt.csv"), "predictions": Path("dt.csv")}
    if images:
        given["images"] = Path("images.csv")
    reader = TableReader(TableParameters(**{**given, **chosen}), "detection")
    (part,) = reader.partitions()
    (batch,) = reader.read(part)
    return batch


def test_rows_of_an_image_need_not_be_adjacent() -> None:
    batch: DetectionBatch = table()
    assert batch.datums.uids.tolist() == ["a", "b", "c"]
    assert batch.groundtruths.datums.tolist() == [0, 0, 1]
    assert batch.groundtruths.shapes.boxes.tolist() == [[0, 0, 2, 1], [0, 0, 1, 1], [1, 1, 1, 2]]
    assert batch.groundtruths.crowd.tolist() == [False, False, True]
    assert batch.predictions.scores.tolist() == [0.75, 0.5]
    assert batch.predictions.areas.tolist() == [3, 2]


def test_normalized_boxes_become_pixels_and_other_columns_metadata() -> None:
    truths = "uid,label,x,y,w,h\na,dog,0.5,0.5,0.5,1\n"
    results = "uid,label,x,y,w,h,score\n"
    images = "uid,width,height,weather\na,20,10,rain\nb,1,1,sun\n"
    names = ("x", "y", "w", "h")
    chosen = {"box": names, "box_format": "cxcywh", "normalized": True}
    batch = table(truths, results, images, **chosen)
    assert batch.groundtruths.shapes.boxes.tolist() == [[5, 0, 10, 10]]
    assert batch.sizes.tolist() == [[10, 20], [1, 1]]
    assert batch.datums.metadata["weather"].tolist() == ["rain", "sun"]
    assert len(batch) == 2


WRONG = [
    {"truths": f"{HEADER}\na,dog,3,0,2,1\n"},
    {"results": f"{HEADER},score\na,dog,0,0,2,1,x\n"},
    {"images": "uid\na\nb\n"},
    {"images": "uid\na\na\n"},
    {"images": "uid,width,height\na,0,5\n"},
    {"normalized": True},
    {"truths": f"{HEADER},is_crowd\na,dog,0,0,2,1,maybe\n"},
    {"box": ("x", "y")},
]


@pytest.mark.parametrize("given", WRONG)
def test_invalid_table_is_rejected(given: dict[str, Any]) -> None:
    with refused(ReadError):
        table(**given)


SQUARE = [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], [[1, 1], [2, 1], [2, 2], [1, 2], [1, 1]]]


def feature(kind: str = "Polygon", coordinates: Any = SQUARE, **properties: Any) -> Any:
    own = {"image": "a", "label": "dog", "score": 0.5, **properties}
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": own}


def geojson(truths: list[Any], results: Any, **chosen: Any) -> DetectionBatch:
    for name, features in (("gt.geojson", truths), ("dt.geojson", results)):
        content = {"type": "FeatureCollection", "features": features}
        Path(name).write_text(json.dumps(content), encoding="utf-8")
    return read_geojson(**chosen)


def read_geojson(**chosen: Any) -> DetectionBatch:
    given: Any = {"groundtruths": Path("gt.geojson"), "predictions": Path("dt.geojson")}
    reader = GeojsonReader(GeojsonParameters(**{**given, **chosen}), "detection")
    (part,) = reader.partitions()
    (batch,) = reader.read(part)
    return batch


def test_polygons_keep_their_holes_and_parts() -> None:
    batch = geojson(
        [feature(image=7)],
        [feature("MultiPolygon", [SQUARE, SQUARE[1:]], image=7)],
        invalid_geometry="accept",
    )
    assert batch.datums.uids.tolist() == [7]
    assert isinstance(batch.groundtruths.shapes.at(0), Polygon)
    assert isinstance(batch.predictions.shapes.at(0), MultiPolygon)
    assert batch.groundtruths.areas.tolist() == [15]
    assert batch.predictions.areas.tolist() == [16]
    assert batch.predictions.scores.tolist() == [0.5]


WRONG_FEATURES = [
    (feature("Point", [0, 0]), "expected a GeoJSON Polygon or MultiPolygon"),
    (feature(score=None), "expected a finite number, found None"),
    (feature(label=None), "expected a string or a whole number"),
    (feature(coordinates=[[[0, 0], [1]]]), "expected positions [x, y], got [1]"),
    (
        feature(coordinates=[[["0", "0"], ["1", "0"], ["1", "1"]]]),
        "expected points (x, y), got [['0'",
    ),
    ({}, "expected a Feature, found None"),
    ({**feature(), "type": "Topology"}, "expected a Feature, found 'Topology'"),
    ({"type": "Feature"}, "expected a table, found None"),
    (feature(image=10**20), "expected a number of 64 bits"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG_FEATURES)
def test_invalid_feature_is_rejected(wrong: Any, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        geojson([], [wrong])


def test_file_that_is_no_feature_collection_is_rejected() -> None:
    with pytest.raises(ReadError, match=r"dt\.geojson, features: expected a list, found \{\}"):
        geojson([], {})
    geojson([], [])
    Path("dt.geojson").write_text('{"type": "Polygon"}', encoding="utf-8")
    with pytest.raises(
        ReadError, match=r"dt\.geojson: expected a FeatureCollection, found 'Polygon'"
    ):
        read_geojson()


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("false", "gt.geojson, features[0], is_crowd: expected true or false, found 'false'"),
        (2, "gt.geojson, features[0], is_crowd: expected true or false, found 2"),
        (0.5, "gt.geojson, features[0], is_crowd: expected true or false, found 0.5"),
        ([1], "gt.geojson, features[0], is_crowd: expected true or false, found [1]"),
    ],
)
def test_invalid_crowd_flag_is_rejected(flag: Any, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        geojson([feature(is_crowd=flag)], [])
    flags = [{"is_crowd": True}, {"iscrowd": 1}, {"iscrowd": 0}, {"is_crowd": None}, {}]
    batch = geojson([feature(**own) for own in flags], [])
    assert batch.groundtruths.crowd.tolist() == [True, True, False, False, False]


def test_truncated_file_and_file_not_in_utf_8_are_rejected() -> None:
    geojson([feature()], [feature(image="é")])
    given = Path("gt.geojson").read_bytes()
    Path("gt.geojson").write_bytes(b"\xef\xbb\xbf" + given)
    assert len(read_geojson().groundtruths) == 1
    Path("gt.geojson").write_bytes(given[:-3])
    with pytest.raises(ReadError, match=r"gt\.geojson: expected GeoJSON, found"):
        read_geojson()
    Path("gt.geojson").write_bytes(given.replace(b"dog", b"\xe9"))
    with pytest.raises(
        ReadError, match=r"gt\.geojson, line 1: expected text in UTF-8, found the byte 0xe9"
    ):
        read_geojson()


def test_deeply_nested_lists_are_rejected() -> None:
    for name, text in (("gt.geojson", "[" * 100_000), ("dt.geojson", "[]")):
        Path(name).write_text(text, encoding="utf-8")
    with pytest.raises(ReadError, match=r"gt\.geojson: expected GeoJSON, found"):
        read_geojson()


def test_invalid_features_follow_the_policy() -> None:
    wrong = [feature(coordinates=[[[0, 0], [4, 4], [4, 0], [0, 4]]]), feature(coordinates=[])]
    with pytest.raises(
        ReadError,
        match=r"dt\.geojson, features\[0\]: expected a shape whose edges do not cross, got",
    ):
        geojson([], wrong)
    batch = geojson([], wrong, invalid_geometry="repair")
    assert batch.left_out == {
        "predictions left out: empty": 1,
        "predictions repaired: self-crossing": 1,
    }
    assert batch.predictions.areas.tolist() == [8]
    batch = geojson([], [*wrong, feature()], invalid_geometry="skip")
    assert (len(batch), batch.predictions.annotations.tolist()) == (1, [2])


def test_invalid_rows_follow_the_policy() -> None:
    truths = f"{HEADER}\na,dog,3,0,2,1\na,dog,0,0,0,1\na,dog,0,0,1e200,1e200\n"
    batch = table(truths, invalid_geometry="repair")
    assert batch.groundtruths.shapes.boxes.tolist() == [[2, 0, 1, 1]]
    assert batch.left_out == {
        "groundtruths left out: not finite": 1,
        "groundtruths left out: zero area": 1,
        "groundtruths repaired: inverted": 1,
    }
    with pytest.raises(
        ReadError, match=r"gt\.csv, row 2: expected a shape with finite coordinates and area, got"
    ):
        table(f"{HEADER}\na,dog,0,0,1e200,1e200\n", invalid_geometry="accept")
