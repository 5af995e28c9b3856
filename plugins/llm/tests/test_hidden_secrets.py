"""Secrets in answers of an endpoint are hidden, and ordinary texts are unchanged."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from cases import for_each
from mock_endpoint import MockEndpoint
from valor_llm.clients.endpoint import Endpoint
from valor_llm.clients.http.secrets import hidden
from valor_llm.clients.openai import openai_endpoint
from valor_llm.parameters.clients import OpenAIParameters

from valor_core import evaluate
from valor_core.parameters import FromEnvironment
from valor_core.schemas.text import Text

KEY = "sk-live/9f8E7d6C5b4A<3210>&zyxWVUT987654"


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


@for_each(
    "form",
    [
        KEY,
        KEY.upper(),
        json.dumps(KEY),
        json.dumps(json.dumps(KEY)),
        escaped(KEY),
        escaped(KEY[:3]) + KEY[3:],
        escaped(KEY).replace("\\", "\\\\"),
        quote(KEY, safe=""),
        html.escape(KEY),
        "".join(f"&#{ord(one)};" for one in KEY),
        KEY.encode().hex(),
        KEY[:24],
        f"{KEY[:16]}…",
        f"…{KEY[-12:]}",
        *(base64.b64encode(b"x" * n + KEY.encode()).decode() for n in range(4)),
        base64.b64encode(f"me:{KEY}".encode()).decode(),
        base64.urlsafe_b64encode(KEY.encode()).decode(),
    ],
)
def test_secret_is_hidden_in_every_spelling(form: str) -> None:
    shown = hidden(f"wrong: {form} was sent.", [KEY])
    assert shown.startswith("wrong: ")
    assert shown.endswith(" was sent.")
    assert KEY[:12] not in shown
    assert KEY[-12:] not in shown
    assert "[key]" in shown


@pytest.mark.parametrize("secret", ["x", "none", "EMPTY", "sk-1234", KEY])
def test_ordinary_text_is_not_changed(secret: str) -> None:
    text = "An example sk-live is none; EMPTY cells and x stay, as does c2stbGl2ZQ==."
    assert hidden(text, [secret]) == text


def test_json_stays_json_where_a_secret_ends_a_text() -> None:
    reply = json.dumps({"claims": [f'He said "{KEY}".', KEY]})
    assert json.loads(hidden(reply, [KEY])) == {"claims": ['He said "[key]".', "[key]"]}


@pytest.mark.parametrize("variable", ["${env:EXAM}", "${env:EXAM:-none}"])
def test_value_of_a_variable_in_headers_and_address_is_in_no_report(
    endpoint: MockEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    secret = "t0psecret-abcdefgh"
    monkeypatch.setenv("EXAM", secret)
    endpoint.configure(script=[{"status": 400, "body": {"error": f"no: {secret}"}}])
    judge = {
        "client": {
            "name": "openai",
            "base_url": endpoint.base_url + f"?key={variable}",
            "model": variable,
            "headers": {"x-gateway": variable},
        },
        "cache_file": str(tmp_path / "cache.sqlite"),
    }
    from valor_core.parameters.environment import fill_in

    report = evaluate(
        [Text("a", "q", "It rains.", contexts=["It rains."])],
        ["llm.Faithfulness"],
        items=True,
        resources={"judge": fill_in(judge)},
    )
    assert secret not in report.to_json()
    assert variable in report.to_json()


def client(**headers: str) -> Endpoint:
    return openai_endpoint(OpenAIParameters(base_url="http://h/v1", model="m", headers=headers))


@pytest.mark.parametrize(
    "name",
    ["x-portkey-provider", "x-portkey-virtual-key", "x-author-model", "x-token-limit", "x-route"],
)
def test_header_that_can_choose_a_model_is_part_of_the_identity(name: str) -> None:
    one, other = client(**{name: "a"}), client(**{name: "b"})
    assert one.identity() != other.identity()
    assert one.parameters.routing != other.parameters.routing


@pytest.mark.parametrize("name", ["authorization", "X-Api-Key", "api-key", "cookie"])
def test_another_key_asks_for_nothing_again(name: str) -> None:
    one, other = client(**{name: "a"}), client(**{name: "b"})
    assert one.identity() == other.identity()
    assert one.parameters.routing == other.parameters.routing == ""


def test_credential_of_a_variable_is_no_part_of_the_identity() -> None:
    one, other = (
        client(**{"x-my-token": FromEnvironment(value, "${env:T}")}) for value in ("a" * 9, "b" * 9)
    )
    assert one.identity() == other.identity()
