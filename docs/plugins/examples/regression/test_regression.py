from fractions import Fraction

import numpy as np
import pytest
import regression
from valor_testing import check_plugin

from valor_core import Registry, evaluate
from valor_core.errors import SchemaError

TRUE, PREDICTED = [1.0, 2.0, 3.0, 6.0], [1.5, 2.0, 2.0, 7.0]


@pytest.fixture
def registry():
    registry = Registry()
    registry.register("regression", regression)
    return registry


def test_plugin_keeps_the_laws(request):
    path = request.path.with_name("houses.csv")
    numbers = {"path": path, "truth": "y_true", "prediction": "y_pred"}
    check_plugin(regression, readers={"regression.numbers": numbers})


def test_numbers_by_hand(registry):
    names = ["regression.MAE", "regression.RMSE", "regression.R2"]
    report = evaluate(TRUE, PREDICTED, names, registry=registry)
    # errors 0.5, 0, 1, 1; truths are -2, -1, 0, 3 from their mean of 3
    assert report["MAE"].value == (0.5 + 0 + 1 + 1) / 4
    assert report["RMSE"].value == ((0.25 + 0 + 1 + 1) / 4) ** 0.5
    assert report["R2"].value == float(1 - Fraction(225, 100) / (4 + 1 + 0 + 9))


def test_r2_is_exact_far_from_zero(registry):
    far = [np.array(side) + 1e8 for side in (TRUE, PREDICTED)]
    report = evaluate(*far, ["regression.R2"], registry=registry)
    assert report["R2"].value == float(1 - Fraction(225, 100) / 14)


def test_unequal_lengths_are_rejected(registry):
    with pytest.raises(SchemaError, match="expected 4 predictions, got 3"):
        evaluate(TRUE, PREDICTED[:3], ["regression.MAE"], registry=registry)
