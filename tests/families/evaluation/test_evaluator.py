from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator, Registry
from valor_core.errors import MissingPluginError, SchemaError
from valor_core.schemas.classification import Classification
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.schemas.text import Text

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


def item(uid: Any, response: str = "Paris", **metadata: Any) -> Text:
    return Text(uid, response=response, metadata=metadata)


@pytest.mark.usefixtures("lab")
class TestUids:
    def test_items_with_and_without_uid_cannot_be_mixed(self) -> None:
        evaluator = Evaluator(["Counts"], "classification")
        evaluator.update(from_arrays([0], [[0.75, 0.25]]))
        evaluator.update(from_arrays([0], [[0.75, 0.25]], uids=["a"]))

        with pytest.raises(
            SchemaError, match="uids: expected uids for all items or none, found 1 of 2"
        ):
            evaluator.compute()


@pytest.mark.usefixtures("lab")
class TestSavedStates:
    def test_metric_of_missing_plugin_is_reported(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Evaluator(["Counts"], "classification").save(tmp_path / "state.npz")

        def missing(*arguments: Any) -> None:
            raise MissingPluginError("metric: not installed", "Install it.")

        monkeypatch.setattr(Registry, "metric", missing)
        with pytest.raises(MissingPluginError, match=r"metrics\[0\]: metric: not installed"):
            Evaluator.load(tmp_path / "state.npz")


class TestSides:
    WARNING = (
        "no item has both a ground truth and a prediction; check that both sides use the same uids"
    )
    TRUE, PREDICTED = Classification("001", "dog"), Classification("1", (), {"dog": 0.75})

    @pytest.mark.parametrize("together", [True, False])
    def test_items_without_common_uids_give_warning(self, together: bool) -> None:
        evaluator = Evaluator(["Counts"], "classification")
        for batch in [[self.TRUE, self.PREDICTED]] if together else [[self.TRUE], [self.PREDICTED]]:
            evaluator.update(batch)

        assert evaluator.compute().warnings == (self.WARNING,)

    def test_one_matched_item_gives_no_warning(self) -> None:
        evaluator = Evaluator(["Counts"], "classification")
        evaluator.update([self.TRUE, self.PREDICTED, Classification("2", "dog", {"cat": 1})])

        assert evaluator.compute().warnings == ()

    @pytest.mark.parametrize("item", [TRUE, PREDICTED])
    def test_single_side_gives_no_warning(self, item: Classification) -> None:
        evaluator = Evaluator(["Counts"], "classification")
        evaluator.update([item])

        assert evaluator.compute().warnings == ()

    def test_unmatched_images_give_warning(self) -> None:
        box = Box(0, 0, 10, 10)
        evaluator = Evaluator(["Counts"], "detection")
        evaluator.update([Detection("001", [TrueObject("dog", box)])])
        evaluator.update([Detection("1", [], [PredictedObject({"dog": 0.75}, box)])])

        assert evaluator.compute().warnings == (self.WARNING,)

    def test_saved_state_keeps_sides(self, tmp_path: Path) -> None:
        evaluator = Evaluator(["Counts"], "classification")
        evaluator.update([self.TRUE])
        evaluator.save(tmp_path / "state.npz")
        resumed = Evaluator.load(tmp_path / "state.npz")
        resumed.update([self.PREDICTED])

        assert resumed.compute().warnings == (self.WARNING,)
