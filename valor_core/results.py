"""Results: what metrics found, in the order of the report, and how they are looked up."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from attrs import field, frozen

from valor_core.errors import ReportError, did_you_mean
from valor_core.extras import import_extra
from valor_core.flat import flat_keys, written
from valor_core.result import Result
from valor_core.spec import fold

if TYPE_CHECKING:
    import pandas as pd

_NAMING = ("label", "average", "label_key")


def _results(results: Any) -> tuple[Result, ...]:
    return tuple(results)


@frozen
class Results(Sequence[Result]):
    """Results in the order of the report, found by position, name or label.

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
    """

    _results: tuple[Result, ...] = field(converter=_results)

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, wanted: int) -> Result: ...
    @overload
    def __getitem__(self, wanted: slice) -> Results: ...
    @overload
    def __getitem__(self, wanted: str) -> Results: ...
    @overload
    def __getitem__(self, wanted: tuple[str, ...]) -> Results: ...
    def __getitem__(self, wanted: int | slice | str | tuple[str, ...]) -> Result | Results:
        if isinstance(wanted, int):
            return self._results[wanted]
        if isinstance(wanted, slice):
            return Results(self._results[wanted])
        name, *values = (wanted,) if isinstance(wanted, str) else wanted
        found = self._named(name)
        for value in values:
            found = [result for result in found if value in _names(result)]
            if not found:
                raise ReportError(f"report: no result of {name!r} for {value!r}")
        return Results(found)

    @property
    def value(self) -> Any:
        """The value of the only result; None where it is undefined.

        Raises
        ------
        ReportError
            If there are several.
        """
        return self.only.to_dict()["value"]

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
        apart = [
            f"{name}={value!r}"
            for name, value in first.parameters.items()
            if any(result.parameters.get(name) != value for result in self._results)
        ]
        raise ReportError(
            f"report: expected one result of {first.type}, found {len(self)}",
            f"Choose one with find({', '.join(apart)})." if apart else None,
        )

    def find(self, name: str | None = None, **parameters: Any) -> Results:
        """The results of a metric with some parameters.

        Raises
        ------
        ReportError
            If there is none.
        """
        pool = self._results if name is None else self._named(name)
        found = [
            result
            for result in pool
            if all(result.parameters.get(key) == value for key, value in parameters.items())
        ]
        if not found:
            asked = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
            of = f" of {name!r}" if name else ""
            raise ReportError(f"report: no result{of} with {asked}")
        return Results(found)

    def having(self, name: str, text: str) -> Results:
        """The results with a parameter written as in a flat key.

        Raises
        ------
        ReportError
            If there is none.

        Examples
        --------
        >>> results = Results([Result(type="F1", parameters={"hardmax": True}, value=1.0)])
        >>> results.having("hardmax", "true").value
        1.0
        """
        found = [
            result
            for result in self._results
            if name in result.parameters and written(result.parameters[name]) == text
        ]
        if not found:
            raise ReportError(f"report: no result with {name}:{text}")
        return Results(found)

    def flat(self, prefix: str = "") -> dict[str, float]:
        """Every single number under a flat key, for experiment trackers, as in `flat_keys`.

        Examples
        --------
        >>> Results([Result(type="Recall", parameters={"label": "cat"}, value=0.5)]).flat("val/")
        {'val/Recall/label:cat': 0.5}
        """
        return flat_keys(self._results, prefix)

    def to_records(self) -> list[dict[str, Any]]:
        """One flat record per result: type, metric, parameters, value and reason."""
        names = dict.fromkeys(name for result in self._results for name in result.parameters)
        return [
            {"type": result.type, "metric": result.metric}
            | {name: result.parameters.get(name) for name in names}
            | {
                "value": result.to_dict()["value"],
                "undefined": result.undefined,
                "error": result.error,
            }
            for result in self._results
        ]

    def to_frame(self) -> pd.DataFrame:
        """A pandas data frame with one row per result.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        pandas = import_extra("pandas", "report.to_frame: a data frame", "valor-core[pandas]")
        frame: pd.DataFrame = pandas.DataFrame(self.to_records())
        return frame

    def to_csv(self) -> str:
        """The records as CSV; values that are not numbers as JSON."""
        records = self.to_records()
        text = io.StringIO()
        if records:
            writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows({k: _cell(v) for k, v in record.items()} for record in records)
        return text.getvalue()

    def _named(self, name: str) -> list[Result]:
        wanted = fold(name.partition("@")[0])
        found = [
            result
            for result in self._results
            if wanted in (fold(result.type), fold(result.metric.partition("@")[0]))
        ]
        if not found:
            types = dict.fromkeys(result.type for result in self._results)
            raise ReportError(
                f"report: no result of {name!r}",
                did_you_mean(name, types) or f"It has: {', '.join(types)}.",
            )
        return found


def as_results(results: Any) -> Results:
    """Results as a `Results`."""
    return results if isinstance(results, Results) else Results(results)


def _names(result: Result) -> tuple[Any, ...]:
    return tuple(result.parameters.get(name) for name in _NAMING)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (Mapping, list, tuple)) else value
