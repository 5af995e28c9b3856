"""What core itself declares: its tasks, the local engine, and the reader of plain tables."""

from __future__ import annotations

from valor_core.plugins.hooks import hookimpl
from valor_core.plugins.spec import EngineSpec, ReaderSpec, TaskSpec


@hookimpl
def valor_tasks() -> tuple[TaskSpec, ...]:
    """Declare the tasks that every family may serve."""
    return (
        TaskSpec(
            name="core.classification",
            summary="Labels of items, against labels or scores of labels",
            implementation="valor_core.schemas.classification:ClassificationBatch",
            item="valor_core.schemas.classification:Classification",
            arrays="Make a batch of arrays with: ClassificationBatch.from_arrays",
        ),
        TaskSpec(
            name="core.detection",
            summary="Objects in images, as boxes, outlines or masks",
            implementation="valor_core.schemas.detection:DetectionBatch",
            item="valor_core.schemas.detection:Detection",
            arrays="Make a batch of arrays with: valor_detection.arrays.from_arrays "
            "(box_format=…, names=…, iou_type=…), from_supervision or from_torchvision. A table "
            "with a row for each box is read from a file, by the reader: table",
        ),
        TaskSpec(
            name="core.segmentation",
            summary="The label of every pixel of images",
            implementation="valor_core.schemas.segmentation:SegmentationBatch",
            item="valor_core.schemas.segmentation:Segmentation",
            arrays="Make a batch of arrays with: SegmentationBatch.from_arrays",
        ),
        TaskSpec(
            name="core.text",
            summary="Responses to queries, with references and contexts",
            implementation="valor_core.schemas.text:TextBatch",
            item="valor_core.schemas.text:Text",
            arrays="Make an item of each row with: Text(uid, query=…, response=…, references=…)",
            rows="valor_core.readers.text_rows:text_batch",
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


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the reader of plain tables."""
    return (
        ReaderSpec(
            name="core.table",
            task=None,
            summary="One row for each item, in CSV, JSON Lines, JSON or Parquet",
            parameters="valor_core.readers.text_rows:TableParameters",
            implementation="valor_core.readers.text_rows:TableReader",
            aliases=("csv", "jsonl", "parquet"),
            recognizes="valor_core.readers.text_columns:recognized",
            pairs="valor_core.readers.text_rows:two_sides",
        ),
    )
