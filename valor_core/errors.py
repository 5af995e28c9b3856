"""Errors with a location, an expectation, a finding and a remedy.

The first line of a message is ``place: expectation, finding``. An optional second line is the
remedy: a command to run or a key to change. Programs find the remedy in `ValorError.remedy` and the
cause in ``__cause__``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path


class ValorError(Exception):
    """Base of all errors raised by Valor, with a message for users.

    Parameters
    ----------
    message : str
        ``place: expectation, finding``, lower case after the colon, no full stop.
    remedy : str, optional
        Correction, as a command or a key. Becomes the second line.

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
        """Return the same error with a location, which ends in ``": "``.

        Examples
        --------
        >>> print(ConfigError("task: expected a task").at("c.yaml: "))
        c.yaml: task: expected a task
        """
        return type(self)(f"{place}{self.message}", self.remedy)

    @property
    def one_line(self) -> str:
        """Message and remedy on one line, for reports.

        Examples
        --------
        >>> ConfigError("slices: no field 'a'", "Did you mean 'b'?").one_line
        "slices: no field 'a'; did you mean 'b'?"
        """
        if self.remedy is None:
            return self.message
        remedy = _without_machine(self.remedy).replace("\n", "; ")
        return f"{self.message}; {remedy[:1].lower()}{remedy[1:]}"


_WORD = r"(?:'[^']*'|[^ ]+)"


def _without_machine(remedy: str) -> str:
    """Remove the paths of the interpreter and of the clone from install commands."""
    remedy = re.sub(rf"{_WORD} (?=pip \w+ --python )", "uv ", remedy)
    remedy = re.sub(rf"{_WORD} -m (?=pip )| --python {_WORD}", "", remedy)
    return remedy.replace(os.path.join(Path(__file__).parents[1], ""), "")


class error_at:  # noqa: N801 - used like a function
    """Add a location such as ``"c.yaml: metrics[0]: "`` to the errors of a block.

    Other exceptions keep their class and get the location as a note, which `described` shows.

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
        if self.place and isinstance(error, Exception):
            error.add_note(self.place)


def described(error: BaseException) -> str:
    """Return the locations that `error_at` added to an exception, its class and its text, if any.

    Examples
    --------
    >>> try:
    ...     with error_at("a.json: "), error_at("objects[2]: "):
    ...         {}["points"]
    ... except KeyError as error:
    ...     described(error)
    "a.json: objects[2]: KeyError: 'points'"
    """
    places = [note for note in getattr(error, "__notes__", ()) if note.endswith(": ")]
    text = str(error)
    return f"{''.join(reversed(places))}{type(error).__name__}{': ' if text else ''}{text}"


class SchemaError(ValorError):
    """Data has another shape, type or content than its schema requires."""


class ReadError(ValorError):
    """A file cannot be read as configured; names file, row and field."""


class ParameterError(ValorError):
    """A parameter has an unknown name, a wrong type or a value out of range.

    Attributes
    ----------
    sentence : str
        Message without its location, which allows callers to add a more precise one.
    """

    def __init__(self, sentence: str, remedy: str | None = None, place: str = "") -> None:
        super().__init__(f"{place}{sentence}", remedy)
        self.sentence = _cut(printable(sentence))
        self._place = place

    def at(self, place: str) -> ParameterError:
        """Return the same error with a location, which ends in ``": "`` or ``"."``."""
        return ParameterError(self.sentence, self.remedy, place)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process boundaries, and the default would lose the location.
        return ParameterError, (self.sentence, self.remedy, self._place)


class ConfigError(ValorError):
    """A config file or dictionary does not match the config schema."""


class ExpressionError(ValorError):
    """A filter expression cannot be parsed or applied."""


class RegistryError(ValorError):
    """A name or a plugin cannot be used."""


class UnknownNameError(RegistryError, LookupError):
    """No installed plugin declares the name."""


class AmbiguousNameError(RegistryError, LookupError):
    """A bare name is declared in several namespaces and must be qualified."""


class MissingPluginError(UnknownNameError):
    """The namespace belongs to a plugin of this project that is not installed."""


class MissingExtraError(RegistryError):
    """A metric requires a package that is not installed."""


class BrokenPluginError(RegistryError):
    """A plugin's manifest or implementation cannot be imported; the cause is chained."""


