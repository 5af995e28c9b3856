from __future__ import annotations

import pytest

from valor_core import Result
from valor_core.errors import ReportError
from valor_core.results import Results, as_results

FOUND = [
    Result(type="Recall", parameters={"label": "cat"}, value=0.5),
    Result(type="Recall", parameters={"label": "dog"}, value=0.25),
    Result(type="F1", parameters={"average": "macro"}, value=0.75),
]


def test_results_are_a_sequence_in_their_order() -> None:
    results = Results(FOUND)

    assert list(results) == FOUND
    assert results[-1].type == "F1"
    assert list(results[:1]) == FOUND[:1]
    assert as_results(results) is results
    assert as_results(FOUND) == results


def test_the_only_result_is_told_from_several() -> None:
    results = Results(FOUND)

    assert results["f1", "macro"].value == 0.75
    with pytest.raises(ReportError) as caught:
        assert results["Recall"].only

    assert str(caught.value) == (
        "report: expected one result of Recall, found 2\nChoose one with find(label='cat')."
    )
