"""Recorded replies: the file of a run's replies, and the client that replays it.

A line is a JSON object with the step, the data of the question, and the reply. Other keys are
optional, also data that are not needed to distinguish two lines::

    {"step": "claims", "data": {"response": "It rains."}, "reply": {"claims": ["It rains."]}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, get_args

from attrs import asdict, field, fields, frozen

from valor_core.errors import ResourceError, short_repr
from valor_llm.clients.protocol import ClientError, Finish, Reply, Request, TokenChoice, Usage
from valor_llm.parameters.clients import RecordedParameters

NO_MODEL = "recorded"
"""Model of replies whose line does not name one."""


@frozen(kw_only=True)
class Line:
    """Recorded reply, with the question that it answers.

    Parameters
    ----------
    step : str
        The step's name.
    data : mapping of str to object
        Data of the question; the reply answers all questions with these values.
    settings : mapping of str to str
        Texts of the step's prompt, such as criteria; only the given ones are compared.
    repeat : int
        Repeat of the question, from 0.
    attempt : int
        Number of the reply to the question, from 1; later replies add missing parts.
    reply : Reply
        The reply.

    Examples
    --------
    >>> line = Line(step="claims", data={"response": "Hi"}, reply=Reply(text="{}", model="m"))
    >>> print(line.to_json())
    {"step": "claims", "data": {"response": "Hi"}, "reply": {}, "model": "m"}
    >>> Line.from_json(line.to_json()) == line
    True
    """

    step: str
    data: Mapping[str, Any] = field(factory=dict)
    settings: Mapping[str, str] = field(factory=dict)
    repeat: int = 0
    attempt: int = 1
    reply: Reply

    def to_json(self) -> str:
        """Return the line, without default values."""
        record: dict[str, Any] = {"step": self.step, "data": dict(self.data)}
        if self.settings:
            record["settings"] = dict(self.settings)
        if self.repeat:
            record["repeat"] = self.repeat
        if self.attempt != 1:
            record["attempt"] = self.attempt
        record["reply"] = _readable(self.reply.text)
        if self.reply.model != NO_MODEL:
            record["model"] = self.reply.model
        if self.reply.finish != "stop":
            record["finish"] = self.reply.finish
        if self.reply.usage != Usage():
            record["usage"] = {key: one for key, one in asdict(self.reply.usage).items() if one}
        if self.reply.tokens:
            record["tokens"] = [asdict(one) for one in self.reply.tokens]
        return json.dumps(record, ensure_ascii=not _is_text(record))

    @classmethod
    def from_json(cls, text: str) -> Line:
        """The reply of a line.

        Raises
        ------
        ValueError
            If the line is invalid.
        """
        try:
            record = json.loads(text)
        except ValueError as error:
            raise ValueError(f"expected an object in JSON, found {short_repr(text)}") from error
        if not isinstance(record, dict):
            raise ValueError(f"expected an object, found {short_repr(record)}")
        unknown = sorted(set(record) - set(_KEYS))
        if unknown:
            raise ValueError(
                f"expected the keys {', '.join(_KEYS)}, found {short_repr(unknown[0])}"
            )
        lacking = [key for key in ("step", "reply") if key not in record]
        if lacking:
            raise ValueError(f'expected a "{lacking[0]}", found none')
        for key, (kind, expected) in _KEYS.items():
            if key in record and (
                not isinstance(record[key], kind) or isinstance(record[key], bool)
            ):
                raise ValueError(f'"{key}": expected {expected}, found {short_repr(record[key])}')
        return cls(
            step=record["step"],
            data=record.get("data", {}),
            settings=record.get("settings", {}),
            repeat=record.get("repeat", 0),
            attempt=record.get("attempt", 1),
            reply=Reply(
                text=record["reply"]
                if isinstance(record["reply"], str)
                else _text(record["reply"]),
                model=record.get("model", NO_MODEL),
                finish=_finish(record.get("finish", "stop")),
                usage=_usage(record.get("usage", {})),
                tokens=tuple(map(_token, record.get("tokens", ()))),
            ),
        )


_KEYS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "step": (str, "the name of a step"),
    "data": (dict, "an object"),
    "settings": (dict, "an object"),
    "repeat": (int, "a whole number"),
    "attempt": (int, "a whole number"),
    "reply": ((str, dict, list), "an object, or the text of a reply"),
    "model": (str, "a name"),
    "finish": (str, "a word"),
    "usage": (dict, "an object"),
    "tokens": (list, "a list"),
}


class Recording:
    """File to which replies are added; existing lines are not repeated.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    ResourceError
        If the file contains anything but replies.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = {line.to_json() for _, line in lines(path)} if path.exists() else set()

    def add(self, lines: Iterable[Line]) -> None:
        """Append replies to the file.

        Raises
        ------
        ResourceError
            If they cannot be written.
        """
        new = [one for one in (line.to_json() for line in lines) if one not in self._known]
        if not new:
            return
        self._known.update(new)
        try:
            # Only the owner may read the file: it contains the judged texts.
            file = os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
            try:
                os.write(file, "".join(f"{one}\n" for one in new).encode())
            finally:
                os.close(file)
        except OSError as error:
            raise ResourceError(
                f"judge.record: {self.path}: cannot be written, {error.strerror}",
                "Name a file that may be written as judge.record.",
            ) from error


