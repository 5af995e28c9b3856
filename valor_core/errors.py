"""Errors: each says the place, what was expected and what was found, and the remedy.

The first line of a message reads ``place: expectation, finding``; a second line, where there is
one, is the remedy: a command to run or a key to change. Programs that need more than the text
find the remedy in `ValorError.remedy` and the cause in ``__cause__``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path


class ValorError(Exception):
    """Anything Valor refuses, with a message meant for the person who asked.

    Parameters
    ----------
    message : str
        ``place: expectation, finding``, lower case after the colon, no full stop.
    remedy : str, optional
        What to do about it, as a command or a key; becomes the second line.

    Examples
    --------
    >>> print(ValorError("data: expected a list, got 3", remedy="Pass a list of items."))
    data: expected a list, got 3
    Pass a list of items.
    """

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.message = _cut(printable(message))
        self.remedy = None if remedy is None else printable_lines(remedy)

    def __str__(self) -> str:
        return self.message if self.remedy is None else f"{self.message}\n{self.remedy}"

    def at(self, place: str) -> ValorError:
        """The same error found at `place`, which ends in ``": "``.

        Examples
        --------
        >>> print(ConfigError("task: expected a task").at("c.yaml: "))
        c.yaml: task: expected a task
        """
        return type(self)(f"{place}{self.message}", self.remedy)

    @property
    def one_line(self) -> str:
        """Message and remedy on one line, for a place in a report.

        Examples
        --------
        >>> ConfigError("slices: no field 'a'", "Did you mean 'b'?").one_line
        "slices: no field 'a'; did you mean 'b'?"
        """
        if self.remedy is None:
            return self.message
        remedy = self.remedy.replace("\n", "; ")
        return f"{self.message}; {remedy[:1].lower()}{remedy[1:]}"


class error_at:  # noqa: N801 - reads as what it is: a block found at a place
    """A block whose errors were found at a place, such as ``"c.yaml: metrics[0]: "``.

    Examples
    --------
    >>> with error_at("c.yaml: "):
    ...     raise ConfigError("task: expected a task")
    Traceback (most recent call last):
        ...
    valor_core.errors.ConfigError: c.yaml: task: expected a task
    """

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self.place and isinstance(error, ValorError):
            raise error.at(self.place) from error.__cause__


class SchemaError(ValorError):
    """Data handed to Valor do not have the shape, type or content their schema asks for."""


class ReadError(ValorError):
    """A file cannot be read as what the config says it is; names file, row and field."""


class ParameterError(ValorError):
    """A parameter has an unknown name, a wrong type or a value out of range.

    Attributes
    ----------
    sentence : str
        The message without its place, so that whoever knows more can put a better one before it.
    """

    def __init__(self, sentence: str, remedy: str | None = None, place: str = "") -> None:
        super().__init__(f"{place}{sentence}", remedy)
        self.sentence = _cut(printable(sentence))
        self._place = place

    def at(self, place: str) -> ParameterError:
        """The same error found at `place`, which ends in ``": "`` or ``"."``."""
        return ParameterError(self.sentence, self.remedy, place)

    def __reduce__(self) -> tuple[object, ...]:
        return ParameterError, (self.sentence, self.remedy, self._place)


class ConfigError(ValorError):
    """A config file or dictionary does not follow the config schema."""


class ExpressionError(ValorError):
    """A filter expression cannot be parsed or applied."""


class RegistryError(ValorError):
    """A name or a plugin cannot be used."""


class UnknownNameError(RegistryError, LookupError):
    """No installed plugin declares the name."""


class AmbiguousNameError(RegistryError, LookupError):
    """A bare name is declared in several namespaces; it has to be qualified."""


class MissingPluginError(UnknownNameError):
    """The namespace belongs to a known plugin that is not installed."""


class MissingExtraError(RegistryError):
    """A metric's code needs a package that is not installed."""


class BrokenPluginError(RegistryError):
    """A plugin's manifest or implementation cannot be imported; the cause is chained."""


class PluginConflictError(RegistryError):
    """Two distributions claim one namespace."""


