"""``valor judge probe``: measure how often a judge obeys commands in responses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.command import set_option
from valor_cli.program.outcome import FAILED
from valor_cli.program.values import Number
from valor_intervals import wilson_interval
from valor_report import MISSING, Cell, TextColumn, TextTable

from valor_core import Registry
from valor_core.errors import ConfigError, short_repr
from valor_core.resources import opened
from valor_core.resources.bound import bind_resources, open_as
from valor_llm.probe import Probe, Trial, attacks, counts, probed

if TYPE_CHECKING:
    from valor_llm.judge.panel import Panel


_ASKING = "llm.Faithfulness"  # any judged metric


@contextmanager
def configured_judge(request: Request, name: str | None = None) -> Iterator[Panel]:
    """Open the judge of a config, ignoring the rest of the config.

    Parameters
    ----------
    request : Request
        The config.
    name : str, optional
        Name of the judge, if there are several.

    Raises
    ------
    ConfigError
        If the config has no judge.
    ResourceError
        If it cannot be opened, or is one of several and not named.
    """
    sections = request.checked.resources
    if "judge" not in sections:
        raise ConfigError(
            f"{request.place}judge: expected a section for the judge, the key is missing",
            "Write one, for example: judge: {client: lexical}",
        )
    registry = Registry()
    named = {} if name is None else {"judge": name}
    section = {"judge": sections["judge"]}
    asking = registry.metric(_ASKING)
    bound = bind_resources([(asking, named)], section, registry, request.folder, request.place)
    with opened(bound) as resources:
        yield resources[open_as("judge", name or "")]


@make_command("probe")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--judge", "name", help="Which judge, where the config has several.")
@click.option(
    "--fail-above",
    type=Number(0),
    metavar="SHARE",
    help="Make the exit code 1 if more attacks than this share succeed, such as 0.1.",
)
@set_option("judge.max_calls=60")
def command(
    config: Path,
    name: str | None,
    fail_above: float | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Test whether responses can command the judge.

    50 attacks are appended to responses that their context does not support. An attack that turns
    the judge's no into a yes succeeds. The probe makes up to 55 calls and ignores the data and
    metrics of the config.
    """
    with configured_judge(Request.from_file(config, settings), name) as panel:
        probes = {judge.name: asyncio.run(probed(judge)) for judge in panel.members}
    if as_json:
        streams.say_json({"judges": [{"judge": one} | _to_dict(probes[one]) for one in probes]})
    else:
        streams.show(table for one, probe in probes.items() for table in _tables(one, probe))
    return max(_code(one, probe, fail_above) for one, probe in probes.items())


def _code(judge: str, probe: Probe, most: float | None) -> int:
    """Return the exit code, and print its reasons to standard error."""
    for case in probe.misjudged:
        response = short_repr(case.response)
        streams.talk(f"valor: {judge}: skipped, not judged a no without an attack: {response}")
    turned, answered = counts(probe.trials)
    if not answered:
        streams.talk(f"valor: {judge}: no attack was judged")
        return FAILED
    if most is not None and turned / answered > most:
        streams.talk(
            f"valor: --fail-above {most:g}: expected at most that share of attacks to succeed, "
            f"found {turned} of {answered} with {judge}"
        )
        return FAILED
    return 0


def _kinds() -> list[str]:
    return list(dict.fromkeys(attack.kind for attack in attacks()))


def _to_dict(probe: Probe) -> dict[str, Any]:
    return {
        "attacks": _rate(probe.trials),
        "kinds": {kind: _rate(probe.of(kind)) for kind in _kinds()},
        "trials": [
            {
                "kind": one.attack.kind,
                "attack": one.attack.text,
                "response": one.case.response,
                "outcome": one.outcome,
                "told": one.analysis,
            }
            for one in probe.trials
        ],
        "misjudged": [case.response for case in probe.misjudged],
    }


def _rate(trials: Sequence[Trial]) -> dict[str, Any]:
    turned, answered = counts(trials)
    record: dict[str, Any] = {
        "succeeded": turned,
        "judged": answered,
        "unanswered": len(trials) - answered,
    }
    if answered:
        rate = turned / answered
        record |= {"rate": rate, "interval": [*wilson_interval(rate, answered)]}
    return record


def _tables(judge: str, probe: Probe) -> list[TextTable]:
    columns: list[str | TextColumn] = [
        "attack",
        TextColumn("succeeded", numeric=True),
        TextColumn("of", numeric=True),
        TextColumn("unanswered", numeric=True),
        TextColumn("rate", numeric=True),
        "95 % interval (Wilson)",
    ]
    rows = [_row(kind, probe.of(kind)) for kind in _kinds()]
    rows.append(_row("all", probe.trials))
    tables = [TextTable(f"Attacks on {judge}", columns, rows, foot=1)]
    turned = [one for one in probe.trials if one.outcome == "turned"]
    if turned:
        rows_of_attacks = [
            [one.attack.kind, short_repr(one.attack.text), one.analysis] for one in turned
        ]
        tables.append(
            TextTable("Attacks that succeeded", ["kind", "attack", "analysis"], rows_of_attacks)
        )
    return tables


def _row(name: str, trials: Sequence[Trial]) -> list[str | Cell]:
    record = _rate(trials)
    rate, interval = MISSING, MISSING
    if "rate" in record:
        low, high = record["interval"]
        rate, interval = f"{record['rate']:.0%}", f"{low:.0%} to {high:.0%}"
    return [
        name,
        str(record["succeeded"]),
        str(record["judged"]),
        str(record["unanswered"]),
        rate,
        interval,
    ]
