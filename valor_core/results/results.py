"""Results: a sequence in the order of the report, with lookup by name, label and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from attrs import field, frozen

from valor_core.errors import RegistryError, ReportError, and_more, did_you_mean, short_repr
from valor_core.packages import import_extra
from valor_core.parameters.declaration import parameters_of, plain_value
from valor_core.results.entries import CONFIDENCE, Entry, flat_keys, pairs
from valor_core.results.result import Result, first_line, plot
from valor_core.specs.extensions import FORMATS, VIEWS, extension, required
from valor_core.specs.names import folded_name
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec

if TYPE_CHECKING:
    import pandas as pd


Record = dict[str, Any]


def records(found: Iterable[Result], items: Iterable[int | None] = ()) -> list[Record]:
    """Return one flat record per result: type, metric, slice, parameters, value and reason.

    ``slice`` is absent if no result has a slice, and empty for results over all datums. ``items``
    is the number of items of each slice. With intervals, ``low`` and ``high`` are their ends.

    Parameters
    ----------
    found : iterable of Result
        Results.
    items : iterable of int or None
        Number of items of the slice of each result.

    Examples
    --------
    >>> f1 = Result(type="F1", value=0.5)
    >>> [(row["slice"], row["items"]) for row in records([f1, f1.in_slice({"ink": 1})], [8, 3])]
    [('', 8), ('ink:1', 3)]
    """
    counted = list(zip_longest(found, items))
    found = [one for one, _ in counted]
    is_sliced = any(one.slice for one in found)
    is_counted = is_sliced and any(size is not None for _, size in counted)
    has_intervals = any(CONFIDENCE in one.details for one in found)
    names = dict.fromkeys(name for one in found for name in one.parameters)
    return [
        {"type": one.type, "metric": one.metric}
        | ({"slice": "/".join(pairs(one.slice))} if is_sliced else {})
        | ({"items": size} if is_counted else {})
        | {name: one.parameters.get(name) for name in names}
        | {
            "value": one.to_dict()["value"],
            **({"low": None, "high": None} | Entry(one, "", None).ends if has_intervals else {}),
            "undefined": one.undefined,
            "error": one.error,
        }
        for one, size in counted
    ]


NAMING = ("label", "average", "label_key")
"""Parameters whose value alone identifies a result."""

_LISTED = 10
_ABSENT = object()


def _results(results: Any) -> tuple[Result, ...]:
    return tuple(results)


@frozen
class Results(Sequence[Result]):
    """Sequence of results, indexed by position, name or label.

    Labels are text; an integer means the label with its digits.

    Examples
    --------
    >>> results = Results([
    ...     Result(type="Recall", parameters={"label": "cat"}, value=0.5),
    ...     Result(type="Recall", parameters={"label": "dog"}, value=0.25),
    ... ])
    >>> results["Recall", "cat"].value
    0.5
    >>> results["recall"].find(label="dog").value
    0.25
    >>> "F1" in results
    False
    """

    _results: tuple[Result, ...] = field(alias="results", converter=_results)

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    @overload
    def __getitem__(self, key: int) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> Results: ...
    @overload
    def __getitem__(self, key: str) -> Results: ...
    @overload
    def __getitem__(self, key: tuple[str | int, ...]) -> Results: ...
    def __getitem__(self, key: int | slice | str | tuple[str | int, ...]) -> Result | Results:
        if isinstance(key, int):
            return self._results[key]
        if isinstance(key, slice):
            return Results(self._results[key])
        name, *values = (key,) if isinstance(key, str) else key
        found = self._named(str(name))
        for value in map(_as_name, values):
            named = [result for result in found if value in _names(result)]
            if not named:
                available = (word for result in found for word in _names(result))
                raise ReportError(
                    f"report: no result of {name!r} for {value!r}", _nearest(value, available)
                )
            found = named
        return Results(found)

    def __contains__(self, key: object) -> bool:
        """Return whether a result is included, or ``results[key]`` is not empty."""
        parts = (key,) if isinstance(key, str) else key
        if not (isinstance(parts, tuple) and parts and isinstance(parts[0], str)):
            return key in self._results
        try:
            self[parts]
        except ReportError:
            return False
        return True

    def __repr__(self) -> str:
        types = list(dict.fromkeys(result.type for result in self._results))
        of = f" of {', '.join(types[:_LISTED])}{and_more(len(types) - _LISTED)}"
        counted = f"{len(self):,} result{'' if len(self) == 1 else 's'}{of if types else ''}"
        return f"<Results: {counted}; print(results) shows them>"

    def __str__(self) -> str:
        """Return the tables of ``valor run``, or a line per result without ``valor-report``."""
        found = extension(FORMATS, ".txt")
        return self._lines() if found is None else str(found.load()(self))

    def _lines(self) -> str:
        lines = []
        for result in self._all():
            named = pairs({**result.slice, **result.parameters})
            reason = result.undefined or result.error
            value = short_repr(result.to_dict()["value"]) if reason is None else first_line(reason)
            lines.append(f"{' '.join([result.type, *named])} = {value}")
        return "\n".join(lines)

    def __float__(self) -> float:
        """Return the number of the only result."""
        return float(self.only)

    def __format__(self, form: str) -> str:
        return format(self.only, form) if form else str(self)

    def _repr_html_(self) -> str | None:
        """Return HTML tables for notebooks."""
        return notebook(self)

    @property
    def value(self) -> Any:
        """Value of the only result, or the reason why there is none.

        Raises
        ------
        ReportError
            If the number of results is not one.
        """
        return self.only.value

    @property
    def only(self) -> Result:
        """The only result.

        Raises
        ------
        ReportError
            If the number of results is not one. The message lists the distinguishing parameters.
        """
        if len(self._results) == 1:
            return self._results[0]
        if not self._results:
            raise ReportError("report: expected one result, found none")
        first = self._results[0]
        names = dict.fromkeys(name for result in self._results for name in result.parameters)
        differing = [
            f"{name}={parameter_of(first, name)!r}"
            for name in names
            if any(
                parameter_of(result, name) != parameter_of(first, name) for result in self._results
            )
        ]
        raise ReportError(
            f"report: expected one result of {first.type}, found {len(self)}",
            f"Choose one with find({', '.join(differing)})."
            if differing
            else f"Choose one by its index, [0] to [{len(self) - 1}]: all parameters are equal.",
        )

    def find(self, name: str | None = None, **parameters: Any) -> Results:
        """Return the results of a metric with the given parameters, or defaults equal to them.

        Raises
        ------
        ReportError
            If no result matches.
        """
        pool = self._results if name is None else self._named(name)
        named = {name: _as_name(value) for name, value in parameters.items() if name in NAMING}
        parameters |= named
        found = pool
        for key, value in parameters.items():
            stated = [one for one in found if one.parameters.get(key, _ABSENT) == value]
            found = stated or [one for one in found if parameter_of(one, key) == value]
        if not found:
            asked = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
            of = f" of {name!r}" if name else ""
            raise ReportError(
                f"report: no result{of} with {asked}", _nearest_parameter(pool, parameters)
            )
        return Results(found)

    def flat(self, prefix: str = "", *, short: bool = False) -> dict[str, float]:
        """Return all defined numbers by flat key for experiment trackers, as in `flat_keys`.

        Parameters
        ----------
        prefix : str
            Prefix of every key.
        short : bool
            Whether keys contain only the parameters that vary. `require` accepts both forms.

        Examples
        --------
        >>> recall = {"label": "cat", "hardmax": True}
        >>> results = Results([Result(type="Recall", parameters=recall, value=0.5)])
        >>> results.flat("val/", short=True)
        {'val/Recall/cat': 0.5}
        """
        return flat_keys(self._all(), prefix, short=short)

    def to_records(self) -> list[dict[str, Any]]:
        """Return one flat record per result: type, metric, parameters, value and reason."""
        return records(self._all(), self._items())

    def to_frame(self, *, wide: bool = False) -> pd.DataFrame:
        """Return a pandas data frame with one row per result or per label.

        Parameters
        ----------
        wide : bool
            Whether labels are rows and metrics are columns. Averages, and the row ``all`` of
            numbers without a label, are last. Slices are excluded.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        pandas = import_extra("pandas", "report.to_frame: a data frame", "valor-core[pandas]")
        made: pd.DataFrame
        if wide:
            rows = required(VIEWS, "wide", "report.to_frame: a wide frame")(self._results)
            names = pandas.Index([name for name, _ in rows], name="label")
            made = pandas.DataFrame([row for _, row in rows], index=names)
        else:
            made = pandas.DataFrame(self.to_records())
        return made

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """Draw curves, matrices and other results that have a drawing.

        Notebooks display the plot, and ``plot.save("curve.svg")`` writes it; other suffixes are
        ``.html``, and with matplotlib ``.png`` and ``.pdf``.

        Parameters
        ----------
        name : str, optional
            Name of a metric. Defaults to all results.
        **options
            ``ax``, axes of matplotlib to draw on, which are returned; ``normalize`` for matrices,
            ``"true"``, ``"pred"`` or ``"all"`` as in scikit-learn; parameters of the results as in
            `find`; and ``label`` for one of several curves.

        Raises
        ------
        ReportError
            If no such result exists, or none can be drawn.
        MissingExtraError
            If ``valor-report`` or matplotlib is not installed.
        """
        return plot(self, name, **options)

    def to_csv(self) -> str:
        """Return the records as CSV, with JSON for values that are not numbers."""
        made: str = required(FORMATS, ".csv", "report.to_csv: a table")(self)
        return made

    def in_slice(self, slice: Mapping[str, Any]) -> Results:
        """Return the same results with a slice; an empty slice means all datums."""
        return Results(result.in_slice(slice) for result in self._results)

    def _all(self) -> Iterable[Result]:
        """Return the results for records and flat keys."""
        return self._results

    def _items(self) -> Iterable[int | None]:
        """Return the number of items of the slice of each result."""
        return ()

    def _named(self, name: str) -> list[Result]:
        found = [result for result in self._results if is_called(result, name)]
        if not found:
            types = dict.fromkeys(result.type for result in self._results)
            raise ReportError(
                f"report: no result of {name!r}",
                did_you_mean(name, types) or f"Available: {', '.join(types)}.",
            )
        return found


