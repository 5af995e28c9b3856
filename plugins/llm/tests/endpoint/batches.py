"""Batches: many requests at once, answered after a few looks, at OpenAI's and Anthropic's paths."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from endpoint.dialects import answered, refused
from endpoint.reply_faults import Said

Settings = Mapping[str, Any]
Entry = tuple[str, dict[str, Any]]
"""An id that the client chose, and a request."""


@dataclass
class Batch:
    """One batch.

    Parameters
    ----------
    dialect : str
        ``"openai"`` or ``"anthropic"``.
    entries : list of Entry
        What is asked.
    looks : int
        How often somebody has looked at it.
    """

    dialect: str
    entries: list[Entry]
    endpoint: str = ""
    looks: int = 0
    is_cancelled: bool = False


@dataclass
class Batches:
    """The batches of an endpoint, with their files.

    Parameters
    ----------
    settings : mapping
        ``batch_looks``: how often a batch is still in progress when it is looked at; ``batch_end``:
        what becomes of it as a whole.
    ask : callable
        The answer to an entry of a dialect, and the name of the batch fault that it meets.
    """

    settings: Settings
    ask: Callable[[str, dict[str, Any]], tuple[Said, str | None]]
    counters: dict[str, int]
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)

    def respond(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, bytes] | None:
        """Status and body for a path of batches, or None for any other."""
        place = path.partition("/v1/")[2]
        for pattern, work in _ROUTES.items():
            verb, _, form = pattern.partition(" ")
            if verb == method and (found := re.fullmatch(form, place)):
                try:
                    answer = work(self, headers, body, *found.groups())
                except KeyError as missing:
                    content = refused("openai", 404, f"no such object: {missing}")
                    return 404, json.dumps(content).encode()
                return 200, answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return None

    def _looked(self, name: str) -> Batch:
        batch = self.batches[name]
        batch.looks += 1
        self.counters["batch_looks"] += 1
        return batch

    def _is_ended(self, batch: Batch) -> bool:
        return batch.is_cancelled or batch.looks > self.settings["batch_looks"]

    def _new(self, prefix: str, batch: Batch) -> str:
        name = f"{prefix}_{len(self.batches) + 1}"
        self.batches[name] = batch
        self.counters["batches"] += 1
        self.counters["batch_requests"] += len(batch.entries)
        return name

    # ---- OpenAI

    def _upload(self, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        kind = headers["content-type"].encode()
        form = message_from_bytes(b"Content-Type: " + kind + b"\r\n\r\n" + body)
        parts = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in form.get_payload()
        }
        name = f"file-{len(self.files) + 1}"
        self.files[name] = parts["file"]
        size = len(parts["file"])
        return {"id": name, "object": "file", "bytes": size, "purpose": parts["purpose"].decode()}

    def _content(self, headers: Mapping[str, str], body: bytes, name: str) -> bytes:
        return self.files[name]

    def _create(self, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        content = json.loads(body)
        lines = self.files[content["input_file_id"]].decode().splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        entries = [(row["custom_id"], row["body"]) for row in rows]
        name = self._new("batch", Batch("openai", entries, content["endpoint"]))
        return self._openai(name)

    def _get(self, headers: Mapping[str, str], body: bytes, name: str) -> dict[str, Any]:
        self._looked(name)
        return self._openai(name)

    def _cancel(self, headers: Mapping[str, str], body: bytes, name: str) -> dict[str, Any]:
        self.batches[name].is_cancelled = True
        return self._openai(name)

    def _openai(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        answer: dict[str, Any] = {
            "id": name,
            "object": "batch",
            "endpoint": batch.endpoint,
            "status": "validating" if batch.looks == 0 else "in_progress",
            "output_file_id": None,
            "error_file_id": None,
            "errors": None,
            "request_counts": {"total": len(batch.entries), "completed": 0, "failed": 0},
        }
        if not self._is_ended(batch):
            return answer
        end = "cancelled" if batch.is_cancelled else self.settings["batch_end"]
        if end == "failed":
            error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached."}
            return answer | {"status": "failed", "errors": {"data": [error]}}
        good, bad = self._openai_lines(batch, end)
        answer["request_counts"] |= {"completed": len(good), "failed": len(bad)}
        for key, lines in (("output", good), ("error", bad)):
            if lines:
                self.files[f"file-{name}-{key}"] = b"\n".join(lines[::-1]) + b"\n"
                answer[f"{key}_file_id"] = f"file-{name}-{key}"
        return answer | {"status": end}

    def _openai_lines(self, batch: Batch, end: str) -> tuple[list[bytes], list[bytes]]:
        good, bad = [], []
        for number, (own, body) in enumerate(batch.entries):
            said, fault = self.ask("openai", body)
            if end != "completed" and number % 2:  # what was not reached in time
                fault = end
            line: dict[str, Any] = {"id": f"request_{number}", "custom_id": own, "error": None}
            if fault is None:
                answer = answered("openai", body, said)
                line["response"] = {"status_code": 200, "request_id": "r", "body": answer}
                good.append(json.dumps(line).encode())
                continue
            if fault == "errored":
                content = refused("openai", 400, "The request is malformed.")
                line["response"] = {"status_code": 400, "request_id": "r", "body": content}
            elif fault == "server_error":
                content = refused("openai", 500, "The server had an error.")
                line["response"] = {"status_code": 500, "request_id": "r", "body": content}
            else:
                line["response"] = None
                line["error"] = {"code": f"batch_{fault}", "message": f"The batch {fault}."}
            bad.append(json.dumps(line).encode())
        return good, bad

    # ---- Anthropic

    def _create_messages(self, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        entries = [(row["custom_id"], row["params"]) for row in json.loads(body)["requests"]]
        name = self._new("msgbatch", Batch("anthropic", entries))
        return self._anthropic(name, headers)

    def _get_messages(self, headers: Mapping[str, str], body: bytes, name: str) -> dict[str, Any]:
        self._looked(name)
        return self._anthropic(name, headers)

    def _cancel_messages(
        self, headers: Mapping[str, str], body: bytes, name: str
    ) -> dict[str, Any]:
        self.batches[name].is_cancelled = True
        return self._anthropic(name, headers)

    def _anthropic(self, name: str, headers: Mapping[str, str]) -> dict[str, Any]:
        batch = self.batches[name]
        is_ended = self._is_ended(batch)
        place = f"http://{headers['host']}/v1/messages/batches/{name}/results"
        kinds = ("succeeded", "errored", "canceled", "expired")
        counts = dict.fromkeys(kinds, 0) | {"processing": len(batch.entries)}
        if is_ended:
            results = [one["result"]["type"] for one in self._anthropic_lines(batch)]
            counts = {kind: results.count(kind) for kind in kinds} | {"processing": 0}
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if is_ended else "in_progress",
            "request_counts": counts,
            "results_url": place if is_ended else None,
        }

    def _results(self, headers: Mapping[str, str], body: bytes, name: str) -> bytes:
        lines = self._anthropic_lines(self.batches[name])
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines[::-1])

    def _anthropic_lines(self, batch: Batch) -> list[dict[str, Any]]:
        end = "canceled" if batch.is_cancelled else self.settings["batch_end"]
        lines = []
        for number, (own, body) in enumerate(batch.entries):
            said, fault = self.ask("anthropic", body)
            if end != "completed" and number % 2:
                fault = end
            result: dict[str, Any] = {"type": "succeeded"}
            if fault is None:
                result["message"] = answered("anthropic", body, said)
            elif fault in ("expired", "canceled"):
                result = {"type": fault}
            else:
                content = refused("anthropic", 400, "The request is malformed.")
                if fault == "server_error":
                    content = refused("anthropic", 500, "The server had an error.")
                result = {"type": "errored", "error": content}
            lines.append({"custom_id": own, "result": result})
        return lines


_ROUTES: Mapping[str, Callable[..., Any]] = {
    "POST files": Batches._upload,
    r"GET files/([\w-]+)/content": Batches._content,
    "POST batches": Batches._create,
    r"GET batches/([\w-]+)": Batches._get,
    r"POST batches/([\w-]+)/cancel": Batches._cancel,
    "POST messages/batches": Batches._create_messages,
    r"GET messages/batches/([\w-]+)": Batches._get_messages,
    r"POST messages/batches/([\w-]+)/cancel": Batches._cancel_messages,
    r"GET messages/batches/([\w-]+)/results": Batches._results,
}
