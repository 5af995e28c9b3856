"""Record the mean average precision that mmrotate gives random sets of rotated boxes.

mmrotate's own evaluation runs (`eval_rbbox_map` of mmrotate 0.3.4, `average_precision` of mmdet
2.28.2). Only the IoU, a compiled operation of mmcv, is replaced by one of shapely, and processes by
a loop. Without torch, arrays replace its tensors, of which the evaluation uses no operation.
Precision is that at 11 recalls, or at every recall. mmrotate accepts an IoU equal to the threshold,
DOTA's development kit does not; no recorded number depends on it::

    pip install --no-deps numpy shapely mmrotate==0.3.4 mmdet==2.28.2 terminaltables==3.1.10
    python benchmarks/references/dota.py
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import distribution, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import rotated_boxes
import shapely

OUTPUT = Path(__file__).parents[2] / "plugins/detection/tests/references/dota.json"
THRESHOLDS = (0.5, 0.75)
VERSIONS = {"mmrotate": "0.3.4", "mmdet": "2.28.2"}


class Tensor(np.ndarray):  # type: ignore[type-arg]
    """Array with the methods of tensors that the evaluation calls."""

    def float(self) -> Tensor:
        """Round to float32."""
        return self.astype(np.float32).view(Tensor)

    def numpy(self) -> Any:
        """Return a plain array."""
        return np.asarray(self)


def ious(detections: Any, truths: Any) -> Any:
    """Return the IoUs of all pairs of rows of x, y, width, height and angle, as a tensor."""
    one, other = (
        shapely.polygons(rotated_boxes.corners_of(np.asarray(side, np.float64)[:, :5]))
        for side in (detections, truths)
    )
    shared = shapely.area(shapely.intersection(one[:, None], other))
    whole = shapely.area(one)[:, None] + shapely.area(other) - shared
    return (shared / whole).view(Tensor)


class Loop:
    """Processes of the evaluation, on the current thread."""

    def Pool(self, count: int) -> Loop:  # noqa: N802, D102
        return self

    def starmap(self, call: Any, arguments: Any) -> list[Any]:  # noqa: D102
        return [call(*each) for each in arguments]

    def close(self) -> None:  # noqa: D102
        pass


def package(name: str, folder: str) -> ModuleType:
    """Return the folder of an installed package as a package that imports nothing by itself."""
    module = ModuleType(name)
    distributed = distribution(folder.split("/", 1)[0])
    module.__path__ = [str(distributed.locate_file(folder))]
    sys.modules[name] = module
    return module


def stand_in(name: str, **members: Any) -> None:
    """Replace a module by its used members."""
    module = ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def evaluation() -> Any:
    """Return mmrotate's module with `eval_rbbox_map`."""
    if find_spec("torch") is None:
        stand_in("torch", from_numpy=lambda array: array.view(Tensor))
    stand_in("mmcv")
    stand_in("mmcv.ops", box_iou_rotated=ious)
    stand_in("mmcv.utils", print_log=print)
    package("mmdet_evaluation", "mmdet/core/evaluation")
    precision = import_module("mmdet_evaluation.mean_ap").average_precision
    stand_in("mmdet.core", average_precision=precision)
    package("mmrotate_evaluation", "mmrotate/core/evaluation")
    module = import_module("mmrotate_evaluation.eval_map")
    module.get_context = lambda method: Loop()  # type: ignore[attr-defined]
    return module


def mean_precision(module: Any, true: Any, seen: Any, threshold: float, eleven: bool) -> float:
    """Return mmrotate's mAP of a set."""
    annotations, detections = [], []
    rows = np.concatenate([seen.boxes, seen.last[:, None]], axis=1)
    for image in range(rotated_boxes.IMAGES):
        here = true.images == image
        kept, ignored = here & (true.last == 0), here & (true.last == 1)
        annotations.append(
            {
                "bboxes": true.boxes[kept],
                "labels": true.labels[kept],
                "bboxes_ignore": true.boxes[ignored],
                "labels_ignore": true.labels[ignored],
            }
        )
        of_labels = [seen.labels == label for label in range(rotated_boxes.LABELS)]
        detections.append([rows[(seen.images == image) & one] for one in of_labels])
    found, _ = module.eval_rbbox_map(
        detections, annotations, iou_thr=threshold, use_07_metric=eleven, logger="silent"
    )
    return round(float(found), 7)


def main() -> None:
    """Write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    output = parser.parse_args().output
    for name, expected in VERSIONS.items():
        if (found := version(name)) != expected:
            sys.exit(f"{name}: expected version {expected}, found {found}")
    module = evaluation()
    rows: list[Sequence[Any]] = [
        [
            name,
            *(
                mean_precision(module, *sides, threshold, eleven)
                for eleven in (True, False)
                for threshold in THRESHOLDS
            ),
        ]
        for name, sides in enumerate(rotated_boxes.random_sets())
    ]
    record = {
        "programs": {**VERSIONS, "shapely": shapely.__version__},
        "sha256 of the boxes": rotated_boxes.checksum(),
        "columns": ["set", "11 recalls, IoU 0.5", "IoU 0.75", "every recall, IoU 0.5", "IoU 0.75"],
    }
    lines = ",\n".join(json.dumps(row) for row in rows)
    output.write_text(f'{json.dumps(record)[:-1]}, "mmrotate": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