def notebook(found: Any) -> str | None:
    """Return the tables of a report or of results as HTML, or None without ``valor-report``.

    A notebook then shows the `repr`, which says how to print the tables.
    """
    drawing = extension(VIEWS, "notebook")
    return None if drawing is None else str(drawing.load()(found))


def is_called(result: Result, name: str) -> bool:
    """Return whether a name is the requested, full or short name or an alias of a result's metric.

    Examples
    --------
    >>> is_called(Result(type="F1", metric="lab.F1@1", value=0.5), "lab.f1")
    True
    >>> is_called(Result(type="mAP", asked="mAP50", value=0.5), "map-50")
    True
    """
    if result.asked is not None and folded_name(result.asked) == folded_name(name):
        return True
    return has_name(result.type, result.metric, name, result.aliases)


@lru_cache
def has_name(type: str, metric: str, name: str, aliases: tuple[str, ...] | None = None) -> bool:
    """Return whether a name is the full name, short name or an alias of a metric.

    Parameters
    ----------
    type : str
        Short name of the metric, ``"F1"``.
    metric : str
        Full name, with or without version, ``"classification.F1@1"``.
    name : str
        Name to compare, in any spelling.
    aliases : tuple of str, optional
        Aliases of the metric. Defaults to those of the installed plugin.

    Examples
    --------
    >>> has_name("F1", "lab.F1@1", "f1"), has_name("F1", "lab.F1@1", "F2")
    (True, False)
    >>> has_name("F1", "lab.F1@1", "lab.f_score", ("FScore",))
    True
    """
    key, full = folded_name(name.partition("@")[0]), metric.partition("@")[0]
    if key in (folded_name(type), folded_name(full)):
        return True
    names = _installed_aliases(full) if aliases is None else aliases
    return key.removeprefix(f"{folded_name(full.partition('.')[0])}.") in map(folded_name, names)


