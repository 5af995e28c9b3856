"""Detection of files and folders of boxes."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path, PurePath
from types import GenericAlias
from typing import Any

from valor_files import (
    Detected,
    Table,
    TableInMemory,
    TableSource,
    changed_columns,
    column_called,
    first_rows,
    named_source,
)

from valor_core.errors import ReadError, ValorError
from valor_detection.readers.class_names import class_names
from valor_detection.readers.images import SUFFIXES, all_images, label_file, listed_images
from valor_detection.readers.yolo_results import is_results

_BEGINNING = 1 << 16
_UID = ("uid", "image_id", "image", "filename", "file", "id")
_LABEL = ("label", "class", "category", "class_name", "name")
_SCORE = ("score", "confidence", "conf", "probability", "prob")
_BOXES = {
    "xyxy": (("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2")),
    "xywh": (("x", "y", "w", "h"), ("x", "y", "width", "height"), ("left", "top", "w", "h")),
    "cxcywh": (("cx", "cy", "w", "h"), ("x_center", "y_center", "width", "height")),
}
_RESULT = re.compile(rb'"(image_id|category_id)"\s*:')
_FIRST_METRICS = ("mAP", "AP", "Recall")


def coco(files: Sequence[Path]) -> Detected | None:
    """A data set and results in COCO's JSON, in any order; or two data sets.

    The annotations of a second data set need scores; the reader raises an error without them.
    """
    if len(files) != 2 or files[0] == files[1] or not all(map(_is_json, files)):
        return None
    heads = [_beginning(file) for file in files]
    # a data set is a table, results are a list
    order = sorted(range(2), key=lambda side: heads[side][:1] != b"{")
    truths, predictions = (files[side] for side in order)
    data_set, results = (heads[side] for side in order)
    if not _is_data_set(truths, data_set):
        return None
    if not _are_results(results) and not _is_data_set(predictions, results):
        return None
    data = {"groundtruths": str(truths), "predictions": str(predictions)}
    keys = _first_keys(results) if _are_results(results) else ()
    if "segmentation" in keys and "bbox" not in keys:
        data["iou_type"] = "segm"
    if "keypoints" in keys and "segmentation" not in keys and "bbox" not in keys:
        data["iou_type"] = "keypoints"
        return Detected(data=data, metrics=("KeypointSummary",))
    return Detected(data=data, metrics=("COCOSummary",))


def geojson(files: Sequence[Path]) -> Detected | None:
    """Two files of polygons in GeoJSON, the ground truths first."""
    if len(files) != 2 or any(file.suffix.casefold() != ".geojson" for file in files):
        return None
    truths, predictions = map(str, files)
    return Detected(
        data={"groundtruths": truths, "predictions": predictions}, metrics=_FIRST_METRICS
    )


def _is_json(file: Path) -> bool:
    return file.name.casefold().endswith((".json", ".json.gz"))


def _is_data_set(file: Path, head: bytes) -> bool:
    """Return True for a COCO data set of boxes: images or annotations, and no segments."""
    if head[:1] != b"{":
        return False
    text = head + _end(file)
    has_keys = any(key in text for key in (b'"images"', b'"annotations"'))
    return has_keys and b'"segments_info"' not in text


def _are_results(head: bytes) -> bool:
    """Return True for a list of COCO results: empty, or with their keys in an early entry."""
    if head[:1] != b"[":
        return False
    entries = head[1:].lstrip()
    return entries[:1] == b"]" or (entries[:1] == b"{" and _RESULT.search(entries) is not None)


def table(files: Sequence[TableSource]) -> Detected | None:
    """Two tables with a box in each row, one of them with scores."""
    tables = [first_rows(file) for file in files]
    readable = [one for one in tables if one is not None]
    if len(readable) != 2 or len(files) != 2:
        return None
    scores = [column_called(one, _SCORE) for one in readable]
    if sorted(score is not None for score in scores) != [False, True]:
        return None
    results = 0 if scores[0] is not None else 1
    truths = readable[1 - results]
    uid, label = column_called(truths, _UID), column_called(truths, _LABEL)
    box = next(_boxes(truths), None)
    if uid is None or label is None or box is None:
        return None
    if not all(readable[results].has(name) for name in (uid, label, *box[1])):
        return None
    data: dict[str, object] = {
        "groundtruths": named_source(files[1 - results]),
        "predictions": named_source(files[results]),
        **changed_columns({"uid": uid, "label": label, "score": scores[results]}),
    }
    if box[1] != _BOXES["xyxy"][0]:
        data |= {"box": list(box[1]), "box_format": box[0]}
    return Detected(data=data, metrics=_FIRST_METRICS)


def open_images(files: Sequence[TableSource]) -> Detected | None:
    """Tables of Open Images in any order, with or without verified labels and a hierarchy."""
    found: dict[str, str | TableInMemory] = {}
    for file in files:
        part = _open_images_part(file)
        if part is None or part in found:
            return None
        found[part] = named_source(file)
    if not found.keys() >= {"groundtruths", "predictions"}:
        return None
    return Detected(data=found, metrics=("OpenImages", "OpenImagesV2"))


def _open_images_part(file: TableSource) -> str | None:
    """Return the parameter of the reader for a file."""
    if isinstance(file, Path) and _is_json(file):
        head = _beginning(file)
        return "hierarchy" if b'"LabelName"' in head and b'"Subcategory"' in head else None
    table = first_rows(file)
    if table is None or not (table.has("ImageID") and table.has("LabelName")):
        return None
    if all(table.has(edge) for edge in ("XMin", "XMax", "YMin", "YMax")):
        return "predictions" if table.has("Score") else "groundtruths"
    return "image_labels" if table.has("Confidence") else None


def _boxes(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the box formats that match a table, with their four columns."""
    for written, sets in _BOXES.items():
        for names in sets:
            columns = tuple(column_called(table, [name]) for name in names)
            if None not in columns:
                yield written, tuple(filter(None, columns))


