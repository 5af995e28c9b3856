"""Dialects: how requests and answers look to the endpoints that are imitated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from endpoint.answers import asked_of, grades_of, right_answer, schema_of
from endpoint.reply_faults import Said

Body = Mapping[str, Any]
_TOKEN = re.compile(r"\s*\w+|\s*[^\w\s]+|\s+")
_EXAMPLE = re.compile(r"^Reply\n(\{.*\})$", re.MULTILINE)  # as Valor's prompts have it
_PROBABLE = 0.8  # of the rating that is said; the other grades share the rest


def dialect_of(path: str) -> str | None:
    """The dialect that is spoken at a path."""
    ends = {"/chat/completions": "openai", "/messages": "anthropic", "/api/chat": "ollama"}
    return next((name for end, name in ends.items() if path.endswith(end)), None)


def prompts_of(body: Body) -> list[str]:
    """The texts of a request's messages."""
    system = [{"content": body["system"]}] if body.get("system") else []
    return [_text(one.get("content")) for one in [*system, *body["messages"]]]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", part.get("input", ""))) for part in content or ())


def asked_schema(dialect: str, body: Body) -> Mapping[str, Any] | None:
    """The JSON Schema that a request is sent with."""
    tools = body.get("tools") or ()
    if dialect == "openai":
        form = body.get("response_format") or {}
        own = form.get("json_schema", {}).get("schema")
        return tools[0]["function"]["parameters"] if tools else own
    if dialect == "anthropic":
        form = body.get("output_format") or (body.get("output_config") or {}).get("format") or {}
        return tools[0]["input_schema"] if tools else form.get("schema")
    form = body.get("format")
    return form if isinstance(form, Mapping) else None


def right(dialect: str, body: Body) -> Said:
    """The right answer to a request."""
    prompts = prompts_of(body)
    schema = asked_schema(dialect, body) or schema_of(prompts)
    model = body.get("model", "mock")
    if schema is None:
        return Said(None, "Hello.", {}, model)
    value = right_answer(schema, asked_of(prompts))
    if list(value) == ["rating"]:  # a prompt that wants a bare number
        return Said(value, str(value["rating"]), schema, model, is_bare=True)
    examples = _EXAMPLE.findall(prompts[0]) if prompts else []
    example = next((one for one in examples if one != json.dumps(value)), None)
    return Said(value, json.dumps(value), schema, model, example=example)


def answered(dialect: str, body: Body, said: Said) -> dict[str, Any]:
    """The body of an answer."""
    size = sum(map(len, prompts_of(body))) // 4
    return _ANSWERS[dialect](body, said, size, len(said.text or "") // 4)


_ANTHROPIC_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def refused(dialect: str, status: int, message: str) -> dict[str, Any]:
    """The body of an error."""
    if dialect == "anthropic":
        kind = _ANTHROPIC_KINDS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}
    if dialect == "ollama":
        return {"error": message}
    return {"error": {"message": message, "type": f"error_{status}", "code": None}}


def _openai(body: Body, said: Said, prompt: int, completion: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    tools, finish = body.get("tools"), said.finish
    if tools and said.text is not None:
        call = {"name": tools[0]["function"]["name"], "arguments": said.text}
        message["content"] = None
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    if body.get("logprobs") and said.text is not None:
        choice["logprobs"] = {"content": _tokens(said, body.get("top_logprobs") or 0)}
    answer: dict[str, Any] = {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 0,
        "model": said.model,
        "system_fingerprint": "fp_mock",
        "choices": [choice],
    }
    if said.has_usage:
        answer["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": 0},
        }
    return answer


def _tokens(said: Said, most: int) -> list[dict[str, Any]]:
    """The tokens of a reply; only a rating could have been another."""
    grades = [str(one) for one in grades_of(said.schema)]
    rating = str(said.value["rating"]) if grades and "rating" in (said.value or {}) else None
    pieces = _TOKEN.findall(said.text or "")
    last = max((n for n, piece in enumerate(pieces) if piece.strip() == rating), default=-1)
    rows = []
    for number, piece in enumerate(pieces):
        chances = {piece: 1.0}
        if number == last and rating is not None:
            left = (1 - _PROBABLE) / (len(grades) - 1)
            chances = {piece.replace(rating, one): left for one in grades}
            chances[piece] = _PROBABLE
        top = sorted(chances.items(), key=lambda one: -one[1])[:most]
        rows.append(_token(piece, chances[piece]) | {"top_logprobs": [_token(*one) for one in top]})
    return rows


def _token(piece: str, chance: float) -> dict[str, Any]:
    return {"token": piece, "logprob": math.log(chance), "bytes": list(piece.encode())}


def _anthropic(body: Body, said: Said, prompt: int, completion: int) -> dict[str, Any]:
    ends = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    finish = "refusal" if said.refusal else ends[said.finish]
    text = said.refusal if said.text is None else said.text
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    tools = body.get("tools")
    if tools and (given := _object(said.text)) is not None:
        blocks = [{"type": "tool_use", "id": "tu", "name": tools[0]["name"], "input": given}]
        finish = "tool_use" if finish == "end_turn" else finish
    answer: dict[str, Any] = {
        "id": "msg_mock",
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": blocks,
        "stop_reason": finish,
        "stop_sequence": None,
    }
    if said.has_usage:
        answer["usage"] = {"input_tokens": prompt, "output_tokens": completion}
    return answer


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _ollama(body: Body, said: Said, prompt: int, completion: int) -> dict[str, Any]:
    del body
    text = said.refusal if said.text is None else said.text
    answer: dict[str, Any] = {
        "model": said.model,
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text or ""},
        "done": True,
        "done_reason": "length" if said.finish == "length" else "stop",
    }
    if said.has_usage:
        answer |= {"prompt_eval_count": prompt, "eval_count": completion}
    return answer


_ANSWERS: Mapping[str, Callable[[Body, Said, int, int], dict[str, Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "ollama": _ollama,
}


# ---- requests that are not taken as they are

FIELDS: Mapping[str, Sequence[str]] = {
    "rejects_response_format": ("response_format", "format", "output_format", "output_config"),
    "rejects_temperature": ("temperature",),
    "rejects_seed": ("seed",),
    "rejects_max_tokens": ("max_tokens",),
    "rejects_logprobs": ("logprobs",),
}
"""Fields that an endpoint with a fault does not take."""


def rejection(fault: str, dialect: str, body: Body) -> str | None:
    """Return the message of a faulty endpoint that rejects a request, or None."""
    if fault == "rejects_json_schema":
        if (body.get("response_format") or {}).get("type") != "json_schema":
            return None
        return "Invalid value: 'json_schema'. response_format must be 'text' or 'json_object'."
    if fault == "rejects_list_lengths":
        system = "Invalid schema: 'minItems' is not permitted."
        return system if "minItems" in json.dumps(asked_schema(dialect, body)) else None
    options = body.get("options") or {}
    for field in FIELDS[fault]:
        if field == "max_tokens" and dialect == "anthropic":  # where it has to be sent
            continue
        if body.get(field) is not None or options.get(field) is not None:
            system = f"Unsupported parameter: '{field}' is not supported with this model."
            return system + (" Use 'max_completion_tokens'." if field == "max_tokens" else "")
    return None