def installed_spec(full: str) -> MetricSpec | None:
    """Return the spec of a metric from its plugin, or None if it is not installed.

    A report outlives the registry of its evaluation, so this looks up the plugins installed now.
    """
    namespace, dot, short = full.partition(".")
    if not dot:
        return None
    try:
        return Registry().manifest(namespace).of(MetricSpec).by_name.get(folded_name(short))
    except RegistryError:
        return None


def _installed_aliases(full: str) -> tuple[str, ...]:
    """Return the aliases of a metric from its plugin, if installed."""
    spec = installed_spec(full)
    return () if spec is None else spec.aliases


def parameter_of(result: Result, name: str) -> Any:
    """Return a parameter of a result, or its default if the result lacks it.

    None if neither exists; the plugin may not be installed where a report is read.

    Examples
    --------
    >>> f1 = Result(metric="classification.F1@1", parameters={"label": "cat"}, value=0.5)
    >>> [parameter_of(f1, name) for name in ("label", "zero_division", "color")]
    ['cat', 0.0, None]
    """
    if name in result.parameters:
        return result.parameters[name]
    return defaults(result.metric).get(name)


@lru_cache
def defaults(metric: str) -> Mapping[str, Any]:
    """Return the defaults of a metric's parameters, empty if its plugin is not installed.

    Examples
    --------
    >>> defaults("classification.ROCCurve@1"), defaults("strange.F1@1")
    ({'drop_intermediate': True}, {})
    """
    spec = installed_spec(metric.partition("@")[0])
    try:
        fields = () if spec is None else parameters_of(spec.parameter_class)
    except RegistryError:
        return {}
    return {one.name: plain_value(one.default) for one in fields if not one.required}


def _as_name(value: Any) -> Any:
    """Convert an integer to a label as `as_label` does; other values are unchanged."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return str(value) if is_whole else value


def _nearest_parameter(pool: Sequence[Result], asked: Mapping[str, Any]) -> str | None:
    """Return a suggestion for the first parameter or value that no result has."""
    names = dict.fromkeys(name for result in pool for name in result.parameters)
    for name, value in asked.items():
        if name not in names:
            return did_you_mean(name, names) or f"Available parameters: {', '.join(names)}."
        available = [parameter_of(result, name) for result in pool]
        if value not in available:
            return _nearest(value, available)
    return None


def _nearest(value: Any, available: Iterable[Any]) -> str | None:
    words = dict.fromkeys(word for word in available if isinstance(word, str))
    return did_you_mean(value, words) if isinstance(value, str) else None


def _names(result: Result) -> tuple[Any, ...]:
    return tuple(result.parameters.get(name) for name in NAMING)
