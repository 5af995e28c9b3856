"""Manifest of core: its four tasks and the local engine.

Until plugin api 1, this module also published core's API. Moved names raise an error with their new
module.
"""

from __future__ import annotations

from importlib import import_module

from valor_core.errors import RegistryError
from valor_core.specs.hooks import hookimpl
from valor_core.specs.spec import EngineSpec, TaskSpec

api = 2


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


_FACES = (
    *("errors", "packages", "parameters", "specs", "schemas", "schemas.segmentation"),
    *(
        "states",
        "results",
        "readers",
        "resources",
        "scoring",
        "evaluation",
        "evaluation.engines",
        "kernels",
    ),
)
_TABLES = ("valor_files", "valor_report")
_RENAMED = {
    "BY_THE_USER": "STOPPED_BY_USER",
    "Deferred": "LazyValue",
    "GUARD": "MAIN_GUARD_HINT",
    "Gap": "NoScore",
    "GivenKind": "ProvidedClient",
    "KnownAs": "ParameterAlias",
    "Recognized": "Detected",
    "Tally": "EvaluationState",
    "Told": "MetricDetails",
    "Work": "PartitionTask",
    "added_up": "sum_usage",
    "by_reference": "import_object",
    "carried": "run_on_loop",
    "check_guarded": "check_main_guard",
    "found_at": "error_at",
    "label_coordinates": "label_parameters",
    "nondefault": "changed_parameters",
    "uninterrupted": "defer_signals",
}
"""Renamed names of api 1."""


def __getattr__(name: str) -> object:
    """Raise an error with the new module of a name that this module had until api 1."""
    new = _RENAMED.get(name, name)
    for face in (*(f"valor_core.{one}" for one in _FACES), *_TABLES):
        try:
            module = import_module(face)
        except ImportError:
            continue
        if not name.startswith("_") and new in getattr(module, "__all__", vars(module)):
            now = face if new == name else f"{face}, called {new}"
            raise RegistryError(
                f"valor_core.plugin.{name}: moved to {now}", f"Write: from {face} import {new}"
            )
    raise AttributeError(f"module 'valor_core.plugin' has no attribute {name!r}")
