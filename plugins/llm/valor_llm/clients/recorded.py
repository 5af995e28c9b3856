"""Client that replays the replies of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from valor_core.errors import ResourceError, shown
from valor_llm.clients.protocol import ClientError, Reply, Request
from valor_llm.clients.recording import NO_MODEL, Line, lines
from valor_llm.parameters.clients import RecordedParameters

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
        self._replies: dict[str, tuple[int, Reply]] = {}
        self._names: dict[str, dict[_Names, None]] = {}
        for number, line in lines(self.path):
            self._add(number, line)

    @property
    def endpoint(self) -> str:
        """Name of the endpoint."""
        return f"recorded: {self.path.name}"

    @property
    def model(self) -> str:
        """Requested model; each reply names the model that it came from."""
        return NO_MODEL

    def complete(self, request: Request) -> Reply:
        """The reply of the file.

        If several lines match, the one with the most data and settings is used.
        """
        for names, others in self._names.get(request.step, ()):
            if any(name not in request.data for name in names):
                continue
            data = {name: request.data[name] for name in names}
            settings = {name: request.settings.get(name) for name in others}
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
        about = ", ".join(f"{name} {shown(value)}" for name, value in request.data.items())
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
