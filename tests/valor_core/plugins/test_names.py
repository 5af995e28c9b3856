"""Names are compared without case, ``_`` and ``-``, and some say a metric's parameters."""

from __future__ import annotations

import gc

import pytest

from valor_core import Registry, metric
from valor_core.errors import ManifestError, UnknownNameError
from valor_core.specs import ParameterAlias, averaged
from valor_core.specs.lookup import meaning_of
from valor_core.specs.names import split_name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("detection.mAP", ("detection", "mAP")),
        ("hf.some.module", ("hf", "some.module")),
        ("mAP@0.5:0.95", ("", "mAP@0.5:0.95")),
        ("mAP", ("", "mAP")),
        (".5", ("", ".5")),
    ],
)
def test_a_namespace_ends_at_the_first_dot_and_is_a_word(name, parts) -> None:
    assert split_name(name) == parts


@pytest.mark.parametrize(
    ("name", "value"),
    [("mAP50", 0.5), ("map_5", 0.05), ("mAP0.75", 0.75), ("MAP.3", 0.3)],
)
def test_a_share_is_a_decimal_or_in_percent(name, value) -> None:
    assert ParameterAlias("mAP%", {"iou": "%"}).meaning(name) == {"iou": value}


@pytest.mark.parametrize("name", ["mAP", "mAP100", "mAP0", "mAP1.5", "mAP50-95", "xmAP50"])
def test_other_numbers_are_no_share(name) -> None:
    assert ParameterAlias("mAP%", {"iou": "%"}).meaning(name) is None


@pytest.mark.parametrize("name", ["top", "top0", "top1.5", "top-k"])
def test_only_whole_numbers_from_1_on_stand_for_one(name) -> None:
    assert ParameterAlias("top#", {"k": "#"}).meaning(name) is None
    assert ParameterAlias("top#", {"k": "#"}).meaning("Top_12") == {"k": 12}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("top#", {"k": 1}), ("top", {"k": "#"}), ("top%", {"k": "#"}), ("a##", {"k": "#"})],
)
def test_a_number_stands_in_the_name_and_among_the_values(name, parameters) -> None:
    with pytest.raises(ManifestError):
        ParameterAlias(name, parameters)


@pytest.mark.parametrize("parameters", [{}, None, "top_k: 1"])
def test_a_known_name_says_something(parameters) -> None:
    with pytest.raises(ManifestError):
        ParameterAlias("top", parameters)


def test_an_average_stands_before_or_behind() -> None:
    names = {known.name: known.parameters for known in averaged("f1")}

    assert names["f1_macro"] == names["macro_f1"] == {"average": "macro"}
    assert len(names) == 6


def test_a_decorated_metric_is_found_by_its_name_where_it_was_made() -> None:
    @metric("mylab.Shout", task="text")
    def shout(item) -> float:
        return float(item.response.isupper())

    assert Registry().metric("mylab.shout") is shout
    with pytest.raises(UnknownNameError):
        Registry().metric("mylab.Whisper")


def test_of_two_decorated_metrics_with_a_name_the_later_one_counts() -> None:
    found = []
    for number in (1, 2):

        @metric("mylab.Twice", task="text", version=number)
        def twice(item) -> float:
            return 0.0

        found.append(Registry().metric("mylab.Twice").version)

    assert found == [1, 2]


def test_a_decorated_metric_that_nobody_holds_is_gone() -> None:
    @metric("mylab.Gone", task="text")
    def gone(item) -> float:
        return 0.0

    del gone
    gc.collect()

    with pytest.raises(UnknownNameError):
        Registry().metric("mylab.Gone")


@pytest.mark.parametrize(
    ("name", "task"),
    [
        *((name, "detection") for name in ("IDF1", "HOTA", "MOTA", "MAE", "APr")),
        *((name, "text") for name in ("bleurt", "spBLEU", "llm.Pairwise", "BERTScore")),
        ("RMSE", "classification"),
        ("NegativePredictiveValue", "classification"),
        ("character", "text"),
        ("SummarizationMetric", "text"),
        ("SemanticSimilarity", "text"),
    ],
)
def test_metrics_that_are_not_in_valor_suggest_no_other_metric(name: str, task: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        meaning_of(name, Registry(), task)

    assert "Did you mean" not in str(error.value)