class ManifestError(RegistryError):
    """A plugin's manifest declares something it may not."""


class VersionPinError(RegistryError):
    """A config pins a metric to another version than the installed one."""


class StateError(ValorError):
    """States cannot be merged or loaded: they were not made by the same request."""


class ForeignStateError(StateError):
    """A state was made by another request."""


class EngineError(ValorError):
    """Work could not be carried out where it was sent."""


class PartitionError(EngineError):
    """A worker failed on one partition; the message names it and the cause is chained."""


class RunInterrupted(EngineError):
    """The run was stopped by the user; the message says how much was finished.

    Attributes
    ----------
    report : Report or None
        The report of what was finished, marked stopped.
    """

    report: object = None


class ResourceError(ValorError):
    """A resource that a metric needs is not configured or cannot be opened."""


class ResourceStopped(ResourceError):
    """A resource answers no more, such as a judge whose budget is spent; the item is not run."""


class ReportError(ValorError):
    """A report cannot be read, compared or searched as asked."""


class ValorWarning(UserWarning):
    """Something worth knowing that does not stop a run; it also stands in the report."""


_LONGEST = 1000
"""Characters of a message: none is as long as the cell of a file that it is about."""


def _cut(text: str) -> str:
    # the beginning has the place, the end has the finding
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 4 :]}"


def printable(text: str) -> str:
    r"""The text in one line, with control characters spelt out.

    Labels, paths and keys come from data, and a terminal obeys what it is sent.

    Examples
    --------
    >>> printable("a\nb\x1b[31m")
    'a b\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(
        " " if c.isspace() else c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text
    )


def printable_lines(text: str) -> str:
    r"""The text with control characters spelt out, in its own lines.

    Examples
    --------
    >>> printable_lines("a\nb\x1b[31m")
    'a\nb\\x1b[31m'
    """
    return "\n".join(map(printable, text.split("\n")))


_PATH = re.compile(r"\b(?:Pure)?(?:Posix|Windows)?Path\(('[^']*'|\"[^\"]*\")\)")


def shown(value: object, limit: int = 80) -> str:
    """Text of a value for an error message: its repr cut short, an array as shape and dtype.

    Examples
    --------
    >>> import numpy
    >>> shown("a"), shown(numpy.zeros((2, 3)))
    ("'a'", 'array of float64, shape (2, 3)')
    """
    numpy = sys.modules.get("numpy")  # without it, which takes 70 ms to load, there is no array
    if numpy is not None and isinstance(value, numpy.ndarray):
        return f"array of {value.dtype}, shape {value.shape}"
    try:
        text = _PATH.sub(r"\1", repr(value))
    except (RecursionError, ValueError):  # an integer of many digits
        return f"{type(value).__name__} too large to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def did_you_mean(name: str, candidates: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Remedy line for a misspelt name, or None if no candidate is similar enough.

    Examples
    --------
    >>> did_you_mean("acuracy", ["Accuracy", "F1"])
    "Did you mean 'Accuracy'?"
    >>> did_you_mean("acuracy", ["F1", "Recall"]) is None
    True
    """
    from difflib import get_close_matches

    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=cutoff)
    return f"Did you mean {by_folded[close[0]]!r}?" if close else None


def did_you_mean_file(path: Path) -> str | None:
    """Remedy line for a file that is not there: the nearest name in its folder, if there is one.

    Examples
    --------
    >>> here = Path(__file__)
    >>> did_you_mean_file(here.with_name("erors.py"))
    "Did you mean 'errors.py'?"
    """
    try:
        siblings = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        is_home = any(part.startswith("~") for part in path.parts)
        return "Write the whole path in place of ~." if is_home else None
    return did_you_mean(path.name, siblings)


def and_more(count: int) -> str:
    """Text for the cases after the first: `` (and 2 more)``, or nothing.

    Examples
    --------
    >>> and_more(0), and_more(2)
    ('', ' (and 2 more)')
    """
    return f" (and {count:,} more)" if count > 0 else ""
