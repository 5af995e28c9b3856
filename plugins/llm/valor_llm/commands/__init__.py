"""Command group ``valor judge``: the cost of a judge, and how far it can be trusted."""

from __future__ import annotations

import click

from valor_llm.commands import calibrate, plan, probe


@click.group("judge")
def judge() -> None:
    """Cost and reliability of a judge."""


judge.add_command(calibrate.command)
judge.add_command(plan.command)
judge.add_command(probe.command)
