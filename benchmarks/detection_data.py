"""Detection data sets made by a fixed seed: a data set in COCO's format and results on it.

What they are like was taken from COCO and Objects365 and from what detectors answer: few classes
with most objects, several objects of a class in an image, sizes over three orders of magnitude,
one object in a hundred a crowd; a detector that finds large objects more often than small ones,
whose scores go with its overlaps, and that doubles, confuses and makes up objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

WEATHERS = ("fog", "night", "rain", "snow", "sun")
"""What a set can be sliced by."""

SIZES = np.array([(640, 480), (480, 640), (640, 427), (427, 640), (500, 375), (612, 612)])
SIZE_SHARES = (0.42, 0.17, 0.23, 0.06, 0.06, 0.06)


@dataclass(frozen=True)
class Recipe:
    """What a data set and its results are like.

    Parameters
    ----------
    images, classes : int
        How many.
    most_common : float
        Share of the commonest class.
    objects : float
        Objects in an image, on average.
    detections : float
        Detections in an image, on average.
    doubles, confusions : float
        Further detections of an object, and share of objects seen as another class.
    background : float
        How seldom what is made up has a high score.
    masks : bool
        Whether objects are polygons, and crowds and detections run lengths.
    digits : (int, int), optional
        Decimals of coordinates and scores; those of float32 in full without it.
    federated : bool
        Whether the data set has the fields of LVIS: labels verified in an image, frequencies.
    """

    images: int
    classes: int = 80
    most_common: float = 0.3
    objects: float = 7.4
    detections: float = 7.1
    doubles: float = 0.12
    confusions: float = 0.1
    background: float = 4.0
    polygons: bool = True
    masks: bool = False
    digits: tuple[int, int] | None = (2, 3)
    federated: bool = False


@dataclass(frozen=True, eq=False)
class Objects:
    """Objects of one side, as columns: boxes are x, y, width and height."""

    image: Ints
    category: Ints
    box: Floats
    score: Floats
    crowd: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Set:
    """A data set and results; images and categories are positions in `ids` and from 0 on."""

    recipe: Recipe
    ids: Ints
    sizes: Ints
    truths: Objects
    results: Objects


def made(recipe: Recipe, seed: int) -> Set:
    """The data set of a recipe."""
    generator = np.random.default_rng(seed)
    ids = np.sort(generator.choice(100 * recipe.images, recipe.images, replace=False)) + 1
    sizes = SIZES[generator.choice(len(SIZES), recipe.images, p=SIZE_SHARES)]
    shares = 1 / (np.arange(recipe.classes) + 3.0)
    shares[1:] *= (1 - recipe.most_common) / shares[1:].sum()
    shares[0] = recipe.most_common
    truths = _truths(generator, recipe, sizes, shares)
    return Set(recipe, ids, sizes, truths, _results(generator, recipe, sizes, shares, truths))


def _truths(generator: np.random.Generator, recipe: Recipe, sizes: Ints, shares: Floats) -> Objects:
    kinds = 2.9 if recipe.objects < 10 else 4.3
    groups = 1 + generator.poisson(kinds - 1, recipe.images)
    image = np.repeat(np.arange(recipe.images), groups)
    category = generator.choice(recipe.classes, len(image), p=shares)
    extra = max(recipe.objects / kinds - 0.8, 0.1) / 0.6
    counts = np.minimum(1 + generator.gamma(0.6, extra, len(image)).astype(np.int64), 60)
    scale = np.repeat(generator.normal(7.5, 1.9, len(image)), counts)
    image, category = np.repeat(image, counts), np.repeat(category, counts)
    count = len(image)
    area = np.exp(scale + generator.normal(0, 1.5, count)) / 0.68
    crowd = generator.random(count) < 0.012
    area = np.where(crowd, np.maximum(area, 60.0**2), area)
    box = _placed(generator, area, sizes[image])
    order = generator.permutation(count)  # annotations are not grouped by image
    return Objects(
        image[order],
        category[order],
        box[order],
        np.ones(count),
        crowd[order],
    )


def _placed(generator: np.random.Generator, area: Floats, sizes: Ints) -> Floats:
    """Boxes of some areas anywhere in their images."""
    ratio = np.exp(generator.normal(0, 0.5, len(area)))
    sides = np.sqrt(np.stack([area * ratio, area / ratio], axis=1))
    sides = np.clip(sides, 4, 0.98 * sizes)
    return np.concatenate([generator.random((len(area), 2)) * (sizes - sides), sides], axis=1)


def _results(
    generator: np.random.Generator, recipe: Recipe, sizes: Ints, shares: Floats, truths: Objects
) -> Objects:
    found = _seen(generator, recipe, shares, truths)
    targets = np.round(generator.gamma(4, recipe.detections / 4, recipe.images))
    targets = np.clip(targets, 1, 300).astype(np.int64)
    have = np.bincount(found.image, minlength=recipe.images)
    image = np.repeat(np.arange(recipe.images), np.maximum(targets - have, 0))
    made_up = Objects(
        image,
        generator.choice(recipe.classes, len(image), p=shares),
        _placed(generator, np.exp(generator.normal(7.4, 2.2, len(image))), sizes[image]),
        generator.beta(1, recipe.background, len(image)),
        np.zeros(len(image), bool),
    )
    both = _joined([found, made_up])
    low = np.clip(both.box[:, :2], 0, sizes[both.image] - 1.0)
    high = np.clip(both.box[:, :2] + both.box[:, 2:], low + 1, sizes[both.image])
    box = np.concatenate([low, high - low], axis=1)
    score = np.clip(both.score, 0.001, 0.9999)
    order = np.lexsort((-score, both.image))
    starts = ends(np.bincount(both.image, minlength=recipe.images))
    rank = np.arange(len(order)) - starts[both.image[order]]
    order = order[rank < targets[both.image[order]]]
    if recipe.digits is None:
        box, score = (column.astype(np.float32).astype(np.float64) for column in (box, score))
    else:
        box, score = np.round(box, recipe.digits[0]), np.round(score, recipe.digits[1])
    return Objects(
        both.image[order],
        both.category[order],
        box[order],
        score[order],
        both.crowd[order],
    )


def _seen(
    generator: np.random.Generator, recipe: Recipe, shares: Floats, truths: Objects
) -> Objects:
    """What a detector sees of the ground truths: once, again, as another class, in crowds."""
    area = truths.box[:, 2] * truths.box[:, 3]
    size = (area > 32**2).astype(np.int64) + (area > 96**2)
    is_found = ~truths.crowd & (generator.random(len(area)) < np.array([0.5, 0.78, 0.9])[size])
    rows = np.flatnonzero(is_found)
    noise = np.array([0.1, 0.07, 0.05])[size[rows]] * generator.lognormal(0, 0.6, len(rows))
    logits = 1.6 + 0.5 * size[rows] - 11 * noise + generator.normal(0, 1.1, len(rows))
    once = _moved(generator, truths, rows, noise, logits)
    again = np.repeat(rows, generator.poisson(recipe.doubles, len(rows)))
    noise = 0.12 * generator.lognormal(0, 0.5, len(again))
    logits = -1.8 - 4 * noise + generator.normal(0, 1, len(again))
    twice = _moved(generator, truths, again, noise, logits)
    other = rows[generator.random(len(rows)) < recipe.confusions]
    noise = 0.08 * generator.lognormal(0, 0.5, len(other))
    logits = -1.2 - 4 * noise + generator.normal(0, 1, len(other))
    confused = _moved(generator, truths, other, noise, logits)
    confused.category[:] = generator.choice(recipe.classes, len(other), p=shares)
    crowds = np.flatnonzero(truths.crowd)
    crowds = np.repeat(crowds, generator.poisson(6, len(crowds)))
    inside = _moved(
        generator,
        truths,
        crowds,
        np.full(len(crowds), 0.1),
        generator.normal(-0.5, 1.2, len(crowds)),
    )
    part = generator.uniform(0.1, 0.5, (len(crowds), 2))
    inside.box[:, :2] += generator.random((len(crowds), 2)) * inside.box[:, 2:] * (1 - part)
    inside.box[:, 2:] *= part
    return _joined([once, twice, confused, inside])


def _moved(
    generator: np.random.Generator, truths: Objects, rows: Ints, noise: Floats, logits: Floats
) -> Objects:
    """Detections of some ground truths, their boxes off by some share of their sides."""
    box, off = truths.box[rows], noise[:, None]
    sides = box[:, 2:] * np.exp(generator.normal(0, 1, (len(rows), 2)) * off)
    centers = box[:, :2] + box[:, 2:] * (0.5 + generator.normal(0, 1, (len(rows), 2)) * off)
    return Objects(
        truths.image[rows],
        truths.category[rows].copy(),
        np.concatenate([centers - sides / 2, sides], axis=1),
        1 / (1 + np.exp(-logits)),
        np.zeros(len(rows), bool),
    )


def _joined(parts: list[Objects]) -> Objects:
    names = ("image", "category", "box", "score", "crowd")
    return Objects(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def ends(counts: Any) -> Ints:
    """Where ragged rows begin, and where the last one ends, from their lengths."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