def _first_keys(head: bytes) -> Collection[str]:
    """Return keys of the first result; for a long one, the keys found at its start."""
    text = head.decode("utf-8", "replace")
    begin = text.find("{")
    try:
        entry, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return [key for key in ("segmentation", "bbox", "keypoints") if f'"{key}"' in text]
    return entry if isinstance(entry, dict) else ()


def _beginning(file: Path) -> bytes:
    """Read the first bytes of a file, decompressed and without a byte order mark."""
    try:
        with gzip.open(file) if _is_packed(file) else file.open("rb") as stream:
            return stream.read(_BEGINNING).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, EOFError, zlib.error):
        return b""


def _end(file: Path) -> bytes:
    """Read the last bytes of an uncompressed file."""
    if _is_packed(file):
        return b""
    try:
        with file.open("rb") as stream:
            stream.seek(-min(_BEGINNING, file.stat().st_size), os.SEEK_END)
            return stream.read()
    except OSError:
        return b""


def _is_packed(file: Path) -> bool:
    return file.suffix.casefold() == ".gz"


_FOLDER_METRICS = ("mAP50", "mAP50-95", "F1")
_MOST_FILES = 20
_HEADER = 1 << 12
_NAMES = ("data.yaml", "data.yml", "dataset.yaml", "classes.txt", "obj.names")
_SPLITS = ("val", "valid", "test", "train")
_IMAGES, _LABELS = "images", "labels"
_ANNOTATIONS = "Annotations"
_VOC_SPLIT = re.compile(r"comp\d+_det_([^_]+)_")
_LARGEST_SHARE = 1.01
_NEEDS_NAMES = "data.yaml, or a text file with one class name per line."
_NEEDS_IMAGES = "Folder of the images; or set data.sizes to a table of uid, width and height."


def yolo(files: Sequence[Path]) -> Detected | None:
    """Folders of YOLO's labels and predictions, or a data.yaml and a folder of predictions."""
    if len(files) != 2 or not all(isinstance(file, Path) for file in files):
        return None
    first, predictions = files[0], _labels_in(files[1])
    data_yaml = first / _NAMES[0]
    if data_yaml.is_file() and not _has_boxes(first, deep=False):
        first = data_yaml
    if first.suffix.casefold() in (".yaml", ".yml"):
        return _of_data_yaml(first, predictions)
    labels = _labels_in(first)
    if not _has_boxes(labels) or not (
        _has_boxes(predictions) or _is_empty(predictions) or _is_results_file(predictions)
    ):
        return None
    names = _names_near(labels)
    images = _images_of(labels)
    return _recognized([labels], predictions, names, None if images is None else [images])


