"""Evaluation by lvis-api 0.5.3, the reference program of LVIS.

The package needs OpenCV and Matplotlib for its drawings, which no test uses, and ``numpy.float``,
which NumPy 2 does not have.
"""

from __future__ import annotations

import json
import logging
import sys
import types
import warnings
from typing import Any
from unittest import mock

import numpy as np

NAMES = (
    *("AP", "AP50", "AP75", "APs", "APm", "APl", "APr", "APc", "APf"),
    *("AR@300", "ARs@300", "ARm@300", "ARl@300"),
)


def _imported() -> Any:
    drawings = types.ModuleType("lvis.vis")
    drawings.LVISVis = None  # type: ignore[attr-defined]
    # The package adds a handler to the root logger.
    with mock.patch.dict(sys.modules, {"lvis.vis": drawings}), mock.patch("logging.basicConfig"):
        import lvis
    logging.getLogger("lvis").setLevel(logging.ERROR)
    return lvis


lvis = _imported()


def lvis_numbers(data_set: Any, results: list[Any], iou_type: str = "bbox") -> Any:
    """Return the evaluation of lvis-api and its thirteen numbers, None for -1.

    Parameters
    ----------
    data_set : dict
        Data set in LVIS's format.
    results : list of dict
        Results, at least one.
    iou_type : str
        ``bbox`` or ``segm``.
    """
    truths = lvis.LVIS.__new__(lvis.LVIS)
    truths.logger = logging.getLogger("lvis")
    data_set, results = json.loads(json.dumps([data_set, results]))  # a copy: lvis-api adds fields
    truths.dataset = data_set
    with warnings.catch_warnings(), mock.patch.object(np, "float", float, create=True):
        warnings.simplefilter("ignore")
        truths._create_index()
        found = lvis.LVISResults(truths, results)
        evaluation = lvis.LVISEval(truths, found, iou_type)
        evaluation.run()
    numbers = evaluation.get_results()
    assert tuple(numbers) == NAMES
    return evaluation, {name: None if x == -1 else float(x) for name, x in numbers.items()}
