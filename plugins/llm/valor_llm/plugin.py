"""Manifest of the LLM-guided family."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.parameters import NoParameters
from valor_core.spec import (
    CommandSpec,
    MetricSpec,
    Range,
    Reference,
    ResourceKindSpec,
    ResourceSpec,
)

SHARE = Range(0, 1)
LITE = Reference("valor-lite, text generation metrics")


def _judged(
    name: str,
    module: str,
    summary: str,
    *,
    reads: tuple[str, ...],
    parameters: str | None = None,
    better: bool = True,
    range: Range = SHARE,
    references: tuple[Reference, ...] = (LITE,),
    aliases: tuple[str, ...] = (),
) -> MetricSpec:
    """A metric that asks the judge about one item at a time."""
    return MetricSpec(
        name=f"llm.{name}",
        task="text",
        summary=summary,
        parameters=NoParameters
        if parameters is None
        else f"valor_llm.parameters.metrics:{parameters}",
        implementation=f"valor_llm.metrics.{module}:score",
        higher_is_better=better,
        range=range,
        references=references,
        per_item=True,
        resources=("judge",),
        reads=reads,
        aliases=aliases,
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        _judged(
            "Faithfulness",
            "faithfulness",
            "Share of a response's claims that the contexts support",
            reads=("response",),
            parameters="FaithfulnessParameters",
        ),
    )


@hookimpl
def valor_resources() -> tuple[ResourceSpec, ...]:
    """Declare the judge."""
    return (
        ResourceSpec(
            name="llm.judge",
            summary="A language model that is asked step by step, with every reply checked",
            parameters="valor_llm.parameters.judge:JudgeParameters",
            implementation="valor_llm.judge.judge:Judge",
            identity=("temperature", "seed", "reply_tokens", "language", "prompts"),
            divided=("max_calls", "max_tokens", "max_cost"),
            kinds="client",
        ),
    )


@hookimpl
def valor_resource_kinds() -> tuple[ResourceKindSpec, ...]:
    """Declare the clients of the judge."""
    return (
        ResourceKindSpec(
            name="llm.lexical",
            resource="llm.judge",
            summary="Rules over shared words, for trying things out: no language model",
            parameters="valor_llm.parameters.clients:LexicalParameters",
            implementation="valor_llm.clients.lexical:Lexical",
        ),
    )


@hookimpl
def valor_commands() -> tuple[CommandSpec, ...]:
    """Declare the commands."""
    return (
        CommandSpec(
            name="llm.judge",
            summary="What a judge costs, and how far it can be trusted.",
            implementation="valor_llm.commands.judge:judge",
        ),
    )
