from __future__ import annotations

from lab.parameters import LongShareParameters, LongSharesParameters, PartsParameters
from valor_core.specs import MetricSpec, Range, ReaderSpec, hookimpl


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    return (
        MetricSpec(
            name="lab.LongShare",
            task="text",
            summary="Share of responses of a least length",
            parameters=LongShareParameters,
            implementation="lab.metrics:LongShare",
            higher_is_better=True,
            range=Range(0, 1),
            aliases=("share_of_long",),
            version=2,
        ),
        MetricSpec(
            name="lab.LongShares",
            task="text",
            summary="Shares of responses of several least lengths",
            parameters=LongSharesParameters,
            implementation="lab.metrics:LongShares",
            higher_is_better=None,
            range=Range(0, 1),
        ),
        *(
            MetricSpec(
                name=f"lab.{name}",
                task=task,
                summary=summary,
                implementation=f"lab.metrics:{name}",
                higher_is_better=None,
                range=Range(),
            )
            for name, task, summary in (
                ("Crash", "text", "Raises in compute"),
                ("Odd", "text", "Answers with something that is no result"),
                ("Refusing", "text", "Has a state that refuses the response 'no'"),
                ("Stuck", "text", "Has a state that does not pickle"),
                ("TruthCount", "classification", "Ground truths of every label"),
            )
        ),
    )


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    return (
        ReaderSpec(
            name="lab.Parts",
            task="text",
            summary="Partitions of text items in a JSON file",
            parameters=PartsParameters,
            implementation="lab.reader:Parts",
        ),
    )
