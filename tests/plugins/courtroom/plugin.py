"""Manifest."""

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, ResourceKindSpec, ResourceSpec, hookimpl

_ITEMS = {"task": "text", "higher_is_better": True, "range": Range(0, 1)}


@hookimpl
def valor_metrics():
    return (
        ItemMetricSpec(
            name="courtroom.Grade",
            summary="Mean of two grades",
            parameters="courtroom.parameters:Grade",
            implementation="courtroom.metrics:grade",
            resources=("judge",),
            **_ITEMS,
        ),
        ItemMetricSpec(
            name="courtroom.Both",
            summary="Both grades by name",
            implementation="courtroom.metrics:both",
            resources=("courtroom.judge",),
            **_ITEMS,
        ),
        ItemMetricSpec(
            name="courtroom.Many",
            summary="A grade of each item, asked for in one call",
            implementation="courtroom.metrics:many",
            resources=("judge",),
            batched=True,
            **_ITEMS,
        ),
        ItemMetricSpec(
            name="courtroom.Odd",
            summary="Answers as the response says",
            implementation="courtroom.metrics:odd",
            **_ITEMS,
        ),
        ItemMetricSpec(
            name="courtroom.OddLater",
            summary="Answers as the response says, after a while",
            implementation="courtroom.metrics:odd_later",
            **_ITEMS,
        ),
        MetricSpec(
            name="courtroom.GradeByNoise",
            task="text",
            summary="Mean grade at each level of noise",
            implementation="courtroom.metrics:GradeByNoise",
            resources=("judge",),
            higher_is_better=None,
            range=Range(0, 1),
        ),
        *(
            MetricSpec(
                name=f"courtroom.{name}",
                task="text",
                summary=f"Breaks in {name}",
                implementation=f"courtroom.metrics:{name}",
                higher_is_better=None,
                range=Range(),
            )
            for name in ("BadConstructor", "BadNeeds", "BadUpdate", "Elsewhere", "Unpaid")
        ),
    )


@hookimpl
def valor_resources():
    return (
        ResourceSpec(
            name="courtroom.judge",
            summary="A judge behind a port",
            parameters="courtroom.parameters:Judge",
            implementation="courtroom.judge:Judge",
            identity=("model",),
            divided=("budget",),
            kinds="client",
        ),
    )


@hookimpl
def valor_resource_kinds():
    return (
        ResourceKindSpec(
            name="courtroom.lines",
            resource="courtroom.judge",
            summary="Lines of JSON over a socket",
            parameters="courtroom.parameters:Lines",
            implementation="courtroom.judge:Lines",
            identity=(),
        ),
    )
