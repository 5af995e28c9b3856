"""Results: a value, or a stated reason why there is none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import Any, Self

import numpy as np
from attrs import field, fields, frozen
from numpy.typing import NDArray

from valor_core.errors import ReportError, shown
from valor_core.metrics.result_details import check_details
from valor_core.parameters.environment import FromEnvironment

_MOST_SHOWN = 200
"""Characters of a value that the repr of a result shows; a curve has thousands of numbers."""


@frozen
class Undefined:
    """A value that mathematics does not give, with its reason: "no ground truths of 'cat'"."""

    reason: str = field(converter=str)


@frozen
class Failed:
    """A value that the world did not give, with the reason: "reply was not JSON after 3 tries".

    Parameters
    ----------
    reason : str
        Why there is none.
    retry : bool
        Whether the reason may pass, such as a time-out; a run that goes on tries the item again.
    """

    reason: str = field(converter=str)
    retry: bool = False


@frozen
class NotRun:
    """A value that nobody asked for, with the reason: "budget of 100 calls is spent"."""

    reason: str = field(converter=str)


Gap = Undefined | Failed | NotRun
"""Why there is no number."""


@frozen
class ItemScore:
    """Score of one item, with details that belong to it.

    Parameters
    ----------
    value : float, Undefined, Failed, NotRun, or mapping of str to these
        The score, or several numbers by name: ``{"rouge1": 0.5, "rouge2": 0.25}``.
    details : mapping
        Anything JSON can hold: the claims found, the judge's reply, the words that matched.
    """

    value: float | Gap | Mapping[str, float | Gap]
    details: Mapping[str, Any] = field(factory=dict)


@frozen(eq=False)
class Nullable:
    """A column of numbers in a `Deferred` value, null where a number is not finite.

    Parameters
    ----------
    numbers : ndarray of float
        The numbers; the caller must not write to them any more.
    """

    numbers: NDArray[np.floating[Any]]

    def to_list(self) -> list[float | None]:
        """The column as JSON has it.

        Examples
        --------
        >>> Nullable(np.array([np.inf, 0.5])).to_list()
        [None, 0.5]
        """
        column: list[float | None] = self.numbers.tolist()
        for place in np.flatnonzero(~np.isfinite(self.numbers)).tolist():
            column[place] = None
        return column


@frozen(eq=False)
class NamedMatrix:
    """Numbers by two names in a `Deferred` value.

    Parameters
    ----------
    rows, columns : sequence of str
        Their names.
    numbers : ndarray
        One row for each name; the caller must not write to them any more.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    numbers: NDArray[Any]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The table as JSON has it.

        Examples
        --------
        >>> NamedMatrix(["cat"], ["cat", "dog"], np.array([[3, 1]])).to_dict()
        {'cat': {'cat': 3, 'dog': 1}}
        """
        rows = (dict(zip(self.columns, row, strict=True)) for row in self.numbers.tolist())
        return dict(zip(self.rows, rows, strict=True))


@frozen(eq=False)
class OnDemand:
    """Part of a `Deferred` value that is made when somebody reads it.

    Parameters
    ----------
    make : callable
        Makes it, in types that JSON has: nothing looks through them again.
    """

    make: Callable[[], Any]


@frozen(eq=False)
class Deferred:
    """A large value of a result, which stays in arrays until somebody reads it.

    Parameters
    ----------
    content : object
        Lists and mappings of arrays, `Nullable`, `NamedMatrix`, `OnDemand` and anything that JSON
        can hold.

    Examples
    --------
    >>> Result(value=Deferred({"fpr": np.array([0.0, 1.0])})).value
    {'fpr': [0.0, 1.0]}
    """

    content: Any


def as_json(value: Any, place: str) -> Any:
    """The value as JSON types, NumPy's among them turned into Python's.

    Parameters
    ----------
    value : object
        Numbers, strings, None, lists and mappings, however deep.
    place : str
        What the value is called in errors.

    Raises
    ------
    ReportError
        If there is a number that is not finite, or anything that JSON cannot hold.

    Examples
    --------
    >>> as_json({"counts": np.array([1, 2])}, "value")
    {'counts': [1, 2]}
    """
    if isinstance(value, FromEnvironment):
        return value.reference
    if type(value) in (dict, list) and _are_plain(value.values() if type(value) is dict else value):
        return value.copy()
    if isinstance(value, (Nullable, NamedMatrix)):
        return value.to_list() if isinstance(value, Nullable) else value.to_dict()
    if isinstance(value, OnDemand):
        return value.make()
    if isinstance(value, (np.generic, np.ndarray)):
        is_finite = _is_finite(value)
        value = value.tolist()
        if is_finite:
            return value
    if isinstance(value, float) and not math.isfinite(value):
        raise ReportError(
            f"{place} must be finite, got {value!r}",
            "A metric answers 0/0 with Undefined and a reason.",
        )
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {key: as_json(item, f"{place}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item, f"{place}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, Set):
        return sorted((as_json(item, place) for item in value), key=repr)
    raise ReportError(f"{place} must be numbers, text, lists and tables, got {shown(value)}")


_OWN = frozenset({str, int, bool, type(None)})
_NUMBERS = frozenset({float, type(None)})


def _are_plain(values: Collection[Any]) -> bool:
    """Whether all values are finite numbers, text or None, told many at a time."""
    kinds = set(map(type, values))
    if kinds <= _OWN:
        return True
    if kinds <= _NUMBERS:
        return all(map(math.isfinite, filter(None, values)))
    is_own = kinds - {float} <= _OWN
    return is_own and all(math.isfinite(v) for v in values if type(v) is float)


def _is_finite(array: Any) -> bool:
    """Whether all numbers are; an array of anything else is looked at one by one."""
    kind = array.dtype.kind
    return kind in "iub" or (kind == "f" and bool(np.isfinite(array).all()))


def _value(value: Any) -> Any:
    if isinstance(value, Deferred):
        _check(value.content, "value")
        return value
    return value if isinstance(value, (Undefined, Failed)) else as_json(value, "value")


def _check(content: Any, place: str) -> None:
    """Raise what `as_json` would, without making lists of arrays."""
    if isinstance(content, Mapping):
        if _are_plain(content.values()):
            return
        for key, item in content.items():
            _check(item, f"{place}[{key!r}]")
    elif isinstance(content, NamedMatrix):
        _check(content.numbers, place)
    elif isinstance(content, OnDemand):
        return
    elif not (isinstance(content, np.ndarray) and _is_finite(content)):
        as_json(None if isinstance(content, Nullable) else content, place)


def _read(value: Any) -> Any:
    return as_json(value.content, "value") if isinstance(value, Deferred) else value


def _coordinates(parameters: Any) -> Any:
    return as_json(parameters, "parameters")


def _details(details: Any) -> Any:
    if not details:
        return {}
    told = as_json(details, "details")
    check_details(told, "details")
    return told


@frozen(kw_only=True)
class Result:
    """One number, curve or table of a report, or the reason why there is none.

    A metric yields results with `parameters` and a value; the plan adds `type` and `metric`.

    Parameters
    ----------
    parameters : mapping
        Coordinates of this result (label key, label, threshold, average) and the declared
        parameters that shaped it.
    value : float, int, mapping, list, Undefined, Failed or Deferred
        The value or the reason.
    left_out : mapping of str to int
        For a mean: why items or labels do not take part, and how many.
    details : mapping of str to mapping, or to list of mappings
        What else the metric says of the value: tables by name, each with one row or several, of
        numbers, texts and pairs of numbers that are the ends of an interval.
    warnings : tuple of str
        What is worth knowing; a report has it among its own warnings.
    aliases : tuple of str, optional
        Other names of the metric, where the registry that made it has told; no part of a report.
    type, metric : str
        The metric's short name, ``"Precision"``, and name with version, ``"lab.Precision@1"``.
    slice : mapping of str to value
        Metadata values of the datums that it is of, ``{"weather": "rain"}``; empty for all.

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
    _value: Any = field(converter=_value, eq=_read)
    left_out: Mapping[str, int] = field(factory=dict)
    details: Mapping[str, Any] = field(factory=dict, converter=_details)
    warnings: tuple[str, ...] = field(default=(), eq=False)
    aliases: tuple[str, ...] | None = field(default=None, eq=False)
    slice: Mapping[str, Any] = field(factory=dict)

    def __repr__(self) -> str:
        names = ["type", "metric", "parameters", "value", "left_out", *["slice"] * bool(self.slice)]
        told = (f"{name}={shown(getattr(self, name), _MOST_SHOWN)}" for name in names)
        return f"Result({', '.join(told)})"

    @property
    def value(self) -> Any:
        """The value, in types that JSON has, or the reason why there is none."""
        if isinstance(self._value, Deferred):
            object.__setattr__(self, "_value", _read(self._value))
        return self._value

    @property
    def undefined(self) -> str | None:
        """Why mathematics gives no value, or None."""
        return self._value.reason if isinstance(self._value, Undefined) else None

    @property
    def error(self) -> str | None:
        """Why the world gave no value, or None."""
        return self._value.reason if isinstance(self._value, Failed) else None

    @property
    def number(self) -> float | None:
        """The value where it is a single number, else None."""
        return float(self._value) if is_number(self._value) else None

    def named(self, type: str, metric: str, aliases: tuple[str, ...] | None = None) -> Self:
        """The same result under a metric's name."""
        return self._with(type=type, metric=metric, aliases=aliases)

    def in_slice(self, slice: Mapping[str, Any]) -> Self:
        """The same result as one of a slice, or of the whole if that is empty."""
        return self._with(slice=slice)

    def _with(self, **changes: Any) -> Self:
        """The same result with other fields; its content is not checked and copied again."""
        made = object.__new__(self.__class__)
        for name in _FIELDS:
            object.__setattr__(made, name, changes.get(name, getattr(self, name)))
        return made

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON has it, keys in the order of the report format."""
        record: dict[str, Any] = {"type": self.type, "metric": self.metric}
        record["parameters"] = dict(self.parameters)
        if self.undefined is not None:
            record |= {"value": None, "undefined": self.undefined}
        elif self.error is not None:
            record |= {"value": None, "error": self.error}
        else:
            record["value"] = self.value
        record |= {"left_out": dict(self.left_out)} if self.left_out else {}
        return record | ({"details": dict(self.details)} if self.details else {})

    @classmethod
    def from_dict(cls, record: Any) -> Result:
        """The result that `to_dict` wrote.

        Raises
        ------
        ReportError
            If the record is not a result.
        """
        if not isinstance(record, Mapping) or "value" not in record or "type" not in record:
            raise ReportError(f"report: expected a result, found {shown(record)}")
        value = record["value"]
        if "undefined" in record:
            value = Undefined(record["undefined"])
        elif "error" in record:
            value = Failed(record["error"])
        return cls(
            type=record["type"],
            metric=record.get("metric", ""),
            parameters=record.get("parameters", {}),
            value=value,
            left_out=record.get("left_out", {}),
            details=record.get("details", {}),
        )


_FIELDS = tuple(field.name for field in fields(Result))


def is_number(value: Any) -> bool:
    """Whether a value is a single number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def first_line(reason: str) -> str:
    r"""The first line of a reason, for places that have room for no more.

    Examples
    --------
    >>> first_line("ValueError: cannot be read\n  line 3")
    'ValueError: cannot be read'
    """
    return reason.strip().partition("\n")[0].rstrip()


