from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def score(item: Any, parameters: Any, resources: Mapping[str, Any]) -> float:
    return float(not set(item.wanted).isdisjoint(item.found[: parameters.first]))
