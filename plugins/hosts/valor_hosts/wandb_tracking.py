"""Reports in Weights & Biases."""

from __future__ import annotations

from typing import Any

from valor_core import Report
from valor_core.errors import ReportError
from valor_core.packages import import_extra


def log_to_wandb(
    report: Report, prefix: str = "", *, run: Any = None, step: int | None = None
) -> None:
    """Log a report to Weights & Biases: its numbers, and the page as ``report``.

    Parameters
    ----------
    report : Report
        Report to log.
    prefix : str
        Prefix of the keys, such as ``"val/"``.
    run : wandb.Run, optional
        Run to log to. By default the active run.
    step : int, optional
        Step of the numbers, such as the epoch.

    Raises
    ------
    ReportError
        If there is no run.
    """
    wandb = import_extra("wandb", "log_to_wandb", "wandb")
    run = wandb.run if run is None else run
    if run is None:
        raise ReportError("log_to_wandb: expected an active run, found none", "Call: wandb.init()")
    page = wandb.Html(report.to_html())
    run.log({**report.flat(prefix, short=True), f"{prefix}report": page}, step=step)
