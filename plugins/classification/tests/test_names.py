"""Names that people give a metric with some of its parameters."""

from __future__ import annotations

import pytest
import yaml
from cases import for_each
from valor_classification.plugin import valor_metrics

from valor_core import evaluate
from valor_core.errors import UnknownNameError
from valor_core.results import Failed

from .support import PETS, SETS

KNOWN = [aliased for spec in valor_metrics() for aliased in spec.parameter_aliases]
CLEAR = [aliased.name.replace("#", "2").replace("%", "90") for aliased in KNOWN if aliased.is_clear]
UNCLEAR = [
    aliased.name.replace("#", "2").replace("%", "90") for aliased in KNOWN if not aliased.is_clear
]


@for_each("name", CLEAR)
def test_a_name_that_means_one_thing_is_taken(name: str) -> None:
    items = SETS if name in ("subset_accuracy", "exact_match_ratio") else PETS

    (result, *_) = evaluate(items, [name.upper()], "classification")

    assert not isinstance(result.value, Failed)


@pytest.mark.parametrize("name", UNCLEAR)
def test_ambiguous_name_suggests_full_names(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        evaluate(PETS, [name.upper()], "classification")

    remedy = caught.value.remedy
    assert remedy is not None
    written = yaml.safe_load(remedy.removeprefix("Write it as: "))
    (result, *_) = evaluate(PETS, [written])
    assert result.type == written["name"].removeprefix("classification.")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("f1_macro", {"name": "F1", "average": "macro"}),
        ("macro_f1", {"name": "F1", "average": "macro"}),
        ("precision_weighted", {"name": "Precision", "average": "weighted"}),
        ("top2_accuracy", {"name": "Accuracy", "top_k": 2}),
        ("Top-2", {"name": "Accuracy", "top_k": 2}),
        ("acc@2", {"name": "Accuracy", "top_k": 2}),
        ("F2", {"name": "FBeta", "beta": 2}),
        ("classification.balanced_accuracy", {"name": "Accuracy", "balanced": True}),
    ],
)
def test_aliases_give_the_results_of_the_metrics_in_the_table(name, written) -> None:
    aliased = evaluate(PETS, [name], "classification")

    assert list(aliased) == list(evaluate(PETS, [written], "classification"))


def test_what_a_name_says_may_not_be_said_otherwise() -> None:
    from valor_core.errors import ConfigError

    with pytest.raises(
        ConfigError,
        match=r"classification\.F1: average is given twice, also by the name 'f1_macro'",
    ):
        evaluate(PETS, [{"name": "f1_macro", "average": "micro"}], "classification")
