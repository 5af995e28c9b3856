"""Every reader passes the conformance kit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from valor_testing import check_reader

from valor_core.specs import ReaderSpec, Registry

IMAGES = ("a", "b", "c")
EXAMPLE = Path(__file__).parents[3] / "examples" / "detection"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def coco(folder: Path) -> dict[str, Any]:
    return {
        "groundtruths": str(EXAMPLE / "instances.json"),
        "predictions": str(EXAMPLE / "detections.json"),
    }


def table(folder: Path) -> dict[str, Any]:
    head = "uid,label,xmin,ymin,xmax,ymax"
    boxes = [f"{name},dog,{i},0,{i + 2},3" for i, name in enumerate(IMAGES)]
    predicted = "".join(f"{box},0.5\n" for box in boxes)
    write(folder, {"gt.csv": "\n".join([head, *boxes, ""]), "dt.csv": f"{head},score\n{predicted}"})
    return {"groundtruths": str(folder / "gt.csv"), "predictions": str(folder / "dt.csv")}


def yolo(folder: Path) -> dict[str, Any]:
    files = {f"gt/{name}.txt": f"{i % 2} 0.5 0.5 0.5 0.25\n" for i, name in enumerate(IMAGES)}
    files |= {f"dt/{name}.txt": "1 0.25 0.5 0.5 1 0.75\n" for name in IMAGES[1:]}
    sizes = "".join(f"{name},20,8\n" for name in IMAGES)
    write(folder, files | {"names.txt": "cat\ndog\n", "sizes.csv": f"uid,width,height\n{sizes}"})
    names = {"groundtruths": "gt", "predictions": "dt", "names": "names.txt", "sizes": "sizes.csv"}
    return {key: str(folder / name) for key, name in names.items()}


def voc(folder: Path) -> dict[str, Any]:
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>4</xmax><ymax>2</ymax></bndbox>"
    one = f"<annotation><object><name>dog</name>{box}</object></annotation>"
    files = {f"gt/{name}.xml": one for name in IMAGES}
    write(folder, files | {"dt/comp4_det_test_dog.txt": "a 0.5 1 1 4 2\nc 0.25 2.5 2 3 3\n"})
    return {"groundtruths": str(folder / "gt"), "predictions": str(folder / "dt")}


def dota(folder: Path) -> dict[str, Any]:
    corners = "0 0 4 0 4 2 0 2"
    files = {f"gt/{name}.txt": f"imagesource:x\n{corners} ship 0\n" for name in IMAGES}
    write(folder, files | {"dt/Task1_ship.txt": f"a 0.5 {corners}\nc 0.25 {corners}\n"})
    return {"groundtruths": str(folder / "gt"), "predictions": str(folder / "dt")}


def open_images(folder: Path) -> dict[str, Any]:
    edges = "XMin,XMax,YMin,YMax"
    boxes = [f"{name},dog,0,0.5,0.25,1" for name in IMAGES]
    predicted = [f"{name},dog,0.5,0,0.5,0.25,0.75" for name in IMAGES[1:]]
    animals = [{"LabelName": "animal", "Subcategory": [{"LabelName": "dog"}]}]
    files = {
        "groundtruths.csv": [f"ImageID,LabelName,{edges}", *boxes],
        "predictions.csv": [f"ImageID,LabelName,Score,{edges}", *predicted],
        "image_labels.csv": ["ImageID,LabelName,Confidence", "b,animal,0"],
        "hierarchy.json": [json.dumps({"Subcategory": animals})],
    }
    write(folder, {name: "\n".join([*lines, ""]) for name, lines in files.items()})
    return {name.partition(".")[0]: str(folder / name) for name in files}


def kitti(folder: Path) -> dict[str, Any]:
    line = "Car 0.00 0 -1.58 10 10 60 40 1.6 1.6 3.6 -0.6 1.7 46.7 -1.59"
    files = {f"gt/{name}.txt": f"{line}\n" for name in IMAGES}
    write(folder, files | {f"dt/{name}.txt": f"{line} 0.5\n" for name in IMAGES})
    return {"groundtruths": str(folder / "gt"), "predictions": str(folder / "dt")}


def geojson(folder: Path) -> dict[str, Any]:
    ring = [[0, 0], [4, 0], [4, 3], [0, 3], [0, 0]]
    for side, more in (("gt", {}), ("dt", {"score": 0.5})):
        features = [
            {
                "type": "Feature",
                "geometry": {"type": "Polygon", "coordinates": [ring]},
                "properties": {"image": name, "label": "dog", **more},
            }
            for name in IMAGES
        ]
        collection = {"type": "FeatureCollection", "features": features}
        write(folder, {f"{side}.geojson": json.dumps(collection)})
    return {"groundtruths": str(folder / "gt.geojson"), "predictions": str(folder / "dt.geojson")}


SOURCES = (coco, table, yolo, voc, dota, kitti, open_images, geojson)


@pytest.mark.parametrize("source", SOURCES)
def test_reader_gives_the_same_items_for_any_partitions(source: Any, tmp_path: Path) -> None:
    check_reader(Registry().find(ReaderSpec, f"detection.{source.__name__}"), source(tmp_path))


def test_every_reader_of_the_family_is_checked() -> None:
    names = {spec.short_name for spec in Registry().manifest("detection").of(ReaderSpec)}

    assert names == {source.__name__ for source in SOURCES}
