"""Counts of several processes of torch, and a callback of Lightning."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from valor_report import scalars

from valor_core import Evaluator, Report
from valor_core.evaluation import MetricChoice
from valor_core.packages import import_extra


def gather(content: bytes) -> list[bytes]:
    """Send bytes to all processes of torch.distributed, and return those of all.

    Without distributed training, there is one process. Use it as ``evaluator.sync(gather)``.

    Examples
    --------
    >>> gather(b"counts")
    [b'counts']
    """
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return [content]
    found: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(found, content)
    return found


def lightning_callback(
    metrics: Sequence[MetricChoice] | MetricChoice,
    *,
    prefixes: Mapping[str, str] | None = None,
    update: Callable[[Evaluator, Any, Any], None] | None = None,
    **options: Any,
) -> Any:
    """Return a callback of Lightning that evaluates and logs at the end of each epoch.

    Parameters
    ----------
    metrics : sequence
        Metrics, as for `Evaluator`.
    prefixes : mapping of str to str, optional
        Prefix of the logged keys for each stage. By default ``{"validate": "val/", "test":
        "test/"}``.
    update : callable, optional
        Function of the evaluator, the outputs of the step and the batch that counts the batch. By
        default, ``validation_step`` returns a dictionary with ``groundtruths`` and ``predictions``.
    **options
        Further arguments of `Evaluator`, such as ``task`` and ``slices``.

    Raises
    ------
    MissingExtraError
        If Lightning is not installed.
    """
    callbacks = import_extra("lightning.pytorch.callbacks", "lightning_callback", "lightning")
    name = EpochReports.__name__
    cls = type(name, (EpochReports, callbacks.Callback), {"__module__": EpochReports.__module__})
    return cls(metrics, prefixes, update, options)


class EpochReports:
    """Hooks of the callback that `lightning_callback` returns.

    Attributes
    ----------
    reports : dict of str to Report
        Last report of each stage.
    """

    def __init__(self, metrics: Any, prefixes: Any, update: Any, options: Any) -> None:
        self.arguments = (metrics, prefixes, update, options)
        self.prefixes = {"validate": "val/", "test": "test/"} if prefixes is None else prefixes
        self.count = _count if update is None else update
        self.evaluators = {stage: Evaluator(metrics, **options) for stage in self.prefixes}
        self.reports: dict[str, Report] = {}

    def __reduce__(self) -> Any:
        metrics, prefixes, update, options = self.arguments
        return _remake, (metrics, prefixes, update, options)

    def _start(self, stage: str) -> None:
        if stage in self.evaluators:
            self.evaluators[stage].reset()

    def _update(self, stage: str, outputs: Any, batch: Any) -> None:
        if stage in self.evaluators:
            self.count(self.evaluators[stage], outputs, batch)

    def _end(self, stage: str, trainer: Any, module: Any) -> None:
        if stage not in self.evaluators or trainer.sanity_checking:
            return
        report = self.reports[stage] = self.evaluators[stage].sync(gather).compute()
        module.log_dict(scalars(report, self.prefixes[stage]))

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Discard the counts of the last epoch."""
        self._start("validate")

    def on_validation_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Count a batch."""
        self._update("validate", outputs, batch)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Log the numbers of all processes."""
        self._end("validate", trainer, pl_module)

    def on_test_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Discard the counts of an earlier test."""
        self._start("test")

    def on_test_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Count a batch."""
        self._update("test", outputs, batch)

    def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Log the numbers of all processes."""
        self._end("test", trainer, pl_module)


def _remake(metrics: Any, prefixes: Any, update: Any, options: Any) -> Any:
    return lightning_callback(metrics, prefixes=prefixes, update=update, **options)


def _count(evaluator: Evaluator, outputs: Any, batch: Any) -> None:
    evaluator.update(outputs["groundtruths"], outputs["predictions"])