# ---- outlines and masks


def outlines(generator: np.random.Generator, box: Floats) -> tuple[Floats, Ints]:
    """Star-shaped polygons in some boxes: corners of all, and where each one's begin."""
    size = np.sqrt(box[:, 2] * box[:, 3])
    counts = 8 + size / 7 * generator.lognormal(0, 0.5, len(box))
    starts = ends(np.clip(counts, 6, 160).astype(np.int64))
    counts = np.diff(starts)
    owner = np.repeat(np.arange(len(box)), counts)
    turn = np.arange(len(owner)) - starts[owner] + generator.uniform(-0.3, 0.3, len(owner))
    turn *= 2 * np.pi / counts[owner]
    radius = np.ones(len(owner))
    for wave in (2, 3, 5):
        height = generator.normal(0, 0.16 / wave, len(box))[owner]
        radius += height * np.cos(wave * turn + generator.uniform(0, 6.3, len(box))[owner])
    points = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    low = np.minimum.reduceat(points, starts[:-1], axis=0)
    high = np.maximum.reduceat(points, starts[:-1], axis=0)
    points = (points - low[owner]) / (high - low)[owner]
    return box[owner, :2] + points * box[owner, 2:], starts


def areas_of(points: Floats, starts: Ints) -> Floats:
    """Areas of polygons."""
    following = np.arange(1, len(points) + 1)
    following[starts[1:] - 1] = starts[:-1]
    crosses = points[:, 0] * points[following, 1] - points[following, 0] * points[:, 1]
    return np.abs(np.add.reduceat(crosses, starts[:-1])) / 2


