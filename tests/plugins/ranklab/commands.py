from __future__ import annotations

import click


@click.command("rank")
@click.argument("words", nargs=-1)
@click.option("--last", is_flag=True)
def rank(words: tuple[str, ...], last: bool) -> int:
    """Rank some words."""
    click.echo(" ".join(sorted(words, reverse=last)))
    return 1 if not words else 0


def count(arguments: list[str]) -> int:
    click.echo("counts words" if "--help" in arguments else len(arguments))
    return 0
