"""Manifest."""

from mylab.parameters import DictionaryParameters, ExactMatchParameters
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, ResourceSpec, hookimpl


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        ItemMetricSpec(
            name="mylab.ExactMatch",
            task="text",
            summary="Share of responses that are one of the references",
            parameters=ExactMatchParameters,
            implementation="mylab.exact_match:score",
            higher_is_better=True,
            range=Range(0, 1),
            aliases=("em",),
        ),
        ItemMetricSpec(
            name="mylab.KnownWords",
            task="text",
            summary="Share of the response's words that a dictionary has",
            implementation="mylab.known_words:score",
            higher_is_better=True,
            range=Range(0, 1),
            resources=("dictionary",),
        ),
    )


@hookimpl
def valor_resources() -> tuple[ResourceSpec, ...]:
    """Declare the resource."""
    return (
        ResourceSpec(
            name="mylab.dictionary",
            summary="A list of words",
            parameters=DictionaryParameters,
            implementation="mylab.dictionary:Dictionary",
            free=True,
        ),
    )
