"""Reports in TensorBoard."""

from __future__ import annotations

from typing import Any

from valor_core import Report


def log_to_tensorboard(
    report: Report, writer: Any, prefix: str = "", *, step: int | None = None
) -> None:
    """Write the numbers of a report as scalars, and its tables as text.

    Parameters
    ----------
    report : Report
        Report to write.
    writer : SummaryWriter
        Writer of ``torch.utils.tensorboard`` or ``tensorboardX``.
    prefix : str
        Prefix of the tags, such as ``"val/"``.
    step : int, optional
        Step of the numbers, such as the epoch.
    """
    for key, number in report.flat(prefix, short=True).items():
        writer.add_scalar(key, number, step)
    writer.add_text(f"{prefix}report", report.to_markdown(), step)
