from __future__ import annotations

import pytest
from attrs import evolve

from valor_core import Result
from valor_core.errors import ReportError
from valor_core.results.results import Results


def test_results_are_distinguished_by_default_parameter() -> None:
    parameters = {"label_key": "class", "average": "macro"}
    f1 = Result(type="F1", metric="classification.F1@1", parameters=parameters, value=0.5)
    other = evolve(f1, parameters=parameters | {"zero_division": None}, value=0.25)
    results = Results([f1, other])

    with pytest.raises(ReportError, match="report: expected one result of F1, found 2"):
        assert results["F1"].value
    assert results.find("F1", zero_division=0.0).value == 0.5
    assert results.find("F1", zero_division=None).value == 0.25