def voc(files: Sequence[Path]) -> Detected | None:
    """A folder of Pascal VOC's XML files, and one of results as XML or text."""
    if len(files) != 2 or not all(isinstance(file, Path) for file in files):
        return None
    truths, results = files
    if (truths / _ANNOTATIONS).is_dir():
        truths /= _ANNOTATIONS
    if not any(b"<annotation" in head for head in _heads(truths, ".xml")):
        return None
    has_xml = any(b"<object" in head or b"<annotation" in head for head in _heads(results, ".xml"))
    if (
        not has_xml
        and not _is_empty(results)
        and not any(map(_is_voc_result, _heads(results, ".txt")))
    ):
        return None
    data = {"groundtruths": str(truths), "predictions": str(results)}
    images = _image_set(truths, results)
    if images is not None:
        data["images"] = str(images)
    return Detected(data=data, metrics=("VOC2012", "VOC2007", "mAP50-95", "F1"))


def dota(files: Sequence[Path]) -> Detected | None:
    """A folder of DOTA's text files of images, and one of results on a category each."""
    if len(files) != 2 or not all(isinstance(file, Path) for file in files):
        return None
    truths, results = (_text_folder(folder) for folder in files)
    if not any(map(_is_dota, _heads(truths, ".txt"))):
        return None
    if not _is_empty(results) and not any(map(_is_dota_result, _heads(results, ".txt"))):
        return None
    data = {"groundtruths": str(truths), "predictions": str(results)}
    return Detected(data=data, metrics=("DOTA", "mAP50-95", "F1"))


def kitti(files: Sequence[Path]) -> Detected | None:
    """Two folders of KITTI's text files of images."""
    if len(files) != 2 or not all(isinstance(file, Path) for file in files):
        return None
    truths, results = map(_text_folder, files)
    if not any(_is_kitti(head, 15) for head in _heads(truths, ".txt")):
        return None
    if not _is_empty(results) and not any(_is_kitti(h, 16) for h in _heads(results, ".txt")):
        return None
    data = {"groundtruths": str(truths), "predictions": str(results)}
    return Detected(data=data, metrics=("KITTI", "F1"))


def _is_kitti(head: bytes, width: int) -> bool:
    """Return True if a text starts with a line of a category and numbers."""
    fields = head.split(b"\n", 1)[0].decode("latin-1").split()
    return len(fields) == width and not _are_numbers(fields[:1]) and _are_numbers(fields[1:])


def _text_folder(folder: Path) -> Path:
    """Return the folder, or its only subfolder of text files such as ``labelTxt``."""
    if not folder.is_dir() or any(True for _ in _files(folder, ".txt", deep=False)):
        return folder
    below = {path.parent for path in _files(folder, ".txt")}
    return below.pop() if len(below) == 1 else folder


def _is_dota(head: bytes) -> bool:
    """Return True if a text has a line of eight coordinates, a category and 0 or 1, or a header."""
    lines = head.decode("latin-1").splitlines()
    if any(line.startswith("imagesource:") for line in lines[:1]):
        return True
    fields = lines[0].split() if lines else []
    return len(fields) in (9, 10) and _are_numbers(fields[:8]) and not _are_numbers(fields[8:9])


def _is_dota_result(head: bytes) -> bool:
    """Return True if a text starts with an image, a score and eight coordinates."""
    fields = head.split(b"\n", 1)[0].decode("latin-1").split()
    return len(fields) == 10 and _are_numbers(fields[1:])


def _are_numbers(fields: Sequence[str]) -> bool:
    try:
        return bool([float(field) for field in fields])
    except ValueError:
        return False


def _image_set(annotations: Path, results: Path) -> Path | None:
    """Find the list of images of the split in the names of results, ``comp4_det_test_cat.txt``."""
    for path in islice(_files(results, ".txt"), 1):
        match = _VOC_SPLIT.match(path.name)
        images = annotations.parent / "ImageSets" / "Main" / f"{match[1] if match else ''}.txt"
        if match and images.is_file():
            return images
    return None


