"""Results: what metrics found, in the order of the report, and how they are looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from attrs import field, frozen

from valor_core.errors import RegistryError, ReportError, and_more, did_you_mean, shown
from valor_core.packages import import_extra
from valor_core.parameters.declaration import declared, plain_value
from valor_core.results.entries import flat_keys, pairs
from valor_core.results.result import Result, first_line, plot
from valor_core.specs.extensions import FORMATS, VIEWS, extension, required
from valor_core.specs.names import fold
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec

if TYPE_CHECKING:
    import pandas as pd


Record = dict[str, Any]


def records(found: Iterable[Result]) -> list[Record]:
    """One flat record per result: type, metric, slice, parameters, value and reason.

    Where nothing is sliced, there is no ``slice``; where something is, it is empty for the whole.

    Examples
    --------
    >>> f1 = Result(type="F1", value=0.5)
    >>> [row["slice"] for row in records([f1, f1.in_slice({"ink": 1})])]
    ['', 'ink:1']
    """
    found = list(found)
    is_sliced = any(one.slice for one in found)
    names = dict.fromkeys(name for one in found for name in one.parameters)
    return [
        {"type": one.type, "metric": one.metric}
        | ({"slice": "/".join(pairs(one.slice))} if is_sliced else {})
        | {name: one.parameters.get(name) for name in names}
        | {
            "value": one.to_dict()["value"],
            "undefined": one.undefined,
            "error": one.error,
        }
        for one in found
    ]


NAMING = ("label", "average", "label_key")
"""Parameters whose bare value names a result."""

_MOST_NAMED = 10
_UNSAID = object()


def _results(results: Any) -> tuple[Result, ...]:
    return tuple(results)


@frozen
class Results(Sequence[Result]):
    """Results in the order of the report, found by position, name or label.

    Labels are text; a whole number stands for the label that is written like it.

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

    _results: tuple[Result, ...] = field(converter=_results)

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    @overload
    def __getitem__(self, wanted: int) -> Result: ...
    @overload
    def __getitem__(self, wanted: slice) -> Results: ...
    @overload
    def __getitem__(self, wanted: str) -> Results: ...
    @overload
    def __getitem__(self, wanted: tuple[str | int, ...]) -> Results: ...
    def __getitem__(self, wanted: int | slice | str | tuple[str | int, ...]) -> Result | Results:
        if isinstance(wanted, int):
            return self._results[wanted]
        if isinstance(wanted, slice):
            return Results(self._results[wanted])
        name, *values = (wanted,) if isinstance(wanted, str) else wanted
        found = self._named(str(name))
        for value in map(_as_name, values):
            named = [result for result in found if value in _names(result)]
            if not named:
                there = (word for result in found for word in _names(result))
                raise ReportError(
                    f"report: no result of {name!r} for {value!r}", _nearest(value, there)
                )
            found = named
        return Results(found)

    def __contains__(self, wanted: object) -> bool:
        """Whether a result is one of them, or what ``results[wanted]`` asks for is there."""
        parts = (wanted,) if isinstance(wanted, str) else wanted
        if not (isinstance(parts, tuple) and parts and isinstance(parts[0], str)):
            return wanted in self._results
        try:
            self[parts]
        except ReportError:
            return False
        return True

    def __repr__(self) -> str:
        types = list(dict.fromkeys(result.type for result in self._results))
        of = f" of {', '.join(types[:_MOST_NAMED])}{and_more(len(types) - _MOST_NAMED)}"
        counted = f"{len(self):,} result{'' if len(self) == 1 else 's'}{of if types else ''}"
        return f"<Results: {counted}; print(results) shows them>"

    def __str__(self) -> str:
        """The tables that ``valor run`` prints, or a line per result without ``valor-report``."""
        found = extension(FORMATS, ".txt")
        return self._lines() if found is None else str(found.load()(self))

    def _lines(self) -> str:
        lines = []
        for result in self._all():
            named = pairs({**result.slice, **result.parameters})
            reason = result.undefined or result.error
            value = shown(result.to_dict()["value"]) if reason is None else first_line(reason)
            lines.append(f"{' '.join([result.type, *named])} = {value}")
        return "\n".join(lines)

    def __float__(self) -> float:
        """The number that the only result is."""
        return float(self.only)

    def __format__(self, form: str) -> str:
        return format(self.only, form) if form else str(self)

    def _repr_html_(self) -> str | None:
        """The tables, for a cell of a notebook."""
        return notebook(self)

    @property
    def value(self) -> Any:
        """The value of the only result, or the reason why there is none.

        Raises
        ------
        ReportError
            If there are several.
        """
        return self.only.value

    @property
    def only(self) -> Result:
        """The only result.

        Raises
        ------
        ReportError
            If there are several, with what tells them apart.
        """
        if len(self._results) == 1:
            return self._results[0]
        if not self._results:
            raise ReportError("report: expected one result, found none")
        first = self._results[0]
        names = dict.fromkeys(name for result in self._results for name in result.parameters)
        apart = [
            f"{name}={told(first, name)!r}"
            for name in names
            if any(told(result, name) != told(first, name) for result in self._results)
        ]
        raise ReportError(
            f"report: expected one result of {first.type}, found {len(self)}",
            f"Choose one with find({', '.join(apart)})."
            if apart
            else f"Take one by its place, [0] to [{len(self) - 1}]: nothing tells them apart.",
        )

    def find(self, name: str | None = None, **parameters: Any) -> Results:
        """The results of a metric with some parameters; those that it does not name are defaults.

        Raises
        ------
        ReportError
            If there is none.
        """
        pool = self._results if name is None else self._named(name)
        named = {key: _as_name(value) for key, value in parameters.items() if key in NAMING}
        parameters |= named
        found = pool
        for key, value in parameters.items():
            stated = [one for one in found if one.parameters.get(key, _UNSAID) == value]
            found = stated or [one for one in found if told(one, key) == value]
        if not found:
            asked = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
            of = f" of {name!r}" if name else ""
            raise ReportError(
                f"report: no result{of} with {asked}", _nearest_parameter(pool, parameters)
            )
        return Results(found)

    def flat(self, prefix: str = "", *, short: bool = False) -> dict[str, float]:
        """Every single number under a flat key, for experiment trackers, as in `flat_keys`.

        Parameters
        ----------
        prefix : str
            What every key begins with.
        short : bool
            Whether keys name only what tells the numbers of a metric apart. `require` knows both.

        Examples
        --------
        >>> recall = {"label": "cat", "hardmax": True}
        >>> results = Results([Result(type="Recall", parameters=recall, value=0.5)])
        >>> results.flat("val/", short=True)
        {'val/Recall/cat': 0.5}
        """
        return flat_keys(self._all(), prefix, short=short)

    def to_records(self) -> list[dict[str, Any]]:
        """One flat record per result: type, metric, parameters, value and reason."""
        return records(self._all())

    def to_frame(self, *, wide: bool = False) -> pd.DataFrame:
        """A pandas data frame with one row per result, or one per label.

        Parameters
        ----------
        wide : bool
            Whether each label has one row, indexed by it, and each metric a column. Averages, and
            the row ``all`` of numbers without a label, are last; slices are excluded.

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

    def plot(self, name: str | None = None, **parameters: Any) -> Any:
        """Curves, matrices and whatever else of the results can be drawn.

        A notebook shows it, and ``plot.save("curve.svg")`` writes it; the suffix may also be
        ``.html`` or ``.png``.

        Parameters
        ----------
        name : str, optional
            Name of a metric; all results unless given.
        **parameters
            Parameters of the results, as `find` takes them.

        Raises
        ------
        ReportError
            If there is no such result, or none that can be drawn.
        MissingExtraError
            If ``valor-report``, which draws it, is not installed.
        """
        results = self.find(name, **parameters) if name or parameters else self
        return plot(results._results)

    def to_csv(self) -> str:
        """The records as CSV; values that are not numbers as JSON."""
        made: str = required(FORMATS, ".csv", "report.to_csv: a table")(self)
        return made

    def in_slice(self, slice: Mapping[str, Any]) -> Results:
        """The same results as those of a slice, or of the whole if that is empty."""
        return Results(result.in_slice(slice) for result in self._results)

    def _all(self) -> Iterable[Result]:
        """What records and flat keys are made of."""
        return self._results

    def _named(self, name: str) -> list[Result]:
        found = [result for result in self._results if is_called(result, name)]
        if not found:
            types = dict.fromkeys(result.type for result in self._results)
            raise ReportError(
                f"report: no result of {name!r}",
                did_you_mean(name, types) or f"It has: {', '.join(types)}.",
            )
        return found


def notebook(found: Any) -> str | None:
    """The tables of a report or of results as HTML; none where nothing is installed that draws it.

    A notebook shows the `repr` then, which says how to see the tables as text.
    """
    drawing = extension(VIEWS, "notebook")
    return None if drawing is None else str(drawing.load()(found))


def is_called(result: Result, name: str) -> bool:
    """Whether a result is of the metric with this name, in full or in short, or an alias of it.

    Examples
    --------
    >>> is_called(Result(type="F1", metric="lab.F1@1", value=0.5), "lab.f1")
    True
    """
    return has_name(result.type, result.metric, name, result.aliases)


@lru_cache
def has_name(type: str, metric: str, name: str, aliases: tuple[str, ...] | None = None) -> bool:
    """Whether a metric answers to a name.

    Parameters
    ----------
    type : str
        The metric's short name, ``"F1"``.
    metric : str
        Its full name, with or without version, ``"classification.F1@1"``.
    name : str
        Its short or full name or an alias, in any form.
    aliases : tuple of str, optional
        Its other names; those that the installed plugin has for it unless given.

    Examples
    --------
    >>> has_name("F1", "lab.F1@1", "f1"), has_name("F1", "lab.F1@1", "F2")
    (True, False)
    >>> has_name("F1", "lab.F1@1", "lab.f_score", ("FScore",))
    True
    """
    wanted, full = fold(name.partition("@")[0]), metric.partition("@")[0]
    if wanted in (fold(type), fold(full)):
        return True
    known = _installed_aliases(full) if aliases is None else aliases
    return wanted.removeprefix(f"{fold(full.partition('.')[0])}.") in map(fold, known)


def installed_spec(full: str) -> MetricSpec | None:
    """What the plugin of a metric, if it is installed, declares under its name.

    A report outlives the registry of its evaluation, so what is installed is asked here, where it
    is read.
    """
    namespace, dot, short = full.partition(".")
    if not dot:
        return None
    try:
        return Registry().manifest(namespace).of(MetricSpec).by_name.get(fold(short))
    except RegistryError:
        return None


def _installed_aliases(full: str) -> tuple[str, ...]:
    """Other names of a metric that a report on file is of, where its plugin is installed."""
    spec = installed_spec(full)
    return () if spec is None else spec.aliases


def told(result: Result, name: str) -> Any:
    """A parameter of a result, or its default where the result does not name it.

    None where neither is known: its plugin may not be installed where a report is read.

    Examples
    --------
    >>> f1 = Result(metric="classification.F1@1", parameters={"label": "cat"}, value=0.5)
    >>> told(f1, "label"), told(f1, "zero_division"), told(f1, "color")
    ('cat', 0.0, None)
    """
    if name in result.parameters:
        return result.parameters[name]
    return defaults(result.metric).get(name)


@lru_cache
def defaults(metric: str) -> Mapping[str, Any]:
    """Parameters of a metric that have a default, with it; none where its plugin is not installed.

    Examples
    --------
    >>> defaults("classification.ROCCurve@1"), defaults("strange.F1@1")
    ({'drop_intermediate': True}, {})
    """
    spec = installed_spec(metric.partition("@")[0])
    try:
        known = () if spec is None else declared(spec.parameter_class)
    except RegistryError:
        return {}
    return {one.name: plain_value(one.default) for one in known if not one.required}


def _as_name(value: Any) -> Any:
    """The label that a whole number stands for, as `as_label` has it; else the value."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return str(value) if is_whole else value


def _nearest_parameter(pool: Sequence[Result], asked: Mapping[str, Any]) -> str | None:
    """What may have been meant by the first parameter or value that no result has."""
    names = dict.fromkeys(name for result in pool for name in result.parameters)
    for name, value in asked.items():
        if name not in names:
            return did_you_mean(name, names) or f"Known parameters: {', '.join(names)}."
        there = [told(result, name) for result in pool]
        if value not in there:
            return _nearest(value, there)
    return None


def _nearest(value: Any, there: Iterable[Any]) -> str | None:
    words = dict.fromkeys(word for word in there if isinstance(word, str))
    return did_you_mean(value, words) if isinstance(value, str) else None


def _names(result: Result) -> tuple[Any, ...]:
    return tuple(result.parameters.get(name) for name in NAMING)
