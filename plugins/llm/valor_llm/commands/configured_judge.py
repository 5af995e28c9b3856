"""Configured judge: the one that a config has a section for, opened alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from valor_cli.config.config_file import Request

from valor_core import Registry
from valor_core.errors import ConfigError
from valor_core.resources import bind_resources, open_as, opened

if TYPE_CHECKING:
    from valor_llm.judge.panel import Panel

_ASKING = "llm.Faithfulness"  # any metric that asks for a judge


@contextmanager
def configured_judge(request: Request, name: str | None = None) -> Iterator[Panel]:
    """The judge of a config, closed when the block ends; nothing else of the config is looked at.

    Parameters
    ----------
    request : Request
        The config.
    name : str, optional
        Which of several judges.

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
    own = {"judge": sections["judge"]}
    asking = registry.metric(_ASKING)
    bound = bind_resources([(asking, named)], own, registry, request.folder, request.place)
    with opened(bound) as resources:
        yield resources[open_as("judge", name or "")]
