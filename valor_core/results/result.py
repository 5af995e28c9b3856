"""Results: values, or explicit reasons why they are undefined or failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any, Protocol, Self

from attrs import field, fields, frozen

from valor_core.errors import ReportError, ResourceStopped, error_at, short_repr
from valor_core.results.confusion_table import ConfusionTable
from valor_core.results.json_values import as_json
from valor_core.specs.extensions import VIEWS, reason_of, required
from valor_core.states.state import RowsOf, StateRequest


@frozen(repr=False)
class MetricDetails:
    """Details and warnings of a per-item metric, in addition to its mean.

    Parameters
    ----------
    details : mapping of str to mapping, or to list of mappings
        Tables by name, as in `Result`.
    warnings : tuple of str
        Warnings for the report.

    Examples
    --------
    >>> MetricDetails({"grades": {"lowest": 1, "middle_half": [2, 4]}}).details["grades"]["lowest"]
    1
    """

    details: Mapping[str, Any] = field(factory=dict)
    warnings: tuple[str, ...] = ()


def check_details(details: Any, place: str) -> None:
    """Raise a `ReportError` unless details are tables of JSON values.

    Each name has one row (a mapping) or several (a list of mappings). A value is a number, a
    string, a boolean, null, or two numbers, which are the ends of an interval.

    Examples
    --------
    >>> check_details({"judges": [{"judge": "a", "mean": 0.5}, {"judge": "b"}]}, "details")
    >>> check_details({"judges": {"means": [0.5, 0.25, 0.5]}}, "details")
    Traceback (most recent call last):
        ...
    valor_core.errors.ReportError: details.judges.means: expected a number, a text, true, false,
    null or two numbers, found [0.5, 0.25, 0.5]
    """
    if not isinstance(details, Mapping):
        raise ReportError(f"{place}: expected tables by name, found {short_repr(details)}")
    for name, table in details.items():
        for row in detail_rows(table):
            if not isinstance(row, Mapping):
                raise ReportError(f"{place}.{name}: expected a table, found {short_repr(row)}")
            for key, entry in row.items():
                if not _is_plain(entry):
                    raise ReportError(
                        f"{place}.{name}.{key}: expected a number, a text, true, false, null or "
                        f"two numbers, found {short_repr(entry)}"
                    )


def detail_rows(table: Any) -> list[Any]:
    """Return the rows of a table; a mapping is a single row."""
    return list(table) if isinstance(table, list) else [table]


def is_interval(entry: Any) -> bool:
    """Return whether an entry is a list of two numbers."""
    return isinstance(entry, list) and len(entry) == 2 and all(map(_is_number, entry))


def _is_plain(entry: Any) -> bool:
    return entry is None or isinstance(entry, (bool, int, float, str)) or is_interval(entry)


def _is_number(entry: Any) -> bool:
    return isinstance(entry, (int, float)) and not isinstance(entry, bool)


_REPR_LENGTH = 200
"""Longest value in the repr of a result; a curve has thousands of numbers."""


class _NoNumber:
    """Base of `Undefined`, `Failed` and `NotRun`: `float()` raises with the reason."""

    __slots__ = ()
    reason: str

    def __float__(self) -> float:
        raise ReportError(
            f"expected a number, found none, {first_line(self.reason)}",
            "Check result.undefined and result.error first.",
        )

    def __bool__(self) -> bool:
        raise ReportError(
            f"expected a number, found none, {first_line(self.reason)}",
            "Check result.undefined and result.error, or compare the value: result.value == 1",
        )

    def __format__(self, form: str) -> str:
        return format(float(self), form) if form else str(self)


@frozen
class Undefined(_NoNumber):
    """A value that is mathematically undefined, with the reason: "no ground truths of 'cat'"."""

    reason: str = field(converter=str)


@frozen
class Failed(_NoNumber):
    """A value that could not be computed, with the reason: "reply was not JSON after 3 tries".

    Parameters
    ----------
    reason : str
        Why the computation failed.
    retry : bool
        Whether the reason may be temporary, such as a timeout; a resumed run retries the item.
    """

    reason: str = field(converter=str)
    retry: bool = False


@frozen
class NotRun(_NoNumber):
    """A value that was not computed, with the reason: "budget of 100 calls is spent"."""

    reason: str = field(converter=str)


NoScore = Undefined | Failed | NotRun
"""Reason why there is no number."""


@frozen
class ItemScore:
    """Score of one item, with optional details.

    Parameters
    ----------
    value : float, Undefined, Failed, NotRun, or mapping of str to these
        The score, or several numbers by name: ``{"rouge1": 0.5, "rouge2": 0.25}``.
    details : mapping
        JSON values such as extracted claims, the judge's reply or matching words.
    """

    value: float | NoScore | Mapping[str, float | NoScore]
    details: Mapping[str, Any] = field(factory=dict)


@frozen(eq=False, repr=False)
class LazyValue:
    """Large value of a result, computed on first access.

    Parameters
    ----------
    make : callable
        Function that returns the value in JSON types, which are not checked again. It must not read
        a state, which may change before the call.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([3, 1])
    >>> Result(value=LazyValue(counts.tolist)).value
    [3, 1]
    """

    make: Callable[[], Any]


def _value(value: Any) -> Any:
    is_float = type(value) is float  # the most frequent type
    is_kept = not is_float and isinstance(value, (Undefined, Failed, LazyValue, ConfusionTable))
    return value if is_kept else as_json(value, "value")


def _read(value: Any) -> Any:
    return value.make() if isinstance(value, LazyValue) else value


def _coordinates(parameters: Any) -> Any:
    return as_json(parameters, "parameters")


def _details(details: Any) -> Any:
    if not details:
        return {}
    converted = as_json(details, "details")
    check_details(converted, "details")
    return converted


@frozen(kw_only=True)
class Result:
    """One number, curve or table of a report, or the reason why it has no value.

    A metric yields results with `parameters` and `value`; the plan adds `type` and `metric`.

    Parameters
    ----------
    parameters : mapping
        Coordinates of this result (label key, label, threshold, average) and the declared
        parameters that affect it.
    value : float, int, mapping, list, Undefined, Failed or LazyValue
        Value, or the reason why there is none.
    left_out : mapping of str to int
        For a mean: number of excluded items or labels by reason.
    details : mapping of str to mapping, or to list of mappings
        Additional tables by name, each with one row or several, of numbers, strings and intervals
        (lists of two numbers).
    warnings : tuple of str
        Warnings, which the report includes among its own.
    aliases : tuple of str, optional
        Other names of the metric, if set by its registry. Not part of a report.
    asked : str, optional
        Name in the request, if it differs from `type`: ``"mAP50-95"``.
    type, metric : str
        Short name of the metric, ``"Precision"``, and its full name with version,
        ``"lab.Precision@1"``.
    slice : mapping of str to value
        Metadata values of the slice, ``{"weather": "rain"}``; empty for all datums.

    Examples
    --------
    >>> Result(parameters={"label": "cat"}, value=0.5).value
    0.5
    >>> Result(value=Undefined("no ground truths of label 'cat'")).undefined
    "no ground truths of label 'cat'"
    """

    type: str = ""
    metric: str = ""
    parameters: Mapping[str, Any] = field(factory=dict, converter=_coordinates)
    _value: Any = field(alias="value", converter=_value, eq=_read)
    left_out: Mapping[str, int] = field(factory=dict)
    details: Mapping[str, Any] = field(factory=dict, converter=_details)
    warnings: tuple[str, ...] = field(default=(), eq=False)
    aliases: tuple[str, ...] | None = field(default=None, eq=False)
    asked: str | None = field(default=None, eq=False)
    slice: Mapping[str, Any] = field(factory=dict)

    def __repr__(self) -> str:
        names = ["type", "metric", "parameters", "value", "left_out", *["slice"] * bool(self.slice)]
        parts = (f"{name}={short_repr(getattr(self, name), _REPR_LENGTH)}" for name in names)
        return f"Result({', '.join(parts)})"

    def __float__(self) -> float:
        """Return the value if it is a single number; otherwise raise a `ReportError`."""
        with error_at(f"{self.type or 'result'}: "):
            if isinstance(self.value, (Mapping, list, str, bool, NoneType)):
                found = short_repr(self.value)
                raise ReportError(f"expected a number, found {found}", "Use result.value instead.")
            return float(self.value)

    def __format__(self, form: str) -> str:
        number = self.value if is_number(self.value) else None
        return format(float(self) if number is None else number, form) if form else str(self)

    @property
    def value(self) -> Any:
        """Value in JSON types, or the reason why there is none.

        A confusion matrix with more than 1,000 labels is a mapping that computes rows on access.
        """
        content = self.content
        return content.plain() if isinstance(content, ConfusionTable) else content

    @property
    def content(self) -> Any:
        """Same as `value`, except that confusion matrices are arrays."""
        if isinstance(self._value, LazyValue):
            object.__setattr__(self, "_value", _read(self._value))
        return self._value

    def plot(self, **options: Any) -> Any:
        """Draw the value, such as a curve or a matrix, with the options of `Results.plot`."""
        return plot([self], **options)

    @property
    def undefined(self) -> str | None:
        """Reason if the value is mathematically undefined, else None."""
        return self._value.reason if isinstance(self._value, Undefined) else None

    @property
    def error(self) -> str | None:
        """Reason if the value could not be computed, else None."""
        return self._value.reason if isinstance(self._value, Failed) else None

    @property
    def number(self) -> float | None:
        """Value if it is a single number, else None."""
        return float(self._value) if is_number(self._value) else None

    def named(
        self,
        type: str,
        metric: str,
        aliases: tuple[str, ...] | None = None,
        slice: Mapping[str, Any] | None = None,
        asked: str | None = None,
    ) -> Self:
        """Return the same result with a metric's name and, if given, a slice."""
        changes = {"slice": slice} if slice else {}
        return self._with(type=type, metric=metric, aliases=aliases, asked=asked, **changes)

    def in_slice(self, slice: Mapping[str, Any]) -> Self:
        """Return the same result with a slice; an empty slice means all datums."""
        return self._with(slice=slice)

    def _with(self, **changes: Any) -> Self:
        """Return the same result with other fields, without converting its content again."""
        made = object.__new__(self.__class__)
        for name, (read, write) in _SLOTS.items():
            write(made, changes[name] if name in changes else read(self))
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, keys in the order of the report format."""
        record: dict[str, Any] = {"type": self.type, "metric": self.metric}
        record |= {} if self.asked is None else {"asked": self.asked}
        record["parameters"] = dict(self.parameters)
        if self.undefined is not None:
            record |= {"value": None, "undefined": self.undefined}
        elif self.error is not None:
            record |= {"value": None, "error": self.error}
        else:
            content = self.content
            record["value"] = content.to_json() if isinstance(content, ConfusionTable) else content
        record |= {"left_out": dict(self.left_out)} if self.left_out else {}
        return record | ({"details": dict(self.details)} if self.details else {})

    @classmethod
    def from_dict(cls, record: Any) -> Result:
        """Return the result that `to_dict` wrote.

        Raises
        ------
        ReportError
            If the record is not a result.
        """
        if not isinstance(record, Mapping) or "value" not in record or "type" not in record:
            raise ReportError(f"report: expected a result, found {short_repr(record)}")
        value = record["value"]
        if "undefined" in record:
            value = Undefined(record["undefined"])
        elif "error" in record:
            value = Failed(record["error"])
        else:
            value = ConfusionTable.of_json(value) or value
        return cls(
            type=record["type"],
            metric=record.get("metric", ""),
            parameters=record.get("parameters", {}),
            value=value,
            left_out=record.get("left_out", {}),
            details=record.get("details", {}),
            asked=record.get("asked"),
        )


_SLOTS = {
    name: (slot.__get__, slot.__set__)
    for name, slot in ((field.name, getattr(Result, field.name)) for field in fields(Result))
}


def is_number(value: Any) -> bool:
    """Return whether a value is a single number; booleans are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def first_line(reason: str) -> str:
    r"""Return the first line of a reason, for contexts that show one line.

    Examples
    --------
    >>> first_line("ValueError: cannot be read\n  line 3")
    'ValueError: cannot be read'
    """
    return reason.strip().partition("\n")[0].rstrip()


