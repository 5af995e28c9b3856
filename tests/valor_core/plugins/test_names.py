"""Names are compared without case, ``_`` and ``-``, and some say a metric's parameters."""

from __future__ import annotations

import gc

import pytest

from valor_core import Registry, metric
from valor_core.errors import ManifestError, UnknownNameError
from valor_core.specs import ParameterAlias
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
def test_name_is_split_at_first_dot_after_identifier(name, parts) -> None:
    assert split_name(name) == parts


@pytest.mark.parametrize(
    ("name", "value"),
    [("mAP50", 0.5), ("map_5", 0.05), ("mAP0.75", 0.75), ("MAP.3", 0.3)],
)
def test_fraction_placeholder_matches_decimal_or_percent(name, value) -> None:
    assert ParameterAlias("mAP%", {"iou": "%"}).meaning(name) == {"iou": value}


@pytest.mark.parametrize("name", ["mAP", "mAP100", "mAP0", "mAP1.5", "mAP50-95", "xmAP50"])
def test_fraction_placeholder_rejects_other_numbers(name) -> None:
    assert ParameterAlias("mAP%", {"iou": "%"}).meaning(name) is None


@pytest.mark.parametrize("name", ["top", "top0", "top1.5", "top-k"])
def test_number_placeholder_matches_positive_integers(name) -> None:
    assert ParameterAlias("top#", {"k": "#"}).meaning(name) is None
    assert ParameterAlias("top#", {"k": "#"}).meaning("Top_12") == {"k": 12}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("top#", {"k": 1}), ("top", {"k": "#"}), ("top%", {"k": "#"}), ("a##", {"k": "#"})],
)
def test_placeholder_is_in_name_and_values(name, parameters) -> None:
    with pytest.raises(ManifestError):
        ParameterAlias(name, parameters)


@pytest.mark.parametrize("parameters", [{}, None, "top_k: 1"])
def test_alias_without_parameters_is_rejected(parameters) -> None:
    with pytest.raises(ManifestError):
        ParameterAlias("top", parameters)


def test_decorated_metric_is_found_by_name() -> None:
    @metric("mylab.Shout", task="text")
    def shout(item) -> float:
        return float(item.response.isupper())

    assert Registry().metric("mylab.shout") is shout
    with pytest.raises(UnknownNameError):
        Registry().metric("mylab.Whisper")


def test_later_decorated_metric_replaces_earlier_one() -> None:
    found = []
    for number in (1, 2):

        @metric("mylab.Twice", task="text", version=number)
        def twice(item) -> float:
            return 0.0

        found.append(Registry().metric("mylab.Twice").version)

    assert found == [1, 2]


def test_unreferenced_decorated_metric_is_removed() -> None:
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
def test_unsupported_metric_suggests_no_other_metric(name: str, task: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        meaning_of(name, Registry(), task)

    assert "Did you mean" not in str(error.value)
