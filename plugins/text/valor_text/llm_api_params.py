"""The documented parameters of a model that is asked, as the section of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core import Registry
from valor_core.errors import ParameterError, shown
from valor_core.parameters import declared
from valor_core.specs import ResourceSpec

PLACE = "llm_api_params"

_ENDPOINTS = {"mistral": "https://api.mistral.ai/v1", "openai": "https://api.openai.com/v1"}
"""Where the clients of 2024 were at home; nobody is asked there unless the caller says so."""

_RENAMED = {"retries": "reply_retries"}


def judge_section(given: Any, registry: Registry) -> dict[str, Any]:
    """The parameters with those under ``data`` beside them, and those of the client with it.

    Parameters
    ----------
    given : mapping
        ``{"client": "openai", "data": {"model": …, "seed": …}}``, as documented in 2024, or a
        judge's section of a config.
    registry : Registry
        Where the judge and its clients are declared.

    Raises
    ------
    ParameterError
        If a key is given, or no address; with what to write instead.
    """
    params = table(given, PLACE)
    values = {name: value for name, value in params.items() if name != "data"}
    values |= table(params.get("data"), f"{PLACE}.data")
    spec = registry.find(ResourceSpec, "judge", "llm")
    client = values.get("client")
    if spec.kinds is None or not isinstance(client, str):
        return values
    if "api_key" in values:
        raise ParameterError(
            f"{PLACE}.api_key: expected no key in a call, where reports could show it",
            f"Put it in the environment, and write: 'api_key_env': '{client.upper()}_API_KEY'",
        )
    address = values.pop("api_url", None)
    if address is not None:
        values.setdefault("base_url", address)
    if client in _ENDPOINTS and values.get("base_url") is None:
        raise ParameterError(
            f"{PLACE}: expected the address of an endpoint for {client}, got none",
            f"Write it as: {{'client': 'openai', 'data': {{'base_url': '{_ENDPOINTS[client]}', "
            f"'model': …, 'api_key_env': '{client.upper()}_API_KEY'}}}}",
        )
    # Mistral's endpoint speaks as OpenAI's does.
    client = "openai" if client == "mistral" else client
    kind = registry.resource_kind(client, spec)
    own = [one.name for one in declared(kind.parameter_class)]
    rest = {name: value for name, value in values.items() if name not in (*own, "client")}
    asked = {name: values[name] for name in own if name in values}
    return {_RENAMED.get(name, name): value for name, value in rest.items()} | {
        spec.kinds: {"name": kind.name, **asked}
    }


def table(values: Any, place: str) -> Mapping[str, Any]:
    """A mapping with texts for keys; empty for None.

    Raises
    ------
    ParameterError
        If it is something else.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ParameterError(f"{place}: expected a table of parameters, got {shown(values)}")
    for name in values:
        if not isinstance(name, str):
            raise ParameterError(f"{place}: expected names of parameters, got {shown(name)}")
    return values
