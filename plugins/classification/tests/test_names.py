"""Names that other libraries give a metric with some of its parameters."""

from __future__ import annotations

import pytest
import yaml
from valor_classification.plugin import valor_metrics

from valor_core import evaluate
from valor_core.errors import UnknownNameError
from valor_core.plugin import Failed

from .support import PETS, SETS

WRITTEN = [name for spec in valor_metrics() for name, _ in spec.written_as]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_metric_by_another_name_is_answered_with_how_it_is_written(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        evaluate(PETS, [name.upper()], "classification")

    remedy = caught.value.remedy
    assert remedy is not None
    assert remedy.startswith("Write it as: {name: classification.")
    written = yaml.safe_load(remedy.removeprefix("Write it as: "))
    (result, *_) = evaluate(SETS if "multilabel" in written else PETS, [written])
    assert result.type == written["name"].removeprefix("classification.")
    assert not isinstance(result.value, Failed)


def test_balanced_accuracy_is_a_parameter_of_accuracy() -> None:
    with pytest.raises(UnknownNameError) as caught:
        evaluate(PETS, ["balanced_accuracy_score"], "classification")

    assert caught.value.remedy == "Write it as: {name: classification.Accuracy, balanced: true}"
