"""Reports in MLflow, Weights & Biases and TensorBoard."""

from __future__ import annotations

from typing import Any

from valor_report import scalars

from valor_core import Report
from valor_core.errors import ReportError, SchemaError, short_repr
from valor_core.packages import import_extra
from valor_hosts.reports import check_report


def log_to_mlflow(
    report: Report,
    prefix: str = "",
    *,
    step: int | None = None,
    run_id: str | None = None,
    artifact: str = "report",
) -> None:
    """Log a report to MLflow: its numbers as metrics, the page and the JSON as artifacts.

    Parameters
    ----------
    report : Report
        Report to log.
    prefix : str
        Prefix of the keys, such as ``"val/"``.
    step : int, optional
        Step of the numbers, such as the epoch.
    run_id : str, optional
        Run to log to. By default the active run, or a new one.
    artifact : str
        Name of the files, without suffix.
    """
    check_report(report, "log_to_mlflow")
    mlflow = import_extra("mlflow", "log_to_mlflow", "mlflow")
    mlflow.log_metrics(scalars(report, prefix), step=step, run_id=run_id)
    mlflow.log_text(report.to_html(), f"{artifact}.html", run_id=run_id)
    mlflow.log_text(report.to_json(), f"{artifact}.json", run_id=run_id)


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
    check_report(report, "log_to_tensorboard")
    if not hasattr(writer, "add_scalar"):
        raise SchemaError(
            f"log_to_tensorboard: expected a SummaryWriter, got {short_repr(writer)}",
            "Make one with: torch.utils.tensorboard.SummaryWriter(FOLDER)",
        )
    for key, number in scalars(report, prefix).items():
        writer.add_scalar(key, number, step)
    writer.add_text(f"{prefix}report", report.to_markdown(), step)


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
    check_report(report, "log_to_wandb")
    wandb = import_extra("wandb", "log_to_wandb", "wandb")
    run = wandb.run if run is None else run
    if run is None:
        raise ReportError("log_to_wandb: expected an active run, found none", "Call: wandb.init()")
    page = wandb.Html(report.to_html())
    run.log({**scalars(report, prefix), f"{prefix}report": page}, step=step)
