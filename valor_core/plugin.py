"""Manifest of core: its four tasks and the local engine.

Until plugin api 1, this module also published core's API. Moved names raise an error with their new
module.
"""

from __future__ import annotations

from valor_core.specs.hooks import hookimpl
from valor_core.specs.spec import EngineSpec, TaskSpec

api = 3


@hookimpl
def valor_tasks() -> tuple[TaskSpec, ...]:
    """Declare the tasks of core."""
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
            implementation="valor_core.schemas.text.batch:TextBatch",
            item="valor_core.schemas.text.batch:Text",
            arrays="Make an item of each row with: Text(uid, query=…, response=…, references=…)",
            pairs="valor_core.schemas.text.pairs:text_pair",
        ),
    )


@hookimpl
def valor_engines() -> tuple[EngineSpec, ...]:
    """Declare the local engine."""
    return (
        EngineSpec(
            name="core.local",
            summary="This machine: serially, in threads or in processes",
            parameters="valor_core.evaluation.engines.local:LocalParameters",
            implementation="valor_core.evaluation.engines.local:LocalEngine",
        ),
    )


def __getattr__(name: str) -> object:
    """Raise an error with the new module of a name that this module had until api 1."""
    from valor_core.lazy import moved_error

    if not name.startswith("_") and (moved := moved_error(__name__, name)):
        raise moved
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