def lines(path: Path) -> Iterator[tuple[int, Line]]:
    """The replies of a file, each with the number of its line.

    Raises
    ------
    ResourceError
        If it cannot be read, or a line is no reply; with the number of the line.
    """
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResourceError(
            f"{path}: expected text in UTF-8, found byte {error.start:,} that is none",
            "Save it as UTF-8.",
        ) from error
    except OSError as error:
        raise ResourceError(
            f"{path}: expected a file of replies, {error.strerror}",
            "Name one as judge.client.file; a run with judge.record writes it.",
        ) from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, Line.from_json(line)
            except (ValueError, RecursionError) as error:
                raise ResourceError(
                    f"{path}:{number}: {str(error) or 'nested too deeply'}",
                    'Write it as: {"step": "claims", "data": {"response": "…"}, "reply": {…}}',
                ) from error


def _readable(text: str) -> Any:
    """Return the object of a reply in JSON, if it can be restored exactly; else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) and _text(value) == text else text


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_text(value: Any) -> bool:
    """Return whether a value can be written as UTF-8; lone surrogates cannot."""
    try:
        _text(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _finish(word: str) -> Finish:
    words: tuple[Finish, ...] = get_args(Finish)
    for one in words:
        if one == word:
            return one
    raise ValueError(f'"finish": expected one of {", ".join(words)}, found {short_repr(word)}')


def _usage(counts: Mapping[str, Any]) -> Usage:
    names = [one.name for one in fields(Usage)]
    for name, value in counts.items():
        if name not in names or not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(
                f'"usage": expected whole numbers of {", ".join(names)}, found {short_repr(name)}'
            )
    return Usage(**counts)


def _token(record: Any) -> TokenChoice:
    try:
        choices = {str(key): float(value) for key, value in record["choices"].items()}
        return TokenChoice(str(record["token"]), choices)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f'"tokens": expected a token and its choices, found {short_repr(record)}'
        ) from error


_Names = tuple[tuple[str, ...], tuple[str, ...]]
"""Names of the data and of the settings in a line."""


class Recorded:
    """Client that replays the replies of a file.

    Parameters
    ----------
    parameters : RecordedParameters
        The file.

    Raises
    ------
    ResourceError
        If the file cannot be read, or a line is none; with the number of the line.
    """

    is_remote: ClassVar[bool] = False

    def __init__(self, parameters: RecordedParameters) -> None:
        self.path = parameters.file
        # Each reply names the model that it came from.
        self.endpoint, self.model = f"recorded: {self.path.name}", NO_MODEL
        self._replies: dict[str, tuple[int, Reply]] = {}
        self._names: dict[str, dict[_Names, None]] = {}
        for number, line in lines(self.path):
            self._add(number, line)

    def complete(self, request: Request) -> Reply:
        """The reply of the file.

        If several lines match, the one with the most data and settings is used.
        """
        for names, setting_names in self._names.get(request.step, ()):
            if any(name not in request.data for name in names):
                continue
            data = {name: request.data[name] for name in names}
            settings = {name: request.settings.get(name) for name in setting_names}
            key = _key(request.step, data, settings, request.repeat, request.attempt)
            if key in self._replies:
                return self._replies[key][1]
        raise ClientError(self._none(request))

    def _add(self, number: int, line: Line) -> None:
        forms = self._names.setdefault(line.step, {})
        forms[tuple(sorted(line.data)), tuple(sorted(line.settings))] = None
        by_size = sorted(forms, key=lambda form: -len(form[0]) - len(form[1]))
        self._names[line.step] = dict.fromkeys(by_size)
        key = _key(line.step, line.data, line.settings, line.repeat, line.attempt)
        before, reply = self._replies.setdefault(key, (number, line.reply))
        if reply != line.reply:
            raise ResourceError(
                f"{self.path}:{number}: expected one reply to a question, "
                f"line {before} has another",
                'Remove one, or distinguish them by "data", "settings", "repeat" or "attempt".',
            )

    def _none(self, request: Request) -> str:
        about = ", ".join(f"{name} {short_repr(value)}" for name, value in request.data.items())
        message = f"{self.path.name}: no reply to {request.step} of {about}"
        if request.repeat:
            message += f", repeat {request.repeat}"
        if request.attempt != 1:
            message += f", attempt {request.attempt}"
        return message


def _key(
    step: str,
    data: Mapping[str, Any],
    settings: Mapping[str, Any],
    repeat: int,
    attempt: int,
) -> str:
    return json.dumps([step, data, settings, repeat, attempt], sort_keys=True)