def plot(results: Iterable[Result], *names: str | None, **options: Any) -> Any:
    """Draw results, as `Results.plot` does."""
    return required(VIEWS, "plot", "plot: a drawing")(results, *names, **options)


class Metric(Protocol):
    """Frozen parameters of a metric, and the computation of its results from states.

    Optional attribute ``no_interval``: names of numbers for which resampling gives no valid
    interval, such as maxima, with the reason: ``{"mce": "a maximum over bins"}``. Optional
    attribute ``least_items``: fewest items from which intervals hold, by number: ``{"ece": 1000}``.
    Optional method ``item_rows``: of the states, returns `ItemRows` sorted by uid, or None.
    """

    def needs(self) -> tuple[StateRequest | RowsOf, ...]:
        """Return the states that `compute` reads, in the order of its arguments."""

    @property
    def compute(self) -> Callable[..., Iterable[Result]]:
        """Method of the states that yields results with their parameters. Must be pure."""


ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_TEMPORARY = (TimeoutError, ConnectionError)


def failure(error: BaseException) -> NoScore:
    """Return the reason for an exception; memory addresses are removed since they vary by run."""
    if isinstance(error, ResourceStopped):
        return NotRun(error.one_line)
    reason = ADDRESS.sub("", reason_of(error))
    return Failed(reason, retry=isinstance(error, _TEMPORARY))