def crowd_mask(generator: np.random.Generator, box: Floats, size: Ints) -> dict[str, Any]:
    """Run lengths, as a list, of some ellipses in a box."""
    from valor_core.schemas.geometry.run_lengths import encoded

    width, height = size.tolist()
    rows, columns = np.ogrid[0:height, 0:width]
    pixels = np.zeros((height, width), bool)
    for _ in range(int(generator.integers(3, 9))):
        center = box[:2] + generator.uniform(0.15, 0.85, 2) * box[2:]
        radius = np.maximum(2, box[2:] * generator.uniform(0.08, 0.25, 2))
        across, down = (columns - center[0]) / radius[0], (rows - center[1]) / radius[1]
        pixels |= across**2 + down**2 <= 1
    return {"counts": encoded(pixels).tolist(), "size": [height, width]}


# ---- files


def write(data: Set, folder: Path, seed: int) -> tuple[Path, Path]:
    """Both sides as COCO's files."""
    generator = np.random.default_rng(seed)
    truths, results = folder / "truths.json", folder / "results.json"
    dataset: dict[str, Any] = {
        "info": {"description": "made by benchmarks/detection_data.py", "seed": seed},
        "images": [
            {
                "file_name": f"{number:012d}.jpg",
                "height": height,
                "width": width,
                "date_captured": "2026-01-01 00:00:00",
                "coco_url": f"http://images.example.org/train/{number:012d}.jpg",
                "id": number,
                "weather": WEATHERS[number % len(WEATHERS)],
            }
            for number, (width, height) in zip(data.ids.tolist(), data.sizes.tolist(), strict=True)
        ],
        "categories": [
            {"supercategory": "thing", "id": number + 1, "name": f"class_{number:03d}"}
            for number in range(data.recipe.classes)
        ],
        "annotations": list(_annotations(generator, data)),
    }
    if data.recipe.federated:
        _federate(generator, data, dataset)
    truths.write_text(json.dumps(dataset, separators=(",", ": ")))
    results.write_text(json.dumps(list(_records(generator, data))))
    return truths, results


