from __future__ import annotations

import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

from valor_core import metric


def half(item: Any) -> float:
    return 0.5


def test_decorated_metric_pickles_by_import_string(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("a_module_of_metrics")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(half, "__module__", module.__name__)
    module.half = metric("attic.Half", task="text")(half)  # type: ignore[attr-defined]

    assert pickle.loads(pickle.dumps(module.half)) is module.half


def test_decorated_metric_without_import_string_does_not_pickle() -> None:
    elsewhere = metric("attic.Half", task="text")(half)

    with pytest.raises(
        pickle.PicklingError, match=r"attic\.Half: expected the metric at .*:half, from which other"
    ):
        pickle.dumps(elsewhere)
