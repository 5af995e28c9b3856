"""Draw scenes, train a small classical detector on some of them and run it on the others.

The files beside this script were made by it: ``python detect.py``. The detector takes what
differs from the ground, splits it into connected pieces (SciPy) and tells from their form what
they are (a random forest of scikit-learn). Of the images only those with the most errors are kept.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from draw import HEIGHT, SHAPES, WIDTH, Scene, scene
from scipy import ndimage
from sklearn.ensemble import RandomForestClassifier

import valor_core

HERE = Path(__file__).parent
TRAINED_ON, TESTED_ON = 60, 60
SHOWN = 12
NOTHING = "nothing"


def pieces(image: Any) -> list[np.ndarray]:
    """Connected pieces of what differs from the ground, as masks."""
    pixels = ndimage.median_filter(np.asarray(image.convert("RGB")).astype(float), size=(3, 3, 1))
    ground = np.median(pixels.reshape(-1, 3), axis=0)
    differs = np.abs(pixels - ground).mean(axis=2) > 30
    differs = ndimage.binary_opening(differs, iterations=1)
    numbered, count = ndimage.label(differs)
    found = [numbered == number for number in range(1, count + 1)]
    return [ndimage.binary_fill_holes(mask) for mask in found if mask.sum() >= 40]


def box(mask: np.ndarray) -> tuple[int, int, int, int]:
    """x, y, width and height of the box around a piece."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    left, top = int(columns[0]), int(rows[0])
    return left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top


def form(mask: np.ndarray) -> list[float]:
    """What a piece looks like, whatever its place, its size and its angle."""
    y, x = np.nonzero(mask)
    area = len(x)
    offsets = np.stack([x - x.mean(), y - y.mean()])
    small, large = np.sqrt(np.linalg.eigvalsh(np.cov(offsets)) + 1e-9)
    distances = np.hypot(*offsets) / math.sqrt(area)
    edge = np.count_nonzero(mask & ~ndimage.binary_erosion(mask))
    angles = np.arctan2(offsets[1], offsets[0])
    reach = np.array([distances[np.abs(angles - a) < 0.35].max(initial=0) for a in ANGLES])
    waves = np.abs(np.fft.rfft(reach))[1:7] / max(reach.sum(), 1e-9)
    inside = ndimage.distance_transform_edt(mask).max() / math.sqrt(area)
    return [area, small / large, distances.max(), distances.std(), edge**2 / area, inside, *waves]


ANGLES = np.linspace(-math.pi, math.pi, 25)[:-1]


def truth_of(mask: np.ndarray, seen: Scene) -> str:
    """What a piece shows: the shape whose box is nearly its own."""
    best = max(seen.things, key=lambda thing: iou(box(mask), bounds(thing.outline)), default=None)
    if best is None or iou(box(mask), bounds(best.outline)) < 0.5:
        return NOTHING
    return best.name


def bounds(outline: list[tuple[float, float]]) -> tuple[float, float, float, float]:
    """x, y, width and height of the box around an outline, in the frame."""
    xs, ys = zip(*outline, strict=True)
    left, top = max(min(xs), 0.0), max(min(ys), 0.0)
    return left, top, min(max(xs), WIDTH) - left, min(max(ys), HEIGHT) - top


def iou(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Intersection over union of two boxes."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(wide, 0) * max(high, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def run_lengths(mask: np.ndarray) -> list[int]:
    """COCO's run lengths: pixels outside and inside by turns, down the columns."""
    pixels = np.concatenate([[False], mask.T.ravel(), [False]])
    changes = np.flatnonzero(pixels[1:] != pixels[:-1])
    return np.diff(np.concatenate([[0], changes, [mask.size]])).tolist()


def trained(random: np.random.Generator) -> RandomForestClassifier:
    """The classifier of pieces."""
    forms, names = [], []
    for _ in range(TRAINED_ON):
        seen = scene(random)
        for mask in pieces(seen.image):
            forms.append(form(mask))
            names.append(truth_of(mask, seen))
    model = RandomForestClassifier(120, random_state=0)
    return model.fit(forms, names)


def annotation(number: int, image: int, name: str, outline: list[Any]) -> dict[str, Any]:
    """A ground truth, as COCO has it."""
    left, top, width, height = (round(edge, 1) for edge in bounds(outline))
    xs, ys = np.array(outline).T
    return {
        "id": number,
        "image_id": image,
        "category_id": SHAPES.index(name) + 1,
        "bbox": [left, top, width, height],
        "area": round(abs(float(xs @ np.roll(ys, -1) - ys @ np.roll(xs, -1))) / 2, 1),
        "segmentation": [[edge for point in outline for edge in point]],
        "iscrowd": 0,
    }


def results(image: int, seen: Scene, model: RandomForestClassifier) -> list[dict[str, Any]]:
    """What the detector sees: for each piece, the shape that it most likely is."""
    found = []
    for mask in pieces(seen.image):
        likely = dict(zip(model.classes_, model.predict_proba([form(mask)])[0], strict=True))
        likely.pop(NOTHING, None)
        name = max(likely, key=likely.__getitem__)
        if likely[name] < 0.05:
            continue
        found.append(
            {
                "image_id": image,
                "category_id": SHAPES.index(name) + 1,
                "bbox": list(box(mask)),
                "score": round(float(likely[name]), 3),
                "segmentation": {"size": [HEIGHT, WIDTH], "counts": run_lengths(mask)},
            }
        )
    return found


def lines(records: list[Any]) -> str:
    """A JSON list with one record in each line, so that changes can be read."""
    rows = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    return f"[\n{rows}\n]"


def worst() -> list[int]:
    """The images with the most errors, which the gallery shows."""
    files = {"groundtruths": HERE / "instances.json", "predictions": HERE / "detections.json"}
    metric = {"name": "Examples", "limit": SHOWN}
    report = valor_core.evaluate({"reader": "coco", **files}, [metric], "detection")
    return [image["datum_id"] for image in report["Examples"].value]


def main() -> None:
    random = np.random.default_rng(7)
    model = trained(random)
    scenes = {number: scene(random) for number in range(1, TESTED_ON + 1)}
    images, annotations, detections = [], [], []
    for number, seen in scenes.items():
        name = f"scene_{number:02}.png"
        images.append(
            {
                "id": number,
                "file_name": name,
                "width": WIDTH,
                "height": HEIGHT,
                "light": seen.light,
            }
        )
        for thing in seen.things:
            annotations.append(annotation(len(annotations) + 1, number, *thing))
        detections += results(number, seen, model)
    categories = [{"id": i + 1, "name": name} for i, name in enumerate(SHAPES)]
    (HERE / "instances.json").write_text(
        f'{{"images": {lines(images)},\n"annotations": {lines(annotations)},\n'
        f'"categories": {lines(categories)}}}\n',
        encoding="utf-8",
    )
    (HERE / "detections.json").write_text(f"{lines(detections)}\n", encoding="utf-8")
    folder = HERE / "images"
    folder.mkdir(exist_ok=True)
    for number in worst():
        scenes[number].image.save(folder / images[number - 1]["file_name"], optimize=True)


if __name__ == "__main__":
    main()
