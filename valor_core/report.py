"""Report: all results of an evaluation and everything needed to read, compare and rerun it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from attrs import field, frozen

from valor_core.errors import MissingExtraError, ReportError, did_you_mean, shown
from valor_core.flat import flat_keys, written
from valor_core.items import ItemRow
from valor_core.requirements import Requirement
from valor_core.result import Result
from valor_core.spec import fold

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
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
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(
                "report.to_frame: needs pandas, which is not installed",
                "Install it with: python -m pip install 'valor-core[pandas]'",
            ) from error
        return pd.DataFrame(self.to_records())

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


@frozen
class SliceReport:
    """Results of the datums that share some metadata values.

    Parameters
    ----------
    where : mapping of str to value
        The values, ``{"weather": "rain"}``.
    results : Results
        Their results.
    """

    where: Mapping[str, Any]
    results: Results = field(converter=as_results)

    def to_dict(self) -> dict[str, Any]:
        """The slice as JSON has it."""
        return {
            "slice": dict(self.where),
            "results": [result.to_dict() for result in self.results],
        }


@frozen
class ItemTable:
    """Rows of one per-item metric.

    Parameters
    ----------
    metric : str
        Name and version.
    parameters : mapping
        Its parameters.
    rows : tuple of ItemRow
        One row per item, by uid.
    """

    metric: str
    parameters: Mapping[str, Any]
    rows: tuple[ItemRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return {
            "metric": self.metric,
            "parameters": dict(self.parameters),
            "rows": [row.to_dict() for row in self.rows],
        }


@frozen(kw_only=True)
class Report:
    """Everything an evaluation found.

    Parameters
    ----------
    results : Results
        Results over all datums that took part.
    slices : tuple of SliceReport
        Results by metadata values.
    items : tuple of ItemTable
        Rows of per-item metrics, where asked for.
    config : mapping
        The resolved config; `valor rerun` starts from it.
    versions : mapping of str to str
        Distributions that took part.
    counts : mapping of str to int
        Datums ``read``, ``skipped`` by the filter, and ``failed`` in a per-item metric.
    requirements : tuple of Requirement
        Thresholds from ``require``, each met or not.
    warnings : tuple of str
        What is worth knowing.
    """

    results: Results = field(converter=as_results)
    slices: tuple[SliceReport, ...] = ()
    items: tuple[ItemTable, ...] = ()
    config: Mapping[str, Any] = field(factory=dict)
    versions: Mapping[str, str] = field(factory=dict)
    counts: Mapping[str, int] = field(factory=dict)
    requirements: tuple[Requirement, ...] = ()
    warnings: tuple[str, ...] = ()

    def __getitem__(self, wanted: str | tuple[str, ...]) -> Results:
        return self.results[wanted]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def find(self, name: str | None = None, **parameters: Any) -> Results:
        """As `Results.find`."""
        return self.results.find(name, **parameters)

    def slice(self, **where: Any) -> Results:
        """Results of one slice: ``report.slice(weather="rain")``.

        Raises
        ------
        ReportError
            If there is no such slice.
        """
        for part in self.slices:
            if dict(part.where) == where:
                return part.results
        raise ReportError(f"report: no slice {where!r}", "Name the fields under slices.")

    @property
    def ok(self) -> bool:
        """Whether no item or metric failed and every requirement is met."""
        failed = self.counts.get("failed", 0) > 0 or any(result.error for result in self.results)
        return not failed and all(requirement.met for requirement in self.requirements)

    def flat(self, prefix: str = "") -> dict[str, float]:
        """As `Results.flat`."""
        return self.results.flat(prefix)

    def to_frame(self) -> pd.DataFrame:
        """As `Results.to_frame`."""
        return self.results.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        record: dict[str, Any] = {
            "valor_report": FORMAT,
            "results": [result.to_dict() for result in self.results],
        }
        if self.slices:
            record["slices"] = [part.to_dict() for part in self.slices]
        if self.items:
            record["items"] = [table.to_dict() for table in self.items]
        if self.requirements:
            record["requirements"] = [outcome.to_dict() for outcome in self.requirements]
        return record | {
            "counts": dict(self.counts),
            "warnings": list(self.warnings),
            "versions": dict(self.versions),
            "config": dict(self.config),
        }

    def to_json(self) -> str:
        """The report as JSON text, the same bytes for the same data and config."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        return text + "\n"

    def to_markdown(self) -> str:
        """The report as Markdown tables."""
        from valor_core.tables import markdown

        return markdown(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report; the suffix says how: ``.json``, ``.csv``, ``.md`` or ``.html``.

        Raises
        ------
        ReportError
            If the suffix is none of these or the file cannot be written.
        """
        path = Path(path)
        try:
            path.write_text(self._rendered(path), encoding="utf-8", newline="\n")
        except OSError as error:
            raise ReportError(f"{path}: cannot be written, {error.strerror}") from error

    def _rendered(self, path: Path) -> str:
        if path.suffix == ".json":
            return self.to_json()
        if path.suffix == ".csv":
            return self.results.to_csv()
        if path.suffix == ".md":
            return self.to_markdown()
        if path.suffix == ".html":
            from valor_core.page import html

            return html(self)
        raise ReportError(f"{path}: expected a name in .json, .csv, .md or .html")

    @classmethod
    def from_dict(cls, record: Any, source: str = "report") -> Report:
        """The report that `to_dict` wrote.

        Raises
        ------
        ReportError
            If the record is not a report.
        """
        if not isinstance(record, Mapping) or record.get("valor_report") != FORMAT:
            raise ReportError(
                f"{source}: expected a report of format {FORMAT}, found {shown(record)}"
            )
        try:
            return cls._from_record(record)
        except (KeyError, TypeError, AttributeError) as error:
            raise ReportError(
                f"{source}: expected a report, its content is damaged, "
                f"{type(error).__name__}: {error}"
            ) from error

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> Report:
        return cls(
            results=[Result.from_dict(entry) for entry in record["results"]],
            slices=tuple(
                SliceReport(entry["slice"], map(Result.from_dict, entry["results"]))
                for entry in record.get("slices", ())
            ),
            items=tuple(
                ItemTable(
                    entry["metric"],
                    entry["parameters"],
                    tuple(map(ItemRow.from_dict, entry["rows"])),
                )
                for entry in record.get("items", ())
            ),
            config=record.get("config", {}),
            versions=record.get("versions", {}),
            counts=record.get("counts", {}),
            requirements=tuple(
                Requirement.from_dict(entry) for entry in record.get("requirements", ())
            ),
            warnings=tuple(record.get("warnings", ())),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Report:
        """The report in a JSON file.

        Raises
        ------
        ReportError
            If there is no such file or it is not a report.
        """
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ReportError(f"{path}: cannot be read, {error.strerror}") from error
        except ValueError as error:
            raise ReportError(f"{path}: expected a report as JSON, {error}") from error
        return cls.from_dict(record, str(path))


def _names(result: Result) -> tuple[Any, ...]:
    return tuple(result.parameters.get(name) for name in _NAMING)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (Mapping, list, tuple)) else value