def _recognized(
    labels: Sequence[Path] | None,
    predictions: Path,
    names: Path | None,
    images: Sequence[Path] | None,
    *,
    has_keypoints: bool = False,
) -> Detected:
    data = {
        "groundtruths": _listed(labels),
        "predictions": str(predictions),
        "names": None if names is None else str(names),
        _IMAGES: _listed(images),
    }
    needs = {"names": _NEEDS_NAMES, _IMAGES: _NEEDS_IMAGES}
    return Detected(
        data={key: value for key, value in data.items() if value is not None},
        metrics=("KeypointSummary", *_FOLDER_METRICS) if has_keypoints else _FOLDER_METRICS,
        needs={key: meaning for key, meaning in needs.items() if data[key] is None},
    )


def _listed(paths: Sequence[Path] | None) -> str | list[str] | None:
    """Paths as in a config: a single one without a list."""
    if paths is None or len(paths) == 1:
        return None if paths is None else str(paths[0])
    return list(map(str, paths))


def _of_data_yaml(file: Path, predictions: Path) -> Detected | None:
    """Find labels and images of the predicted split in a data.yaml."""
    has_results = _is_results_file(predictions)
    if not predictions.is_dir() and not has_results:
        return None
    try:
        class_names(file)
        import yaml

        content = yaml.safe_load(file.read_bytes())
    except (ValorError, ImportError, OSError, ValueError):
        return None
    predicted = (
        _image_ids(predictions)
        if has_results
        else {path.stem for path in _files(predictions, ".txt")}
    )
    splits: list[tuple[Sequence[Path], Sequence[Path]]] = []
    for images in _splits(file, content):
        labels = [_labels_of(one) for one in images]
        found = [one for one in labels if one is not None]
        if len(found) == len(labels):
            splits.append((images, found))
    if not splits:
        return _recognized(None, predictions, file, None)

    def is_predicted(split: tuple[Sequence[Path], Sequence[Path]]) -> bool:
        if has_results:
            stems = chain.from_iterable(all_images([images]) for images in split[0])
            return not predicted.isdisjoint(_image_key(PurePath(stem).name) for stem in stems)
        return any(_has_labels(labels, predicted) for labels in split[1])

    chosen, truths = next(filter(is_predicted, splits), splits[0])
    has_keypoints = _has_coco_points(content) and not has_results
    return _recognized(truths, predictions, file, chosen, has_keypoints=has_keypoints)


def _is_results_file(path: Path) -> bool:
    """Return whether a file holds a list of results in COCO's JSON."""
    return path.is_file() and is_results(path) and _are_results(_beginning(path))


def _image_ids(results: Path) -> set[str]:
    """Return the image ids of results, as `_image_key` writes names."""
    import msgspec

    result = msgspec.defstruct("Result", [("image_id", int | str | None, None)], gc=False)
    try:
        found = msgspec.json.decode(results.read_bytes(), type=GenericAlias(list, (result,)))
    except (OSError, ValueError):  # raised again by the reader
        return set()
    names = {str(one.image_id) for one in found}
    suffixes = (*SUFFIXES, ".txt")
    return {
        _image_key(PurePath(name).stem if name.lower().endswith(suffixes) else PurePath(name).name)
        for name in names
    }


def _image_key(stem: str) -> str:
    """Remove leading zeros of a number, as Ultralytics does in results."""
    return str(int(stem)) if stem.isascii() and stem.isdigit() else stem


def _has_coco_points(content: Mapping[str, Any]) -> bool:
    """Return True for the 17 keypoints of COCO, which need no sigmas."""
    shape = content.get("kpt_shape")
    return isinstance(shape, list) and shape[:1] == [17]


def _has_labels(labels: Path, stems: Collection[str]) -> bool:
    """Return True if a folder, or a list of images, has one of the images."""
    if labels.is_file():
        return not listed_images(labels).keys().isdisjoint(stems)
    return any((labels / f"{stem}.txt").is_file() for stem in stems)


def _splits(file: Path, content: Mapping[str, Any]) -> Iterator[list[Path]]:
    """Yield folders or lists of images of a data.yaml, relative to the file or its ``path``."""
    path = content.get("path")
    roots = [file.parent]
    if isinstance(path, str):
        roots = [file.parent / path, Path(path), file.parent]
    for split in _SPLITS:
        named = content.get(split)
        named = [named] if isinstance(named, str) else named
        if not isinstance(named, list) or not named:
            continue
        found = [_existing(one, roots) for one in named if isinstance(one, str)]
        images = [one for one in found if one is not None]
        if len(images) == len(named):
            yield images


