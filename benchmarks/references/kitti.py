"""Record the average precision that a port of KITTI's development kit gives random label files.

The port is ``eval.py`` of github.com/traveller59/kitti-object-eval-python (MIT license) at
9f385f8fd40c195a6370ae3682889d8d5dddf42b. Its evaluation of 2-D boxes runs unchanged; modules that
compile it, or evaluate boxes on the ground, are replaced. It ignores objects of exactly the minimum
height, which the development kit counts; no recorded number depends on it::

    python benchmarks/references/kitti.py kitti-object-eval-python/eval.py
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import kitti_files
import numpy as np

OUTPUT = Path(__file__).parents[2] / "plugins/detection/tests/references/kitti.json"
THRESHOLDS = (0.7, 0.5, 0.5)
HEIGHTS = (40, 25, 25)


def interpreted(*found: Any, **_: Any) -> Any:
    """Return a function unchanged, like a decorator with or without options."""
    return found[0] if found else interpreted


def port(path: Path) -> Any:
    """Import the port without the modules that it compiles with."""
    replaced = {
        "numba": {"jit": interpreted},
        "scipy": {},
        "scipy.interpolate": {"interp1d": None},
        "second": {},
        "second.core": {},
        "second.core.non_max_suppression": {},
        "second.core.non_max_suppression.nms_gpu": {"rotate_iou_gpu_eval": None},
    }
    for name, members in replaced.items():
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(members)
    spec = importlib.util.spec_from_file_location("kitti_port", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def annotations(text: str) -> dict[str, Any]:
    """Return the columns of a label file that the port reads."""
    rows = [line.split() for line in text.splitlines()]
    width = len(rows[0]) - 1 if rows else 15
    numbers = np.array([fields[1:] for fields in rows], np.float64).reshape(len(rows), width)
    return {
        "name": np.array([fields[0] for fields in rows], np.str_),
        "truncated": numbers[:, 0],
        "occluded": numbers[:, 1],
        "alpha": numbers[:, 2],
        "bbox": numbers[:, 3:7],
        "score": numbers[:, -1],
    }


def without_low(image: dict[str, Any], lowest: float) -> dict[str, Any]:
    """Return the predictions of an image that are at least as high as the minimum."""
    is_high = image["bbox"][:, 3] - image["bbox"][:, 1] >= lowest
    return {name: column[is_high] for name, column in image.items()}


def average_precisions(module: Any, true: Any, seen: Any, difficulty: int) -> list[float]:
    """Return the mean precision at 40 recalls of each category."""
    limits = np.tile(THRESHOLDS, (1, 3, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = module.eval_class(true, seen, (0, 1, 2), (difficulty,), 0, limits, num_parts=1)
    values: list[float] = found["precision"][:, 0, 0, 1:].mean(axis=-1).round(12).tolist()
    return values


def main() -> None:
    """Record the numbers of all sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=Path)
    module = port(parser.parse_args().port)
    all_predictions, high_predictions = [], []
    for files in kitti_files.random_sets():
        true, seen = ([annotations(pair[side]) for pair in files] for side in (0, 1))
        all_predictions.append([average_precisions(module, true, seen, n) for n in range(3)])
        high = [[without_low(image, lowest) for image in seen] for lowest in HEIGHTS]
        high_predictions.append([average_precisions(module, true, high[n], n) for n in range(3)])
    content: dict[str, Any] = {
        "program": "traveller59/kitti-object-eval-python 9f385f8",
        "sha256 of the files": kitti_files.checksum(),
        "AP by set, difficulty and category": all_predictions,
        "AP without predictions below the minimum height": high_predictions,
    }
    parts = []
    for name, value in content.items():
        lines = ",\n".join(f"    {json.dumps(each)}" for each in value)
        text = json.dumps(value) if isinstance(value, str) else f"[\n{lines}\n  ]"
        parts.append(f"  {json.dumps(name)}: {text}")
    OUTPUT.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