def ratio(
    numerator: float, denominator: float, zero_division: float | None, reason: str
) -> float | Undefined:
    """Quotient of two counts: the one guarded division.

    Parameters
    ----------
    numerator, denominator : float
        Counts; equal for ints and floats.
    zero_division : float or None
        What 0/0 is; None makes it undefined.
    reason : str
        Why the denominator is 0, for a report.

    Examples
    --------
    >>> ratio(1, 4, 0.0, "no predictions"), ratio(0, 0, None, "no predictions")
    (0.25, Undefined(reason='no predictions'))
    """
    if denominator:
        return float(numerator / denominator)
    return Undefined(reason) if zero_division is None else float(zero_division)


def ratios(
    numerators: NDArray[np.int64], denominators: NDArray[np.int64], zero_division: float | None
) -> list[float | None]:
    """Quotients of two columns of counts, as `ratio` gives them; None where undefined.

    Examples
    --------
    >>> ratios(np.array([1, 0]), np.array([4, 0]), None)
    [0.25, None]
    """
    quotients: list[float | None] = (numerators / np.maximum(denominators, 1)).tolist()
    for place in np.flatnonzero(denominators == 0).tolist():
        quotients[place] = None if zero_division is None else float(zero_division)
    return quotients


def mean(
    values: Iterable[float | Undefined | Failed], of: str
) -> tuple[float | Undefined, dict[str, int]]:
    """Mean of the values that are there, exactly rounded, and what it left out.

    Parameters
    ----------
    values : iterable of float, Undefined or Failed
        What to average.
    of : str
        What the values belong to, in the plural, for the reason: ``"labels"``.

    Returns
    -------
    mean : float or Undefined
        Undefined where no value is defined.
    left_out : dict of str to int
        Reasons of the values that do not take part, and how many have it.

    Examples
    --------
    >>> mean([0.5, Undefined("no ground truths")], "labels")
    (0.5, {'no ground truths': 1})
    """
    numbers = []
    left_out: Counter[str] = Counter()
    for value in values:
        if isinstance(value, (Undefined, Failed)):
            left_out[value.reason] += 1
        else:
            numbers.append(value)
    if not numbers:
        return Undefined(f"no {of} with a value"), dict(left_out)
    return exact_mean(numbers), dict(left_out)


def exact_mean(numbers: Sequence[float]) -> float:
    """Mean of one number or more, of their exact sum.

    Examples
    --------
    >>> exact_mean([0.1] * 10), exact_mean([1.5e308, 1.5e308])
    (0.1, 1.5e+308)
    """
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:  # the sum is beyond all numbers; the mean is between two of them
        from fractions import Fraction

        return float(sum(map(Fraction, numbers), Fraction()) / len(numbers))
