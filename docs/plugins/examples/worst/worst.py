"""Worst: a command that prints the items of a report with the lowest scores."""

from pathlib import Path

import click

from valor_core import Report
from valor_core.specs import CommandSpec, hookimpl


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--metric", help="Full name of the metric; the first one by default.")
@click.option("-n", default=3, help="Number of items.", show_default=True)
def command(report: Path, metric: str | None, n: int) -> None:
    """Print the items of REPORT with the lowest scores."""
    for table in Report.load(report).items:
        if metric is None or table.metric.startswith(f"{metric}@"):
            scores = [(row.value, row.uid) for row in table.rows if isinstance(row.value, float)]
            for value, uid in sorted(scores)[:n]:
                click.echo(f"{value:.4f}  {uid}")
            return
    raise click.ClickException(f"worst: {report} has no items; run it with --items")


@hookimpl
def valor_commands() -> list[CommandSpec]:
    """Declare the command."""
    return [
        CommandSpec(
            name="worst.worst",
            summary="Print the items with the lowest scores.",
            implementation="worst:command",
        )
    ]
