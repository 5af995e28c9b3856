"""Example files: small and well-formed, at least one for each reader of this project."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen
from masks import compressed
from mutations import MARKS, NUMBERS, SIZES
from numpy.typing import NDArray

Files = Mapping[str, bytes]


@frozen(kw_only=True)
class Example:
    """Files that a reader reads.

    Parameters
    ----------
    files : mapping of str to bytes
        Contents by path.
    data : mapping
        The reader's parameters, with paths as in `files`.
    variants : sequence of mapping
        Further parameters, one of which is taken.
    words : sequence of bytes
        What means something in such files.
    reader : str
        The reader.
    """

    files: Files
    data: Mapping[str, Any]
    variants: Sequence[Mapping[str, Any]] = ({},)
    words: Sequence[bytes] = (*NUMBERS, *MARKS)
    reader: str = ""

    @property
    def task(self) -> str:
        """The task of its reader."""
        namespace = self.reader.partition(".")[0]
        return "text" if namespace == "core" else namespace


def choices(**values: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """Every combination of some parameters.

    Examples
    --------
    >>> choices(a=[1, 2], b=[3])
    ({'a': 1, 'b': 3}, {'a': 2, 'b': 3})
    """
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))


def reader_of(name: str) -> str:
    """The reader of the example of a name.

    Examples
    --------
    >>> reader_of("classification.wide CSV")
    'classification.wide'
    """
    return name.partition(" ")[0]


@cache
def example_of(name: str) -> Example:
    """The example of a name."""
    return evolve(_EXAMPLES[name](), reader=reader_of(name))


_INVALID = ("accept", "error", "repair", "skip")
_SMALL_PARTS = ({}, {"partition_bytes": 30})
_BINARY = (*SIZES, b"\x00" * 4, b"\xff" * 8)


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _scores() -> list[dict[str, Any]]:
    return [
        {
            "uid": f"i{i}",
            "label": ("cat", "dog")[i % 2],
            "weather": (None, "sun", 'r,"x')[i % 3],
            "score_cat": round(i / 7, 3),
            "score_dog": round(1 - i / 7, 3),
        }
        for i in range(7)
    ]


def _wide(name: str, content: bytes, **more: Any) -> Example:
    return Example(
        files={name: content},
        data={"path": name},
        variants=[
            part | scores for part in _SMALL_PARTS for scores in ({}, {"labels": ["dog", "cat"]})
        ],
        **more,
    )


def _wide_parquet() -> Example:
    import pyarrow
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(_scores()), file)
    return _wide("a.parquet", file.getvalue(), words=(*_BINARY, b"PAR1", b"score_cat"))


def _predicted() -> Example:
    content = b'uid,label,prediction\na,dog,dog\nb,cat,"[""dog""]"\nc,"[""x"", ""y""]",\n'
    return Example(
        files={"a.csv": content},
        data={"path": "a.csv"},
        variants=_SMALL_PARTS,
    )


def _lists() -> Example:
    rows = [
        {"uid": "a", "groundtruths": "dog", "predictions": {"dog": 0.75, "cat": 0.25}},
        {
            "uid": "b",
            "groundtruths": ["cat"],
            "predictions": ["dog", "cat"],
            "scores": [0.5, 0.25],
            "metadata": {"sky": "gray"},
        },
        {
            "uid": "c",
            "groundtruths": {"animal": "dog"},
            "predictions": [{"key": "animal", "label": "dog", "score": 0.9}],
        },
    ]
    lines = b"\n".join(map(_json, rows))
    return Example(
        files={
            "a.jsonl": lines,
            "a.json": _json(rows),
            "a.jsonl.gz": gzip.compress(lines, mtime=0),
        },
        data={},
        variants=[
            {"path": name, **part}
            for name in ("a.jsonl", "a.json", "a.jsonl.gz")
            for part in _SMALL_PARTS
        ],
    )


def _long() -> Example:
    return Example(
        files={
            "true.csv": b"uid,label\na,dog\nb,cat\n",
            "seen.csv": b"uid,label,score\na,dog,0.8\na,cat,0.2\nb,dog,0.6\n",
            "facts.csv": b"uid,sky\na,gray\nb,\n",
        },
        data={"groundtruths": "true.csv", "predictions": "seen.csv"},
        variants=({}, {"metadata": "facts.csv"}),
    )


def _items() -> Example:
    rows = [
        {"uid": "a", "query": "Capital?", "response": "Paris", "references": ["Paris", "paris"]},
        {"uid": "b", "response": "Rome", "references": "Rome", "contexts": ["Rome is a city."]},
    ]
    return Example(
        files={"a.jsonl": b"\n".join(map(_json, rows)), "a.csv": b"uid,response\na,Paris\nb,\n"},
        data={},
        variants=[{"path": name} for name in ("a.jsonl", "a.csv")],
    )


_POLYGON = [[1, 1, 5, 1, 5, 5.5, 1, 5]]
_RUNS = {"size": [10, 12], "counts": [3, 4, 113]}
_IMAGES = [{"id": number, "height": 10, "width": 12} for number in (1, 2)]
_CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
_COCO_WORDS = (
    *(*NUMBERS, *MARKS, b'"size"', b'"counts"', b"[1,2]", b"[4294967296,1]", b'"PPYo0"'),
    *(b"4294967296", b"1000000000", b'"segmentation"', b'"bbox"', b"[1,1,5,1,5,5]"),
)


def _coco() -> Example:
    ids, text = {"image_id": 1, "category_id": 1}, compressed(_RUNS["counts"]).decode()
    annotations = [
        ids | {"id": 1, "bbox": [1, 2.5, 3, 4], "area": 12.0, "segmentation": _POLYGON},
        {"image_id": 2, "category_id": 2, "id": 2, "bbox": [1, 2, 3, 1.5]}
        | {"iscrowd": 1, "area": 1e2, "segmentation": _RUNS},
    ]
    results = [
        ids | {"bbox": [i, 1.25, 3.5, 3], "score": 0.1 * i, "segmentation": mask}
        for i, mask in enumerate((_RUNS, _RUNS | {"counts": text}, _RUNS | {"counts": [120]}))
    ]
    true = {"images": _IMAGES, "annotations": annotations, "categories": _CATEGORIES}
    return Example(
        files={"true.json": _json(true), "seen.json": _json(results)},
        data={"groundtruths": "true.json", "predictions": "seen.json"},
        variants=choices(
            iou_type=("bbox", "segm"), invalid_geometry=_INVALID, unknown=("error", "skip")
        ),
        words=_COCO_WORDS,
    )


def _yolo() -> Example:
    polygon = b"1 0.1 0.1 0.3 0.1 0.3 0.3 0.1 0.3"
    return Example(
        files={
            "true/a.txt": b"0 0.5 0.5 0.2 0.2\n%b\n" % polygon,
            "true/b.txt": b"1 0.5 0.5 0.5 0.5\n",
            "seen/a.txt": b"0 0.5 0.5 0.2 0.25 0.9\n%b 0.5\n" % polygon,
            "seen/b.txt": b"",
            "names.txt": b"cat\ndog\n",
            "data.yaml": b"names:\n  0: cat\n  1: dog\n",
            "sizes.csv": b"uid,width,height\na,100,80\nb,64,64\n",
            "images/a.png": _png(np.zeros((80, 100), np.uint8)),
            "images/b.png": _png(np.zeros((64, 64), np.uint8)),
        },
        data={"groundtruths": "true", "predictions": "seen"},
        variants=[
            names | sizes
            for names in choices(names=("names.txt", "data.yaml"), invalid_geometry=_INVALID)
            for sizes in ({"sizes": "sizes.csv"}, {"images": "images"})
        ],
    )


def _dota() -> Example:
    return Example(
        files={
            "true/a.txt": b"imagesource:GoogleEarth\ngsd:0.15\n0 0 4 0 4 2 0 2 ship 0\n",
            "true/b.txt": b"gsd:null\n10.5 10 12 12 10 14 8 12 plane 1\n",
            "seen/Task1_ship.txt": b"a 0.75 0 0 4 0 4 2 0 2\n\nb 5e-1 5 5 9 5 9 9 5 9\n",
            "seen/Task1_plane.txt": b"b 0.25 10.5 10 12 12 10 14 8 12\n",
        },
        data={"groundtruths": "true", "predictions": "seen"},
        variants=choices(invalid_geometry=_INVALID, difficult=("keep", "skip")),
        words=(*NUMBERS, *MARKS, b" ", b"\n", b":", b"gsd:", b"imagesource:", b"\xe2\x80\xa8"),
    )


def _kitti() -> Example:
    car = b"Car 0.00 0 -1.58 10 10 60 60 1.6 1.6 3.6 -0.6 1.7 46.7 -1.59"
    area = b"DontCare -1 -1 -10 100 10 160 60 -1 -1 -1 -1000 -1000 -1000 -10"
    return Example(
        files={
            "true/a.txt": car + b"\n" + area + b"\n",
            "true/b.txt": car.replace(b"Car", b"Van") + b"\n\n",
            "seen/a.txt": car + b" 0.75\n" + area.replace(b"DontCare", b"Cyclist") + b" 5e-1\n",
            "seen/b.txt": car.replace(b"Car", b"Tram") + b" 1\n",
            "list.txt": b"b\n",
        },
        data={"groundtruths": "true", "predictions": "seen"},
        variants=[
            more | images
            for more in choices(invalid_geometry=_INVALID, difficulty=("easy", "hard"))
            for images in ({}, {"images": "list.txt"})
        ],
        words=(*NUMBERS, *MARKS, b" ", b"\n", b"DontCare", b"Van"),
    )


def _open_images() -> Example:
    hierarchy = b'{"LabelName": "e", "Subcategory": [{"LabelName": "cat", "Subcategory": %b}]}'
    return Example(
        files={
            "true.csv": b"ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\na,dog,0,0.5,0,1,0\n"
            b"b,cat,0.25,1,0.5,0.75,1\n",
            "seen.csv": b"ImageID,LabelName,Score,XMin,XMax,YMin,YMax\na,dog,0.5,0,0.5,0,0.9\n"
            b"c,cat,1,0,1,0,1\n",
            "verified.csv": b"ImageID,LabelName,Confidence\na,dog,1\nb,dog,0\n",
            "hierarchy.json": hierarchy % b'[{"LabelName": "dog"}]',
            "names.csv": b'cat,"Cat, tame"\ndog,Dog\n',
            "sizes.csv": b"ImageID,width,height\na,100,80\nb,64,64\nc,10,10\n",
        },
        data={"groundtruths": "true.csv", "predictions": "seen.csv"},
        variants=[
            {**policy, **more}
            for policy in choices(invalid_geometry=_INVALID)
            for more in (
                {"image_labels": "verified.csv", "hierarchy": "hierarchy.json"},
                {"names": "names.csv", "images": "sizes.csv"},
            )
        ],
        words=(*NUMBERS, *MARKS, b",", b"\n", b'"Subcategory"', b'"LabelName"', b"IsGroupOf"),
    )


def _voc() -> Example:
    def annotation(name: str, score: str = "") -> bytes:
        return (
            f'<?xml version="1.0"?>\n<annotation><filename>{name}.jpg</filename><size>'
            "<width>100</width><height>80</height><depth>3</depth></size><object><name>cat</name>"
            f"<difficult>0</difficult>{score}<bndbox><xmin>10</xmin><ymin>10.5</ymin>"
            "<xmax>50</xmax><ymax>40</ymax></bndbox></object></annotation>"
        ).encode()

    return Example(
        files={
            "true/a.xml": annotation("a"),
            "true/b.xml": annotation("b"),
            "seen/a.xml": annotation("a", "<score>0.5</score>"),
            "lines/det_test_cat.txt": b"a 0.5 10 10 50 40\nb 0.25 1 1 5 5\n",
        },
        data={"groundtruths": "true"},
        variants=choices(
            predictions=("seen", "lines"),
            invalid_geometry=_INVALID,
            difficult=("keep", "ignore", "skip"),
            inclusive=(True, False),
        ),
        words=(
            *(*NUMBERS, *MARKS, b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&lt;", b"&b;", b"&#0;"),
            *(b"<![CDATA[", b"]]>", b"<object>", b"</object>", b"<bndbox/>", b"<name/>", b"<!--"),
            *(b'encoding="utf-16"', b'encoding="foo"', b"<part>"),
        ),
    )


def _geojson() -> Example:
    square = [[[0, 0], [4, 0], [4, 4.5], [0, 4], [0, 0]], [[1, 1], [2, 1], [2, 2], [1, 1]]]
    triangle = [[[[0, 0], [4, 0], [4, 4.5], [0, 0]]]]

    def collection(**more: Any) -> bytes:
        features = [
            {
                "type": "Feature",
                "properties": {"image": image, "label": label, **more},
                "geometry": {"type": kind, "coordinates": coordinates},
            }
            for image, label, kind, coordinates in (
                ("a", "cat", "Polygon", square),
                ("b", "dog", "MultiPolygon", triangle),
            )
        ]
        return _json({"type": "FeatureCollection", "features": features})

    return Example(
        files={"true.geojson": collection(), "seen.geojson": collection(score=0.5)},
        data={"groundtruths": "true.geojson", "predictions": "seen.geojson"},
        variants=choices(invalid_geometry=_INVALID),
        words=(*NUMBERS, *MARKS, b"[[[", b"[0,0]", b'"type"', b'"Polygon"', b"[1,2,3]"),
    )


def _boxes() -> Example:
    return Example(
        files={
            "true.csv": b"uid,label,xmin,ymin,xmax,ymax\na,dog,10,10,50,40\nb,cat,0,20,30,60\n",
            "seen.csv": b"uid,label,score,xmin,ymin,xmax,ymax\na,dog,0.9,12,10,50,42\n",
            "images.csv": b'uid,width,height,weather\na,100,100,sun\nb,100,70,"ra""in"\n',
        },
        data={"groundtruths": "true.csv", "predictions": "seen.csv"},
        variants=[
            formats | images
            for formats in choices(invalid_geometry=_INVALID, box_format=("xyxy", "xywh", "cxcywh"))
            for images in (
                {},
                {"images": "images.csv"},
                {"images": "images.csv", "normalized": True},
            )
        ],
    )


_TRUE_PIXELS = (np.arange(80).reshape(8, 10) // 7 % 3).astype(np.uint8)
_SEEN_PIXELS = np.roll(_TRUE_PIXELS, 3)
_FOLDERS = {"groundtruths": "true", "predictions": "seen"}
_LABELED = {**_FOLDERS, "labels": ["cat", "dog"]}


def _png(pixels: NDArray[Any], palette: Sequence[int] | None = None) -> bytes:
    from PIL import Image

    file, image = io.BytesIO(), Image.fromarray(pixels)
    if palette is not None:
        image.putpalette(palette)
    image.save(file, "PNG")
    return file.getvalue()


_PNG_WORDS = (*_BINARY, b"IDAT", b"IEND", b"tRNS\x00", b"PLTE")


def _pngs() -> Example:
    return Example(
        files={
            "true/a.png": _png(_TRUE_PIXELS),
            "seen/a.png": _png(_SEEN_PIXELS),
            "true/b.png": _png(_TRUE_PIXELS.astype(np.uint16)),
            "seen/b.png": _png(_SEEN_PIXELS, palette=list(range(256)) * 3),
        },
        data=_LABELED,
        words=_PNG_WORDS,
    )


def _colored_pngs() -> Example:
    def colored(pixels: NDArray[Any]) -> bytes:
        return _png(np.stack([pixels * 10, pixels, pixels * 3], axis=2))

    return Example(
        files={"true/a.png": colored(_TRUE_PIXELS), "seen/a.png": colored(_SEEN_PIXELS)},
        data={**_FOLDERS, "palette": {"#000000": None, "#0a0103": "cat", "#140206": "dog"}},
        words=_PNG_WORDS,
    )


def _arrays() -> Example:
    def npy(array: NDArray[Any]) -> bytes:
        file = io.BytesIO()
        np.save(file, array)
        return file.getvalue()

    return Example(
        files={
            "true/a.npy": npy(_TRUE_PIXELS),
            "seen/a.npy": npy(_SEEN_PIXELS.astype(np.int64)),
            "true/b.npy": npy(np.asfortranarray(_TRUE_PIXELS.astype(">i2"))),
            "seen/b.npy": npy(_SEEN_PIXELS),
        },
        data=_LABELED,
        words=(
            *(*_BINARY, b"'descr'", b"'O'", b"'<f8'", b"True", b"(8, 10)", b"(10**9,)", b"9" * 30),
            *(b"__import__('os')", b"[", b"(", b"'|V8'", b"'<U3'", b"{", b"(" * 200),
        ),
    )


def _archives() -> Example:
    def npz(**arrays: NDArray[Any]) -> bytes:
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    return Example(
        files={
            "true/a.npz": npz(groundtruth=_TRUE_PIXELS),
            "seen/a.npz": npz(prediction=_SEEN_PIXELS),
            "true/b.npz": npz(x=_TRUE_PIXELS),
            "seen/b.npz": npz(y=_SEEN_PIXELS),
        },
        data=_LABELED,
        words=(*_BINARY, b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"),
    )


def _rasters() -> Example:
    import rasterio
    from rasterio.transform import from_origin

    def tif(pixels: NDArray[Any], **options: Any) -> bytes:
        height, width = pixels.shape
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.tif")
            shape = {"height": height, "width": width, "count": 1, "dtype": pixels.dtype}
            place = {"transform": from_origin(5, 6, 0.5, 0.5), "crs": "EPSG:3857"}
            with rasterio.open(path, "w", driver="GTiff", **shape, **place, **options) as file:
                file.write(pixels, 1)
            return path.read_bytes()

    tiled = {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "deflate"}
    return Example(
        files={
            "true/a.tif": tif(_TRUE_PIXELS),
            "seen/a.tif": tif(_SEEN_PIXELS, compress="lzw"),
            "true/b.tif": tif(np.tile(_TRUE_PIXELS, (8, 8)), **tiled),
            "seen/b.tif": tif(np.tile(_SEEN_PIXELS, (8, 8))),
        },
        data=_LABELED,
        words=(*_BINARY, b"II*\x00", b"MM\x00*", b"\x03\x00\x01\x00\x00\x00"),
    )


def _masks_as_label_maps() -> Example:
    annotations = [
        {"id": 1, "image_id": 1, "category_id": 1, "segmentation": _POLYGON},
        {"id": 2, "image_id": 2, "category_id": 2, "segmentation": _RUNS},
    ]
    true = {"images": _IMAGES, "annotations": annotations, "categories": _CATEGORIES}
    seen = [{**annotation, "score": 0.5} for annotation in annotations]
    return Example(
        files={"true.json": _json(true), "seen.json": _json(seen)},
        data={"groundtruths": "true.json", "predictions": "seen.json"},
        variants=choices(overlap=("error", "first", "last")),
        words=_COCO_WORDS,
    )


def _panoptic() -> Example:
    def side(folder: str, pixels: NDArray[Any]) -> Files:
        segments = [
            {"id": 1, "category_id": 1, "iscrowd": 0, "area": 9, "bbox": [0, 0, 3, 3]},
            {"id": 2, "category_id": 2, "iscrowd": 1},
        ]
        annotations = [{"image_id": 1, "file_name": "a.png", "segments_info": segments}]
        images = [{"id": 1, "height": 8, "width": 10, "file_name": "a.jpg"}]
        record = {"images": images, "annotations": annotations, "categories": _CATEGORIES}
        colors = np.stack([pixels, pixels * 0, pixels * 0], axis=2)
        return {f"{folder}.json": _json(record), f"{folder}/a.png": _png(colors)}

    return Example(
        files={**side("true", _TRUE_PIXELS), **side("seen", _SEEN_PIXELS)},
        data={"groundtruths": "true.json", "predictions": "seen.json"},
        variants=choices(missing=("error", "background")),
        words=(*_PNG_WORDS, *_COCO_WORDS, b'"segments_info"', b'"file_name"', b'"id"'),
    )


_QUESTION = {
    "id": 1,
    "query": "Capital?",
    "answer": ["Oslo", ["1998", "98"]],
    "positive": ["Oslo is it."],
    "negative": ["Bergen is none.", "It rains."],
}
_RGB_WORDS = (
    *(*NUMBERS, *MARKS, b'"answer"', b'"positive"', b'"negative"', b'"positive_wrong"', b'"id"'),
    *(b'"fakeanswer"', b'["a"]', b'[["a"]]', b'""', b"null"),
)


def _questions() -> Example:
    counterfactual = _QUESTION | {"fakeanswer": "Bergen", "positive_wrong": ["Bergen is it."]}
    responses = [
        {"uid": f"a/noise_robustness/{ratio}/1", "response": "Oslo in 1998"} for ratio in (0.0, 0.4)
    ]
    return Example(
        files={
            "a.json": b"\n".join([_json(_QUESTION), _json(_QUESTION | {"id": 2})]),
            "b.json": _json(_QUESTION | {"positive": [["Oslo is it."], ["It was in 1998."]]}),
            "c.json": _json([counterfactual]),
            "responses.jsonl": b"\n".join(map(_json, responses)),
        },
        data={
            "noise_robustness": "a.json",
            "negative_rejection": "a.json",
            "information_integration": "b.json",
            "counterfactual_robustness": "c.json",
            "responses": "responses.jsonl",
        },
        variants=choices(strict=(False, True), passages=(1, 5), partition_bytes=(30, 4096)),
        words=_RGB_WORDS,
    )


def _responses() -> Example:
    rows = [
        {"uid": "a", "response": "Oslo", "answers": [["Oslo"]], "noise_ratio": 0.4},
        {"uid": "b", "response": "I cannot tell.", "ability": "negative_rejection"},
    ]
    table = b'uid,response,answers,closed_book\na,Oslo,"[""Oslo""]",false\nb,,Oslo,true\n'
    return Example(
        files={"a.jsonl": b"\n".join(map(_json, rows)), "a.csv": table},
        data={"ability": "noise_robustness"},
        variants=[{"path": name, **part} for name in ("a.jsonl", "a.csv") for part in _SMALL_PARTS],
        words=_RGB_WORDS,
    )


def _lines() -> Example:
    return Example(
        files={
            "responses.txt": "the cat sat\nA b\n\nüber\n".encode(),
            "references.txt": b"the cat lay\na b\n\nuber\n",
            "others.txt": b"a cat\n\n\nover\n",
            "queries.txt": b"one?\ntwo?\nthree?\nfour?\n",
        },
        data={"responses": "responses.txt", "references": ["references.txt", "others.txt"]},
        variants=[
            {**part, **more} for part in _SMALL_PARTS for more in ({}, {"queries": "queries.txt"})
        ],
        words=(b"\n", b"\r\n", b"\r", b"\x00", b"\xff", b"\xe2\x80\xa8"),
    )


_EXAMPLES: Mapping[str, Callable[[], Example]] = {
    "classification.wide CSV": lambda: _wide("a.csv", _csv(_scores())),
    "classification.wide gzip": lambda: _wide("a.csv.gz", gzip.compress(_csv(_scores()), mtime=0)),
    "classification.wide JSONL": lambda: _wide("a.jsonl", b"\n".join(map(_json, _scores()))),
    "classification.wide Parquet": _wide_parquet,
    "classification.predicted": _predicted,
    "classification.lists": _lists,
    "classification.long": _long,
    "tables.table": _items,
    "detection.coco": _coco,
    "detection.yolo": _yolo,
    "detection.voc": _voc,
    "detection.dota": _dota,
    "detection.kitti": _kitti,
    "detection.open_images": _open_images,
    "detection.geojson": _geojson,
    "detection.table": _boxes,
    "rgb.dataset": _questions,
    "rgb.responses": _responses,
    "segmentation.png": _pngs,
    "segmentation.png colors": _colored_pngs,
    "segmentation.npy": _arrays,
    "segmentation.npy npz": _archives,
    "segmentation.geotiff": _rasters,
    "segmentation.coco": _masks_as_label_maps,
    "segmentation.coco panoptic": _panoptic,
    "text.lines": _lines,
}
NAMES = tuple(_EXAMPLES)
"""Names of the examples; each begins with the reader."""
