"""Manifest of core: its four tasks and the local engine."""

from __future__ import annotations

from valor_core.plugins.hooks import hookimpl
from valor_core.plugins.spec import EngineSpec, TaskSpec


@hookimpl
def valor_tasks() -> tuple[TaskSpec, ...]:
    """Declare the tasks that every family may serve."""
    return (
        TaskSpec(
            name="core.classification",
            summary="Labels of items, against labels or scores of labels",
            implementation="valor_core.schemas.classification:ClassificationBatch",
            item="valor_core.schemas.classification:Classification",
        ),
        TaskSpec(
            name="core.detection",
            summary="Objects in images, as boxes, outlines or masks",
            implementation="valor_core.schemas.detection:DetectionBatch",
            item="valor_core.schemas.detection:Detection",
        ),
        TaskSpec(
            name="core.segmentation",
            summary="The label of every pixel of images",
            implementation="valor_core.schemas.segmentation:SegmentationBatch",
            item="valor_core.schemas.segmentation:Segmentation",
        ),
        TaskSpec(
            name="core.text",
            summary="Responses to queries, with references and contexts",
            implementation="valor_core.schemas.text:TextBatch",
            item="valor_core.schemas.text:Text",
            arrays="Make an item of each row with: Text(uid, query=…, response=…, references=…)",
            pairs="valor_core.schemas.text_pairs:text_pair",
        ),
    )


@hookimpl
def valor_engines() -> tuple[EngineSpec, ...]:
    """Declare the engine of this machine."""
    return (
        EngineSpec(
            name="core.local",
            summary="This machine: serially, in threads or in processes",
            parameters="valor_core.evaluation.engines.local:LocalParameters",
            implementation="valor_core.evaluation.engines.local:LocalEngine",
        ),
    )
