from __future__ import annotations

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    CommandSpec,
    MetricSpec,
    Range,
    ResourceKindSpec,
    ResourceSpec,
    TaskSpec,
    hookimpl,
)


@hookimpl
def valor_tasks() -> tuple[TaskSpec, ...]:
    return (
        TaskSpec(
            name="ranklab.retrieval",
            summary="Documents found for a query, in order",
            implementation="ranklab.rankings:RankingBatch",
            item="ranklab.rankings:Ranking",
            rows="ranklab.rankings:from_table",
            examples="ranklab.rankings:examples",
        ),
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    return (
        ItemMetricSpec(
            name="ranklab.HitRate",
            task="retrieval",
            summary="Share of queries for which a wanted document is among the first",
            parameters="ranklab.parameters:HitRateParameters",
            implementation="ranklab.hit_rate:score",
            higher_is_better=True,
            range=Range(0, 1),
        ),
    )


@hookimpl
def valor_resources() -> tuple[ResourceSpec, ...]:
    return (
        ResourceSpec(
            name="ranklab.judge",
            summary="Says whether a document answers a query",
            parameters="ranklab.parameters:JudgeParameters",
            implementation="ranklab.judge:Judge",
            identity=("model",),
            divided=("budget",),
            free=True,
            kinds="client",
        ),
    )


@hookimpl
def valor_resource_kinds() -> tuple[ResourceKindSpec, ...]:
    return (
        ResourceKindSpec(
            name="ranklab.echo",
            resource="ranklab.judge",
            summary="Answers with the question",
            implementation="ranklab.judge:Echo",
        ),
    )


@hookimpl
def valor_commands() -> tuple[CommandSpec, ...]:
    return (
        CommandSpec(
            name="ranklab.rank",
            summary="Rank some words.",
            implementation="ranklab.commands:rank",
        ),
        CommandSpec(
            name="ranklab.count_words",
            summary="Count words.",
            implementation="ranklab.commands:count",
        ),
    )