def _federate(generator: np.random.Generator, data: Set, dataset: dict[str, Any]) -> None:
    """Add LVIS's fields: verified labels of images, frequencies of labels; remove crowds."""
    shares = 1 / (np.arange(data.recipe.classes) + 30.0)
    shares /= shares.sum()
    for image in dataset["images"]:
        image["neg_category_ids"] = _ids(generator, shares, 12)
        image["not_exhaustive_category_ids"] = _ids(generator, shares, generator.integers(0, 3))
        del image["file_name"]
    for number, category in enumerate(dataset["categories"]):
        category["frequency"] = "fcr"[3 * number // data.recipe.classes]
    for annotation in dataset["annotations"]:
        del annotation["iscrowd"]


def _ids(generator: np.random.Generator, shares: Floats, count: int) -> list[int]:
    chosen = generator.choice(len(shares), count, replace=False, p=shares)
    return list((chosen + 1).tolist())


def _annotations(generator: np.random.Generator, data: Set) -> Iterator[dict[str, Any]]:
    own = data.truths
    box, area = np.round(own.box, 2), own.box[:, 2] * own.box[:, 3]
    if data.recipe.polygons:
        points, starts = outlines(generator, own.box)
        points, area = np.round(points, 2), areas_of(points, starts)
    for row in range(len(own.image)):
        one: dict[str, Any] = {}
        if data.recipe.polygons and own.crowd[row]:
            one["segmentation"] = crowd_mask(generator, own.box[row], data.sizes[own.image[row]])
        elif data.recipe.polygons:
            one["segmentation"] = [points[starts[row] : starts[row + 1]].ravel().tolist()]
        yield one | {
            "area": round(float(area[row]), 4),
            "iscrowd": int(own.crowd[row]),
            "image_id": int(data.ids[own.image[row]]),
            "bbox": box[row].tolist(),
            "category_id": int(own.category[row]) + 1,
            "id": 1700 + 30 * row,
        }


def _records(generator: np.random.Generator, data: Set) -> Iterator[dict[str, Any]]:
    own = data.results
    columns = (data.ids[own.image], own.category + 1, own.box, own.score)
    masks = _masks(generator, data) if data.recipe.masks else [None] * len(own.image)
    for image, category, box, score, mask in zip(
        *(column.tolist() for column in columns), masks, strict=True
    ):
        one = {"image_id": image, "category_id": category, "bbox": box, "score": score}
        yield one if mask is None else one | {"segmentation": mask}


def _masks(generator: np.random.Generator, data: Set) -> list[dict[str, Any]]:
    """Masks of the results: outlines in their boxes, as compressed run lengths."""
    from valor_detection.kernels import masks
    from valor_detection.kernels.segmentations import POLYGONS, Segmentation, Segmentations

    from valor_core.schemas.geometry.run_lengths import compressed

    sizes = data.sizes[data.results.image][:, ::-1]
    points, starts = outlines(generator, data.results.box)
    rings = np.split(points.ravel(), 2 * starts[1:-1])
    drawn = Segmentations.of([Segmentation(POLYGONS, rings=[ring]) for ring in rings])
    runs, rows = masks.segmentation_runs(drawn, np.arange(len(rings)), sizes)
    return [
        {"size": size, "counts": compressed(runs[first:last])}
        for size, first, last in zip(
            sizes.tolist(), rows[:-1].tolist(), rows[1:].tolist(), strict=True
        )
    ]


def write_poses(folder: Path, images: int, seed: int) -> str:
    """Write a data set of people with 17 points and results on it; return what they are.

    As in COCO: two people in an image on average, of whom two in five have no labelled point, and
    half of the points of the others have a label. A top-down model finds 20 poses in each image.
    """
    random = np.random.default_rng(seed)
    truths = np.sort(random.integers(0, images, 2 * images))
    count = len(truths)
    sizes = np.exp(random.normal(4.3, 0.8, count)).round(2)
    boxes = np.column_stack([random.random((count, 2)) * 400, sizes * 0.6, sizes]).round(2)
    points = boxes[:, None, :2] + random.random((count, 17, 2)) * boxes[:, None, 2:]
    visible = random.choice([0, 1, 2], (count, 17), p=[0.5, 0.1, 0.4])
    visible[random.random(count) < 0.4] = 0
    rows = np.concatenate([points.round(), visible[:, :, None]], axis=2).astype(np.int64)
    rows[visible == 0] = 0
    crowd = random.random(count) < 0.01
    annotations = [
        {
            "id": number,
            "image_id": int(image) + 1,
            "category_id": 1,
            "bbox": box,
            "area": round(box[2] * box[3] * 0.55, 4),
            "iscrowd": int(is_crowd),
            "num_keypoints": int(labeled),
            "keypoints": own,
        }
        for number, (image, box, is_crowd, labeled, own) in enumerate(
            zip(
                truths,
                boxes.tolist(),
                crowd,
                (visible > 0).sum(axis=1),
                rows.reshape(count, -1).tolist(),
                strict=True,
            ),
            start=1,
        )
    ]
    seen = np.concatenate([np.arange(count), random.integers(0, count, 20 * images - count)])
    noise = random.choice([0.01, 0.03, 0.1, 0.5], len(seen))
    moved = random.normal(size=(len(seen), 17, 2)) * (noise * sizes[seen])[:, None, None]
    found = np.concatenate([points[seen] + moved, random.random((len(seen), 17, 1))], axis=2)
    scores = (1 - noise) * random.random(len(seen))
    results = [
        {"image_id": int(truths[row]) + 1, "category_id": 1, "keypoints": pose, "score": score}
        for row, pose, score in zip(
            seen,
            found.round(3).reshape(len(seen), -1).tolist(),
            scores.round(5).tolist(),
            strict=True,
        )
    ]
    document = {
        "images": [{"id": i, "width": 640, "height": 480} for i in range(1, images + 1)],
        "categories": [{"id": 1, "name": "person"}],
        "annotations": annotations,
    }
    (folder / "truths.json").write_text(json.dumps(document))
    (folder / "results.json").write_text(json.dumps(results))
    return f"{images:,} images, {count:,} people, {len(results):,} detections"
