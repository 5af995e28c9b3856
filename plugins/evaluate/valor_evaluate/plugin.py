"""Manifest of the namespace `hf`: modules of `evaluate` as metrics."""

from __future__ import annotations

from valor_core.specs import MetricSpec, Range, Reference, hookimpl


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        MetricSpec(
            name="hf.Module",
            task="text",
            other_tasks=("classification",),
            summary="A module of Hugging Face evaluate, from a folder, the cache or the hub",
            parameters="valor_evaluate.parameters:ModuleParameters",
            implementation="valor_evaluate.modules.module_metric:ModuleMetric",
            higher_is_better=None,
            range=Range(),
            name_parameter="module",
            references=(
                Reference(
                    "Hugging Face evaluate 0.4.6",
                    "EvaluationModule",
                    "https://github.com/huggingface/evaluate",
                ),
            ),
        ),
    )
