"""Shaping: what a result says of the parameters that are not as usual."""

from __future__ import annotations

from typing import Any

_USUAL = {"matching": "coco", "max_detections": None, "convert_to": None}


def shaped(parameters: Any) -> dict[str, Any]:
    """Those of a metric's parameters that every result names if they are not as usual.

    Examples
    --------
    >>> from valor_detection.analysis_parameters import ConfusionMatrixParameters
    >>> shaped(ConfusionMatrixParameters(matching="ranked"))
    {'matching': 'ranked'}
    """
    return {
        name: value
        for name, usual in _USUAL.items()
        if (value := getattr(parameters, name, usual)) != usual
    }
