"""Command group: ``valor judge``."""

from __future__ import annotations

import click


@click.group("judge")
def judge() -> None:
    """What a judge costs, and how far it can be trusted."""
