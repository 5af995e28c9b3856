"""Manifest of the text family."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.parameters import NoParameters
from valor_core.spec import MetricSpec, Range, Reference

SHARE = Range(0, 1)
LIN = Reference(
    "Lin, 'ROUGE: a package for automatic evaluation of summaries', ACL workshop Text "
    "Summarization Branches Out, 2004",
    "sections 2 and 3",
)
ROUGE_SCORE = Reference("rouge_score 0.1.2", url="https://pypi.org/project/rouge-score/")


def _of_items(
    name: str,
    implementation: str,
    summary: str,
    parameters: str | None,
    *,
    better: bool | None = True,
    range: Range = SHARE,
    references: tuple[Reference, ...],
    aliases: tuple[str, ...] = (),
    reads: tuple[str, ...] = ("response", "references"),
) -> MetricSpec:
    """A metric that scores the items of a batch in one call."""
    return MetricSpec(
        name=f"text.{name}",
        task="text",
        summary=summary,
        parameters=f"valor_text.parameters.{parameters}" if parameters else NoParameters,
        implementation=f"valor_text.metrics.{implementation}",
        higher_is_better=better,
        range=range,
        references=references,
        aliases=aliases,
        per_item=True,
        many=True,
        reads=reads,
    )


OVERLAP = (
    _of_items(
        "ROUGE",
        "overlap.rouge:score",
        "Words and subsequences that a response shares with its best reference",
        "overlap:ROUGEParameters",
        references=(LIN, ROUGE_SCORE),
    ),
)


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return OVERLAP


@hookimpl
def valor_kernels() -> str:
    """Where the compiled kernels are."""
    return "valor_text.kernels:KERNELS"
