"""Command group: ``valor judge``."""

from __future__ import annotations

import click

from valor_llm.commands import calibrate, plan, probe


@click.group("judge")
def judge() -> None:
    """What a judge costs, and how far it can be trusted."""


judge.add_command(calibrate.command)
judge.add_command(plan.command)
judge.add_command(probe.command)
