from __future__ import annotations

import numpy as np
import pytest
from valor_classification.readers.arrays import from_predicted

from valor_core.errors import SchemaError
from valor_core.schemas import Datum, Datums, Label


@pytest.mark.parametrize("name", ["a\0", "a\0b", "\0"])
def test_no_name_may_hold_nul_which_columns_would_drop(name: str) -> None:
    with pytest.raises(
        SchemaError, match="Datum: uid: expected a name without the character NUL, got"
    ):
        Datum(name)
    with pytest.raises(
        SchemaError, match="Label: value: expected a name without the character NUL, got"
    ):
        Label("class", name)
    with pytest.raises(
        SchemaError, match=r"uids\[1\]: expected a name without the character NUL, got"
    ):
        Datums(["b", name])
    with pytest.raises(
        SchemaError, match=r"uids\[1\]: expected a name without the character NUL, got"
    ):
        Datums(np.array(["b", name], object))
    with pytest.raises(
        SchemaError, match=r"y_true\[1\]: expected a name without the character NUL, got"
    ):
        from_predicted(["b", name], ["b", "b"])
    with pytest.raises(
        SchemaError, match=r"y_pred\[1\]: expected a name without the character NUL, got"
    ):
        from_predicted(["b", "b"], np.array(["b", name], object))
    with pytest.raises(
        SchemaError, match=r"y_pred\[1\]: expected a name without the character NUL, got"
    ):
        from_predicted(["b", "c"], ["b", name])