def _existing(written: str, roots: Sequence[Path]) -> Path | None:
    """Find a folder of images, or a text file that lists them, below one of several folders."""
    # exports of Roboflow contain ../valid/images although valid is in the same folder
    places = (root / one for one in (written, written.removeprefix("../")) for root in roots)
    return next(
        (one for one in places if one.is_dir() or (one.suffix == ".txt" and one.is_file())), None
    )


def _labels_of(images: Path) -> Path | None:
    """Return the folder ``labels`` for a folder ``images``, or a list of images with labels."""
    if images.is_file():
        try:
            listed = listed_images(images)
        except ReadError:
            return None
        return images if any(label_file(path).is_file() for path in listed.values()) else None
    return _swapped(images, _IMAGES, _LABELS, ".txt")


def _images_of(labels: Path) -> Path | None:
    return _swapped(labels, _LABELS, _IMAGES, *SUFFIXES)


def _swapped(folder: Path, name: str, other: str, *suffixes: str) -> Path | None:
    """Find the folder with `name` replaced by `other` that contains files with a suffix."""
    parts = folder.parts
    candidates = [
        Path(*parts[:i], other, *parts[i + 1 :])
        for i in reversed(range(len(parts)))
        if parts[i] == name
    ]
    for candidate in [*candidates, folder, folder.parent / other]:
        if any(True for suffix in suffixes for _ in _files(candidate, suffix)):
            return candidate
    return None


def _names_near(labels: Path) -> Path | None:
    """Find a file of class names in a folder of labels or up to three levels above."""
    for folder in (labels, *islice(labels.absolute().parents, 3)):
        for name in _NAMES:
            try:
                if (folder / name).is_file() and class_names(folder / name):
                    return _as_given(folder / name)
            except (ReadError, ValorError):
                continue
    return None


def _as_given(path: Path) -> Path:
    """Return the path relative to the current folder if possible."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def _labels_in(folder: Path) -> Path:
    """Return the folder, or its only subfolder ``labels`` if it has no text files."""
    if not folder.is_dir() or any(True for _ in _files(folder, ".txt", deep=False)):
        return folder
    below = [path for path in folder.rglob(_LABELS) if path.is_dir()]
    return below[0] if len(below) == 1 else folder


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and next(folder.iterdir(), None) is None


def _has_boxes(folder: Path, *, deep: bool = True) -> bool:
    """Return True if a text file of a folder starts with a class and normalized coordinates."""
    lines = [
        line.split()
        for head in _heads(folder, ".txt", deep=deep)
        for line in head.decode("latin-1").splitlines()[:1]
        if line.strip()
    ]
    return any(map(_is_box, lines))


def _is_box(fields: Sequence[str]) -> bool:
    """Return True for a line of a class and at least four normalized coordinates.

    Examples
    --------
    >>> _is_box("0 0.5 0.5 0.2 0.2".split()), _is_box("a.jpg 0.9 10 20 30 40".split())
    (True, False)
    """
    if len(fields) < 5 or not fields[0].isdecimal():
        return False
    try:
        shares = [float(field) for field in fields[1:]]
    except ValueError:
        return False
    return all(-_LARGEST_SHARE <= share <= _LARGEST_SHARE for share in shares)


def _is_voc_result(head: bytes) -> bool:
    """Return True if a text starts with an image, a score and the four edges of a box."""
    fields = head.split(b"\n", 1)[0].decode("latin-1").split()
    return len(fields) == 6 and _are_numbers(fields[1:])


def _heads(folder: Path, suffix: str, *, deep: bool = True) -> Iterable[bytes]:
    """Yield the first bytes of the first files with a suffix."""
    for path in islice(_files(folder, suffix, deep=deep), _MOST_FILES):
        try:
            with path.open("rb") as stream:
                yield stream.read(_HEADER)
        except OSError:
            continue


def _files(folder: Path, suffix: str, deep: bool = True) -> Iterator[Path]:
    if folder.is_dir():
        found = folder.rglob("*") if deep else folder.glob("*")
        yield from (path for path in found if path.suffix.lower() == suffix)
