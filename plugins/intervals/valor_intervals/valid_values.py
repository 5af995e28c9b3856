"""Valid values of parameters, which remedies of errors suggest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core.errors import ConfigError, ParameterError

_VALID: Mapping[str, Any] = {
    "level": 0.95,
    "groups": 100,
    "resamples": 1000,
    "seed": 0,
    "tables": "true",
    "cluster_by": "video",
    "keep": 1000,
    "of": "size",
    "edges": [32, 96],
    "quantiles": 4,
    "by": "[weather, camera]",
    "min_items": 10,
    "worst": 10,
    "differences": "true",
}


def config_error(error: ParameterError, place: str = "") -> ConfigError:
    """Return the error of a parameter for a config, with a valid value as its remedy.

    Parameters
    ----------
    error : ParameterError
        Error of a parameter whose value is invalid.
    place : str
        Prefix of the message.

    Examples
    --------
    >>> print(config_error(ParameterError("slices[0].quantiles must lie in [2, 100], got 0")))
    slices[0].quantiles must lie in [2, 100], got 0
    Write a valid value, such as: quantiles: 4
    """
    name = error.sentence.partition(" must ")[0].rpartition(".")[2].partition("[")[0]
    remedy = error.remedy
    if remedy is None and name in _VALID:
        remedy = f"Write a valid value, such as: {name}: {_VALID[name]}"
    return ConfigError(f"{place}{error.message}", remedy)
