"""Polygons of COCO's files have the pixels that pycocotools gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pycocotools import mask as pycocotools
from valor_detection.geometry import coco_pixels

from valor_core import evaluate

# pycocotools hands its buffers to NumPy in a way that newer releases of that warn of.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def theirs(corners: NDArray[Any], size: tuple[int, int]) -> NDArray[Any]:
    found = pycocotools.decode(pycocotools.frPyObjects([corners.reshape(-1).tolist()], *size))
    return found[..., 0].astype(bool)


NUMBERS = st.one_of(
    st.integers(-20, 60).map(float),
    st.integers(-100, 300).map(lambda n: n / 5),
    st.integers(-100, 300).map(lambda n: n / 10),
    st.floats(-30, 70, width=32),
    st.sampled_from([-1e4, 1e4, 0.1, 0.3, 2.5, 29.9999999]),
)


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=9),
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
)
@settings(max_examples=5 * settings.default.max_examples)
def test_any_ring_has_the_pixels_of_pycocotools(
    points: list[tuple[float, float]], size: tuple[int, int]
) -> None:
    corners = np.array(points)

    assert np.array_equal(coco_pixels(corners, size), theirs(corners, size))


@for_each("seed", range(40))
def test_outlines_of_objects_have_the_pixels_of_pycocotools(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(25):
        height, width = rng.integers(20, 500, 2).tolist()
        count = int(rng.integers(3, 60))
        angles = np.sort(rng.random(count)) * 2 * np.pi
        radius = rng.random(count) * height
        center = rng.random(2) * (width, height)
        ring = center + radius[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        corners = ring.round(int(rng.integers(0, 4)))

        assert np.array_equal(
            coco_pixels(corners, (height, width)), theirs(corners, (height, width))
        )


def test_a_polygon_of_a_file_has_as_many_pixels_as_in_pycocotools(tmp_path: Path) -> None:
    rings = [[10.2, 10.7, 40.9, 12.3, 33.3, 47.1, 12.6, 38.4], [30, 30, 55, 30, 55, 58.5, 30, 58]]
    areas = []
    for polygons in (rings[:1], rings):
        annotation = {"image_id": 1, "category_id": 1, "segmentation": polygons}
        truths = {
            "images": [{"id": 1, "height": 60, "width": 60}],
            "categories": [{"id": 1, "name": "x"}],
            "annotations": [annotation],
        }
        (tmp_path / "g.json").write_text(json.dumps(truths))
        nothing = {"size": [60, 60], "counts": [3600]}
        (tmp_path / "p.json").write_text(json.dumps([annotation | {"segmentation": nothing}]))
        data = {"groundtruths": str(tmp_path / "g.json"), "predictions": str(tmp_path / "p.json")}
        report = evaluate({"reader": "segmentation.coco"} | data, ["Counts"], "segmentation")
        areas.append(report["Counts", "x"].value["fn"])

    whole = pycocotools.merge(pycocotools.frPyObjects(rings, 60, 60))
    assert areas == [820, int(pycocotools.area(whole))]
