"""Small example data sets that cover the edge cases of each task.

Every data set has a few batches with distinct uids. Together they contain ties, missing values,
several label keys, one-sided labels and items, float32, Unicode edge cases and mutable metadata.
They are the same on every run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import DEFAULT_KEY, Datums, Label
from valor_core.schemas.classification import Classification, ClassificationBatch, ScoreMatrix
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.schemas.label import as_labels
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
    Segmentation,
    SegmentationBatch,
)
from valor_core.schemas.text import Text, TextBatch
from valor_testing.data_set import Batches


def tasks() -> tuple[str, ...]:
    """Return the names of the tasks with examples.

    Examples
    --------
    >>> tasks()
    ('classification', 'detection', 'segmentation', 'text')
    """
    return tuple(_DATASETS)


def datasets(task: str) -> dict[str, Batches]:
    """Return the example data sets of a task by name; empty for other tasks.

    Examples
    --------
    >>> [len(batch) for batch in datasets("classification")["ties"]]
    [5, 4]
    """
    return {name: make() for name, make in _DATASETS.get(task, {}).items()}


def _metadata(uids: list[str]) -> dict[str, list[object]]:
    """Return metadata with missing values and with lists that a metric could modify."""
    return {
        "weather": ["rain" if i % 2 else None for i in range(len(uids))],
        "tags": [[uid, "example"] for uid in uids],
    }


def _facts(number: int) -> dict[str, object]:
    weather = {"weather": "rain" if number % 3 else "sun"} if number % 2 else {}
    return {**weather, "tags": [f"tag {number}"]}


def _uids(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(count)]


def _scores(seed: int, count: int, width: int) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.random.default_rng(seed).random((count, width))
    values /= values.sum(axis=1, keepdims=True)
    return values


def _dense() -> Batches:
    one, two = _uids("d", 7), _uids("e", 6)
    return (
        _scored(
            ["cat", "dog", "bee", "cat", "cat", "dog", "bee"],
            _scores(1, 7, 3),
            labels=["cat", "dog", "bee"],
            uids=one,
            metadata=_metadata(one),
        ),
        _scored(
            ["dog", "dog", "cat", "ant", "bee", "cat"],
            _scores(2, 6, 4),
            labels=["ant", "dog", "cat", "bee"],
            uids=two,
            metadata=_metadata(two),
        ),
    )


def _scored(
    truth: Any,
    scores: Any,
    *,
    labels: Sequence[str] = ("0", "1"),
    uids: Any,
    metadata: Mapping[str, Any] | None = None,
) -> ClassificationBatch:
    """Return a batch with a score per label; `truth` is a label per item or a 0/1 matrix."""
    values = np.asarray(scores)
    values = values if values.ndim == 2 else np.stack([1 - values, values], axis=1)
    names = [Label(DEFAULT_KEY, name) for name in labels]
    truth = np.asarray(truth)
    if truth.ndim == 2:
        datums, codes = np.nonzero(truth)
    else:
        datums = np.arange(len(truth))
        codes = np.array([labels.index(str(name)) for name in truth.tolist()])
    matrix = ScoreMatrix(values, np.arange(len(names)))
    return ClassificationBatch(Datums(uids, metadata or {}), names, datums, codes, matrix)


def _binary() -> Batches:
    return (
        _scored([0, 1, 1, 0], [0.1, 0.7, 0.35, 0.35], uids=[3, 10, 1, 2]),
        _scored([1, 0, 1], [1.0, 0.0, 0.5], uids=[20, 5, 4]),
    )


def _float32() -> Batches:
    rounded = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1], [0.1, 0.7, 0.2]])
    one, two = _uids("f", 4), _uids("g", 6)
    labels = ["cat", "dog", "bee"]
    return (
        _scored(["bee", "dog", "cat", "cat"], rounded.astype(np.float32), labels=labels, uids=one),
        _scored(
            ["cat", "cat", "dog", "bee", "dog", "bee"],
            _scores(3, 6, 3).astype(np.float32),
            labels=labels,
            uids=two,
        ),
    )


def _listed() -> Batches:
    return _classified(
        [
            Classification("l1", "dog", {"dog": 0.75, "cat": 0.25}, _facts(1)),
            Classification("l2", "cat", {"dog": 0.6}, _facts(2)),
            Classification("l3", "bee", {"bee": 0.0, "cat": 0.3, "dog": 0.1}, _facts(3)),
            Classification("l4", "cat", {"cat": 1.0}, _facts(4)),
        ],
        [
            Classification("l5", "dog", {"bee": 0.2, "cat": 0.2, "dog": 0.6}, _facts(5)),
            Classification("l6", "ant", {"cat": 0.1, "dog": 0.1}, _facts(6)),
            Classification("l7", "cat", {"cat": 0.9, "bee": 0.05}, _facts(7)),
        ],
    )


def _ties() -> Batches:
    return _classified(
        [
            Classification("t1", "dog", {"dog": 0.5, "cat": 0.5}),
            Classification("t2", "cat", {"dog": 0.5, "cat": 0.5}),
            Classification("t10", "cat", {"cat": 0.5, "dog": 0.5}),
            Classification("t3", "bee", {"dog": 0.25, "cat": 0.25, "bee": 0.25, "ant": 0.25}),
            Classification("t4", "dog", {"cat": 0.0, "dog": 0.0}),
        ],
        [
            Classification("t5", "dog", {"cat": 0.5, "dog": 0.5}),
            Classification("t6", "cat", {"bee": 0.25, "cat": 0.5, "dog": 0.25}),
            Classification("t7", "bee", {"bee": 1.0, "cat": 1.0}),
            Classification("t8", "cat", {"cat": 0.5}),
        ],
    )


def _keys() -> Batches:
    dog, cat = ("animal", "dog"), ("animal", "cat")
    white, black = ("color", "white"), ("color", "black")
    return _classified(
        [
            Classification("k1", [dog, white], [(dog, 0.9), (cat, 0.1), (white, 0.4)], _facts(1)),
            Classification("k2", [cat], [(dog, 0.6), (cat, 0.4)], _facts(2)),
            Classification("k3", [black], [(black, 0.8), (white, 0.2)], _facts(3)),
        ],
        [
            Classification("k4", [dog, black], [(white, 0.7), (black, 0.3)], _facts(4)),
            Classification("k5", [cat, "7"], [(cat, 0.5), (dog, 0.5), ("7", 0.6), ("8", 0.4)]),
            Classification("k6", [("color", "dog")], [(("color", "dog"), 0.25), (black, 0.75)]),
        ],
    )


def _multilabel() -> Batches:
    truth = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
    return (
        _scored(
            truth, _scores(4, 5, 3) * 1.5 % 1, labels=["cat", "dog", "bee"], uids=_uids("m", 5)
        ),
        ClassificationBatch.of(
            [
                Classification("n1", ["dog", "cat"], {"dog": 0.8, "bee": 0.7}, _facts(1)),
                Classification("n2", ["ant"], {"ant": 0.5, "cat": 0.5}, _facts(2)),
                Classification("n3", [], {"dog": 0.2}, _facts(3)),
            ]
        ),
    )


def _one_sided() -> Batches:
    return _classified(
        [
            Classification("o1", "cat", {"dog": 0.7, "bee": 0.3}),
            Classification("o2", "ant"),
            Classification("o3"),
        ],
        [
            Classification("o4", predictions={"bee": 0.9, "dog": 0.1}),
            Classification("o5"),
            Classification("o6", "cat", {"cat": 0.4, "dog": 0.6}),
        ],
        [Classification("o7")],
    )


def _logits() -> Batches:
    return _classified(
        [
            Classification("z1", "cat", {"cat": 12.5, "dog": -3.0}),
            Classification("z2", "dog", {"cat": -0.5, "dog": -1e-300}),
        ],
        [Classification("z3", "dog", {"cat": 1e16, "dog": 1.0})],
    )


def _classified(*parts: list[Classification]) -> Batches:
    return tuple(ClassificationBatch.of(items) for items in parts)


def _true(labels: Any, box: Sequence[float], **more: Any) -> TrueObject:
    return TrueObject(labels, Box(*box), keypoints=_pose(box), **more)


def _pred(labels: Any, box: Sequence[float], **more: Any) -> PredictedObject:
    return PredictedObject(labels, Box(*box), keypoints=_pose(box), **more)


def _pose(box: Sequence[float]) -> NDArray[np.float64]:
    """Return the 17 points of a person, on the diagonal of a box."""
    return np.linspace(box[:2], box[2:], 17)


def _boxes() -> Batches:
    return _detected(
        [
            Detection(
                "b1",
                [_true("dog", (0, 0, 10, 10)), _true("cat", (20, 0, 30, 12))],
                [
                    _pred({"dog": 0.9}, (0, 0, 10, 9)),
                    _pred({"cat": 0.7}, (21, 0, 31, 12)),
                    _pred({"dog": 0.35}, (20, 0, 30, 12)),
                ],
                _facts(1),
                (40, 50),
            ),
            Detection("b2", [_true("dog", (5, 5, 9, 9))], [_pred({"dog": 0.6}, (0, 0, 4, 4))]),
        ],
        [
            Detection(
                "b3",
                [_true("dog", (0, 0, 8, 8)), _true("dog", (2, 0, 10, 8))],
                [
                    _pred({"dog": 0.8}, (1, 0, 9, 8)),
                    _pred({"dog": 0.75}, (1, 0, 9, 8)),
                    _pred({"bee": 0.1, "dog": 0.0}, (2, 0, 10, 8)),
                ],
                _facts(3),
            ),
            Detection("b4", [_true("cat", (0, 0, 3, 3))], metadata=_facts(4)),
        ],
    )


def _equal_scores() -> Batches:
    square, shifted = (0, 0, 10, 10), (2, 0, 12, 10)
    return _detected(
        [
            Detection(
                "e1",
                [_true("dog", square), _true("dog", shifted)],
                [_pred({"dog": 0.5}, shifted), _pred({"dog": 0.5}, square)],
            ),
            Detection(
                "e10",
                [_true("dog", square), _true("dog", square)],
                [_pred({"dog": 0.5}, (1, 0, 11, 10)), _pred({"dog": 0.5}, square)] * 2,
            ),
            Detection("e2", [_true("cat", square)], [_pred({"cat": 0.5}, (20, 0, 30, 10))]),
        ],
        [
            Detection("e3", [_true("cat", square)], [_pred({"cat": 0.5, "dog": 0.5}, square)]),
            Detection("e4", [_true("dog", square)], [_pred({"dog": 0.5}, (0, 0, 5, 10))]),
        ],
    )


def _crowds() -> Batches:
    crowd = _true("dog", (0, 0, 100, 100), is_crowd=True)
    return _detected(
        [
            Detection(
                "c1",
                [crowd, _true("dog", (0, 0, 20, 20)), _true("cat", (0, 0, 9, 9), area=4000)],
                [
                    *(_pred({"dog": 0.9 - i / 10}, (5 * i, 0, 5 * i + 20, 20)) for i in range(4)),
                    _pred({"cat": 0.4}, (0, 0, 8, 9)),
                ],
                _facts(1),
            ),
        ],
        [
            Detection("c2", [crowd], [_pred({"dog": 0.95}, (50, 50, 99, 99))]),
            Detection(
                "c3",
                [_true("dog", (0, 0, 120, 120)), _true("dog", (200, 0, 240, 40))],
                [
                    _pred({"dog": 0.2}, (0, 0, 120, 100)),
                    _pred({"dog": 0.3}, (200, 5, 240, 40)),
                ],
                _facts(3),
            ),
        ],
    )


def _ignored_objects() -> Batches:
    """Return objects that count neither way, and labels searched for in some images."""
    ignored = _true("dog", (0, 0, 20, 20), ignored=True)
    dogs = [_pred({"dog": 0.9 - i / 10}, (i, 0, i + 20, 20)) for i in range(3)]
    return _detected(
        [
            Detection(
                "g1",
                [ignored, _true("dog", (2, 0, 24, 20)), _true("cat", (50, 0, 60, 10))],
                [*dogs, _pred({"cat": 0.75, "dog": 0.6}, (50, 0, 60, 9))],
                _facts(1),
                searched=["dog", "owl"],
            ),
            Detection("g2", [], [dogs[0], _pred({"cat": 0.8}, (0, 0, 9, 9))], searched=["cat"]),
        ],
        [
            Detection(
                "g3",
                [ignored, _true("cat", (0, 0, 20, 20))],
                dogs,
                _facts(3),
                searched=["cat", "dog"],
            )
        ],
    )


def _keyed_objects() -> Batches:
    dog, white = ("animal", "dog"), ("color", "white")
    return _detected(
        [
            Detection(
                "a1",
                [_true([dog, white], (0, 0, 6, 6)), _true([white], (9, 9, 12, 12))],
                [
                    _pred([(dog, 0.9), (("animal", "cat"), 0.8), (white, 0.7)], (0, 0, 6, 5)),
                    _pred([(("color", "dog"), 0.6)], (9, 9, 12, 12)),
                ],
                _facts(1),
            ),
        ],
        [
            Detection(
                "a2", [_true("7", (0, 0, 4, 4))], [_pred({"7": 0.5, "10": 0.4}, (0, 0, 4, 4))]
            ),
            Detection("a3", [_true([dog], (0, 0, 4, 4))], [_pred([(white, 0.3)], (0, 0, 4, 4))]),
        ],
    )


def _objects_of_one_side() -> Batches:
    return _detected(
        [
            Detection("h1", [_true("ant", (0, 0, 4, 4))]),
            Detection("h2", predictions=[_pred({"bee": 0.9}, (0, 0, 4, 4))]),
            Detection("h3", metadata=_facts(3)),
        ],
        [
            Detection("h4"),
            Detection("h5", [_true("cat", (0, 0, 4, 4))], [_pred({"dog": 1}, (0, 0, 4, 4))]),
        ],
        [Detection("h6")],
    )


def _many_objects() -> Batches:
    """Return images with over 100 predictions of a label, and scores outside [0, 1]."""
    generator = np.random.default_rng(5)
    items = []
    for i in range(7):
        corners = generator.integers(0, 60, (150, 2))
        sides = generator.integers(1, 40, (150, 2))
        boxes = np.hstack([corners, corners + sides]).tolist()
        scores = (generator.integers(-2, 12, 150) / 8).tolist()
        items.append(
            Detection(
                f"m{9 * i**3}",
                [_true("dog" if j % 3 else "cat", box) for j, box in enumerate(boxes[:12])],
                [
                    _pred({"dog" if j % 5 else "cat": score}, box)
                    for j, (box, score) in enumerate(zip(boxes, scores, strict=True))
                ],
                _facts(i),
            )
        )
    return _detected(items[:2], items[2:])


def _detected(*parts: list[Detection]) -> Batches:
    return tuple(DetectionBatch.of(items) for items in parts)


def _drawn(seed: int, height: int, width: int, values: int, side: int = 3) -> NDArray[np.int64]:
    """Return an image of random squares, `side` pixels wide."""
    rows, columns = -(-height // side), -(-width // side)
    coarse = np.random.default_rng(seed).integers(0, values, (rows, columns))
    return np.kron(coarse, np.ones((side, side), np.int64))[:height, :width]


def _label_maps() -> Batches:
    """Return images of several integer types and shapes, with ignored pixels."""
    names = ["cat", "dog", "bee", "owl"]
    true = [_drawn(seed, 9, 12, 3).astype(np.uint8) for seed in range(3)]
    true[1][2:5, 3:9] = 255
    seen = [_drawn(9, 9, 12, 4).astype(np.uint8), true[1] % 255, true[2][::-1]]
    others = (
        (_drawn(3, 5, 7, 3).astype(np.int32), _drawn(4, 5, 7, 3).astype(np.uint16)),
        (np.zeros((4, 4), np.uint16), np.eye(4, dtype=np.uint8)),
    )
    one, two = ["10", "9", "image"], ["b", "a"]
    parts = (
        [
            Segmentation(uid, *pair, names, ignore=255, metadata=_facts(i))
            for i, (uid, pair) in enumerate(zip(one, zip(true, seen, strict=True), strict=True))
        ],
        [
            Segmentation(uid, *pair, ["bee", "ant"], metadata=_facts(i))
            for i, (uid, pair) in enumerate(zip(two, others, strict=True))
        ],
    )
    return tuple(SegmentationBatch.of(items) for items in parts)


def _keyed_maps() -> Batches:
    """Return items with one mask per label, with one or two label keys."""
    parts = (
        [
            Segmentation(
                "k2",
                {"sky": _drawn(1, 6, 8, 2) > 0, ("surface", "wet"): _drawn(2, 6, 8, 2) > 0},
                {"sky": _drawn(3, 6, 8, 2) > 0, ("surface", "dry"): _drawn(4, 6, 8, 2) > 0},
                metadata=_facts(1),
            ),
            Segmentation("k1", {"sky": np.eye(5) > 0}, {("surface", "wet"): np.eye(5) > 0}),
        ],
        [
            Segmentation(
                "k3",
                {"sky": np.eye(3) > 0, "sea": np.ones((3, 3), bool)},
                {"sea": np.eye(3) == 0},
                overlap="first",
                metadata=_facts(2),
            ),
            Segmentation("k4", {("surface", "dry"): np.eye(4) > 0}, {"sea": np.eye(4) > 0}),
        ],
    )
    return tuple(SegmentationBatch.of(items) for items in parts)


def _maps_of_one_side() -> Batches:
    image, labels = _drawn(5, 4, 6, 3), ["cat", "dog"]
    parts = (
        [
            Segmentation("true", image, None, labels, metadata=_facts(1)),
            Segmentation("seen", None, image, labels),
            Segmentation("none"),
        ],
        [
            Segmentation("all", image, image, labels, metadata=_facts(3)),
            Segmentation("empty", np.zeros((2, 2), int), np.zeros((2, 2), int), labels),
            Segmentation("no pixels", np.zeros((0, 3), int), np.zeros((0, 3), int), labels),
        ],
    )
    return tuple(SegmentationBatch.of(items) for items in parts)


def _instances() -> Batches:
    """Return images whose values are instances, some of them crowds, with a legend each."""
    codes = [BACKGROUND, 0, 0, 1, 1]

    def shown(values: Sequence[int], seed: int, last: int = BACKGROUND) -> LabelImage:
        crowd = [False, False, True, False, False, False] if seed % 2 == 0 else [False] * 6
        image = np.array(values)[_drawn(seed, 12, 15, 6, 4)]
        return LabelImage(image.astype(np.int32), Legend(values, [*codes, last], crowd))

    def batch(uids: Sequence[str], seed: int) -> SegmentationBatch:
        layer = Layer(
            [
                shown([0, 7, 9, 1000 + i, 70_000, 1 << 23], seed + 2 * i, IGNORED)
                for i in range(len(uids))
            ],
            [shown([0, 1, 2, 3, 400, 500], seed + 2 * i + 1) for i in range(len(uids))],
        )
        return SegmentationBatch(
            Datums(uids, _metadata(list(uids))), as_labels(["car", "sky"]), [layer]
        )

    return batch(["i3", "i1"], 10), batch(["i2"], 20)


def _plain() -> Batches:
    return _texts(
        [
            Text("p1", "Capital of France?", "Paris", "Paris", metadata=_facts(1)),
            Text("p2", "Capital of Italy?", "I think it is Rome.", "Rome", metadata=_facts(2)),
            Text("p3", "2 + 2?", "5", "4", metadata=_facts(3)),
        ],
        [
            Text("p4", "Who wrote it?", "Ada wrote the the program", "It was written by Ada"),
            Text("p5", "When?", "in 1843", "1843", metadata=_facts(5)),
        ],
    )


def _several() -> Batches:
    passages = ("Paris is the capital of France.", "Rome is a city.", "Paris is large.")
    return _texts(
        [
            Text("s1", "Capital?", "Paris", ("paris", "Paris", "Paris, France"), passages[:2]),
            Text("s2", "Capital?", "Rome", ("Milan", "Rome"), passages, passages[:1]),
            Text("s10", "City?", "a b c d", ("a b", "c d", "d c b a"), (), passages[1:]),
        ],
        [
            Text("s3", "City?", "Paris is large.", ("Paris is large.",) * 2, passages[2:]),
            Text("s4", "City?", "nothing in common", ("Paris", "Rome"), passages, passages),
        ],
    )


def _gaps() -> Batches:
    return _texts(
        [
            Text("g1", "Question?", None, "answer"),
            Text("g2", "Question?", "", "answer", contexts=("",)),
            Text("g3", None, "answer", "answer"),
            Text("g4", "Question?", "answer"),
        ],
        [
            Text("g5"),
            Text("g6", "", "", ""),
            Text("g7", "Question?", "answer", ("", "answer"), reference_contexts=("",)),
            Text("g8", " \n\t", " . ", "?!", metadata=_facts(8)),
        ],
        [Text("g9", "Question?", "answer", "answer", ("a passage",), ("a passage",))],
    )


def _attempts() -> Batches:
    return _texts(
        [
            Text("a1", "2 + 2?", "4", "4", outcomes=(True, False, True, True), metadata=_facts(1)),
            Text("a2", "3 * 3?", "8", "9", outcomes=(False, False, False)),
            Text("a10", "1 - 1?", "0", "0", outcomes=(True,)),
        ],
        [
            Text("a3", "7 / 2?", "3.5", ("3.5", "7/2"), outcomes=(False, True) * 5),
            Text("a4", "2 ** 5?", "32", "32", metadata=_facts(4)),
        ],
    )


def _unicode() -> Batches:
    return _texts(
        [
            Text("u1", "Straße?", "STRASSE", "Straße"),
            Text("u2", "Café?", "cafe\u0301", "caf\u00e9", ("Le café est fermé.",)),
            Text("u3", "首都は?", "東京です。", ("東京", "とうきょう"), ("首都は東京です。",)),
        ],
        [
            Text("u4", "🙂?", "👩\u200d🔬 🎉", "👩\u200d🔬"),
            Text("u5", "من؟", "مرحبا بالعالم", "مرحبا"),
            Text("u6", "a\u00a0b", "zero\u200bwidth\x00null", "line\r\nbreak\u2028end"),
            Text("u7", "long?", "na " * 300, "na " * 299 + "no"),
        ],
    )


def _texts(*parts: list[Text]) -> Batches:
    return tuple(TextBatch.of(items) for items in parts)


_DATASETS: Mapping[str, Mapping[str, Callable[[], Batches]]] = {
    "classification": {
        "dense": _dense,
        "binary": _binary,
        "float32": _float32,
        "listed": _listed,
        "ties": _ties,
        "keys": _keys,
        "multilabel": _multilabel,
        "one-sided": _one_sided,
        "logits": _logits,
    },
    "detection": {
        "boxes": _boxes,
        "equal scores": _equal_scores,
        "crowds": _crowds,
        "ignored": _ignored_objects,
        "keys": _keyed_objects,
        "one-sided": _objects_of_one_side,
        "many": _many_objects,
    },
    "segmentation": {
        "maps": _label_maps,
        "keys": _keyed_maps,
        "one-sided": _maps_of_one_side,
        "instances": _instances,
    },
    "text": {
        "plain": _plain,
        "several": _several,
        "gaps": _gaps,
        "attempts": _attempts,
        "unicode": _unicode,
    },
}