class PluginConflictError(RegistryError):
    """Two distributions declare the same namespace."""


class ManifestError(RegistryError):
    """A plugin's manifest has an invalid declaration."""


class VersionPinError(RegistryError):
    """A config requires another version of a metric than the installed one."""


class StateError(ValorError):
    """States cannot be merged or loaded."""


class ForeignStateError(StateError):
    """A state was made by another request."""


class EngineError(ValorError):
    """An engine could not complete the work."""


class PartitionError(EngineError):
    """A worker failed on one partition; the message names it and the cause is chained."""


class RunInterrupted(EngineError):
    """The user stopped the run; the message contains the progress.

    Attributes
    ----------
    report : Report or None
        Report of the finished part, marked as stopped.
    """

    report: object = None


class ResourceError(ValorError):
    """A resource that a metric needs is not configured or cannot be opened."""


class ResourceStopped(ResourceError):
    """A resource is exhausted, such as a judge whose budget is spent; the item is not run."""


class ReportError(ValorError):
    """A report cannot be read, compared or searched as requested."""


class ValorWarning(UserWarning):
    """Problem that does not stop a run; the report includes it."""


_LIMIT = 1000
"""Maximum length of a message, which may quote a long cell of a file."""


def _cut(text: str) -> str:
    # The beginning has the location, and the end has the finding: both must stay readable.
    return text if len(text) <= _LIMIT else f"{text[: _LIMIT // 2]} … {text[-_LIMIT // 4 :]}"


def printable(text: str) -> str:
    r"""Return the text on one line with control characters escaped.

    Labels, paths and keys come from data and could contain terminal commands.

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
    r"""Return the text with control characters escaped, keeping its lines.

    Examples
    --------
    >>> printable_lines("a\nb\x1b[31m")
    'a\nb\\x1b[31m'
    """
    return "\n".join(map(printable, text.split("\n")))


_PATH = re.compile(r"\b(?:Pure)?(?:Posix|Windows)?Path\(('[^']*'|\"[^\"]*\")\)")


def short_repr(value: object, limit: int = 80) -> str:
    """Return a value for an error message: a shortened repr, or shape and dtype of an array.

    Examples
    --------
    >>> import numpy
    >>> short_repr("a"), short_repr(numpy.zeros((2, 3)))
    ("'a'", 'array of float64, shape (2, 3)')
    """
    numpy = sys.modules.get("numpy")  # not imported here (70 ms): without it there are no arrays
    if numpy is not None and isinstance(value, numpy.ndarray):
        return f"array of {value.dtype}, shape {value.shape}"
    try:
        text = _PATH.sub(r"\1", repr(value))
    except (RecursionError, ValueError):  # an integer of many digits
        return f"{type(value).__name__} too large to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def did_you_mean(name: str, candidates: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the remedy for a misspelt name, or None if no candidate is similar.

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
    """Return the remedy for a missing file: a similar name in its folder, if any.

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
        return "Write the absolute path instead of ~." if is_home else None
    return did_you_mean(path.name, siblings)


def not_defined(owner: object, member: str) -> NotImplementedError:
    """Return the error for a member that a class inherits without a definition.

    Examples
    --------
    >>> not_defined(object(), "update(batch)")
    NotImplementedError('object: expected a definition of update(batch), found none')
    """
    name = (owner if isinstance(owner, type) else type(owner)).__name__
    return NotImplementedError(f"{name}: expected a definition of {member}, found none")


def and_more(count: int) -> str:
    """Return `` (and 2 more)`` for further cases, or nothing.

    Examples
    --------
    >>> and_more(0), and_more(2)
    ('', ' (and 2 more)')
    """
    return f" (and {count:,} more)" if count > 0 else ""
