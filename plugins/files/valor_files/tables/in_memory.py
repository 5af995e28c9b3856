"""Tables in memory: data frames, Arrow tables, data sets, mappings of columns and lists of rows.

Tables are recognized by their methods, without importing their libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import ParameterError, ReadError, SchemaError, and_more, short_repr
from valor_core.parameters.kinds import PathKind
from valor_core.readers import fingerprint
from valor_core.schemas.columns import widen_as_printed
from valor_files.tables.lazy_frames import check_in_memory
from valor_files.tables.parquet import arrow_column
from valor_files.tables.table import Column, Table, TablePartition

Columns = dict[str, Any]
_PLAIN = "iufb"


@frozen(eq=False, repr=False)
class TableInMemory(TablePartition):
    """Table in memory, accepted wherever a reader accepts the path of a table.

    Examples
    --------
    >>> table = TableInMemory.of({"label": ["cat", "dog"], "score": [0.5, 0.25]})
    >>> print(table)
    <dict of 2 rows and 2 columns>
    >>> table.table.names
    ('label', 'score')
    """

    table: Table = field(kw_only=True)
    description: str = field(kw_only=True)

    @classmethod
    def of(cls, data: Any, source: str = "data") -> Self | None:
        """Convert data to a table; None for data that are not a table.

        Parameters
        ----------
        data : object
            A pandas or polars data frame, an Arrow table or record batch, a Hugging Face data set,
            a mapping of columns, or a list of mappings.
        source : str
            Name of the table in error messages.

        Raises
        ------
        ReadError
            If two columns have the same name.
        SchemaError
            If the rows are not in memory, such as those of a Dask data frame.
        """
        if isinstance(data, TableInMemory):
            return data  # type: ignore[return-value]
        check_in_memory(data, source)
        found = _columns(data)
        if found is None:
            return None
        table = Table(found, source, first_row=0)
        description = f"<{type(data).__name__} of {_count(len(table), 'row')} and "
        description += f"{_count(len(found), 'column')}>"
        return cls(Path(source), "memory", 0, len(table), 0, table=table, description=description)

    def __str__(self) -> str:
        return self.description

    @property
    def identity(self) -> str:
        """Description of the table, which has no path."""
        return self.description

    @property
    def paths(self) -> tuple[Path, ...]:
        """Empty: the table is not in a file."""
        return ()

    @property
    def fingerprint(self) -> str:
        """Hash of all cells."""
        return fingerprint(self.table.columns)

    @property
    def beginning(self) -> Table:
        """First rows of the table."""
        columns = {name: _head(cells) for name, cells in self.table.columns.items()}
        return evolve(self.table, columns=columns)


_FIRST = 1000


def _head(cells: Column) -> Column:
    if isinstance(cells, np.ndarray):
        return cells[:_FIRST]
    return [cells[i] for i in range(min(_FIRST, len(cells)))]


@frozen(repr=False)
class TableSourceKind(PathKind):
    """Kind of a parameter that is the path of a table or a table in memory."""

    def is_one(self, value: Any) -> bool:
        """Return True for a list of rows."""
        return _is_of_rows(value)

    def fit(self, value: Any, name: str) -> Any:
        """Convert a value to a path or a table."""
        # errors name the argument of evaluate, or its item if there are several tables
        try:
            table = TableInMemory.of(value, "data" if name == "path" else f"data.{name}")
        except (ReadError, SchemaError) as error:
            found = error.message.partition(": ")[2]
            raise ParameterError(f"{name}: {found}", error.remedy) from error
        return super().fit(value, name) if table is None else table


TableSource = Annotated[Path | TableInMemory, TableSourceKind()]
"""Annotation of a parameter that is the path of a table or a table in memory."""


def _columns(data: Any) -> Columns | None:
    """Columns by name; None for data that are not a table."""
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return _of_pandas(data)
    if hasattr(data, "get_columns") and hasattr(data, "n_chunks"):
        return _named((one.name, _of_polars(one)) for one in data.get_columns())
    if hasattr(data, "column_names") and hasattr(data, "with_format"):
        return _of_data_set(data)
    if hasattr(data, "column_names") and hasattr(data, "schema"):
        return _of_arrow(data)
    if isinstance(data, Mapping):
        return _of_mapping(data)
    return _of_rows(data) if _is_of_rows(data) else None


def _named(columns: Iterator[tuple[Any, Any]] | Any) -> Columns:
    found: Columns = {}
    for name, cells in columns:
        if str(name) in found:
            raise ReadError(
                f"data: expected every column once, found {short_repr(str(name))} twice"
            )
        found[str(name)] = cells
    return found


def _of_pandas(frame: Any) -> Columns:
    index = frame.index
    named = [] if index.name is None else [(index.name, index.to_series())]
    columns = [(name, frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    return _named((name, _of_series(series)) for name, series in [*named, *columns])


def _of_series(series: Any) -> NDArray[Any]:
    """Cells of a pandas series: numbers keep their dtype, other cells become Python objects."""
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        codes = series.cat.codes.to_numpy()
        kinds = [*_plain_objects(dtype.categories.to_numpy(dtype=object)), None]
        labels: NDArray[Any] = _as_objects(kinds)[codes]  # the code of a missing cell is -1
        return labels
    missing = series.isna().to_numpy()
    plain = getattr(dtype, "numpy_dtype", dtype)
    if getattr(plain, "kind", "O") in _PLAIN and not missing.any():
        numbers: NDArray[Any] = series.to_numpy(dtype=plain)
        return numbers
    if getattr(plain, "kind", "O") == "f":
        cells = widen_as_printed(series.to_numpy(dtype=plain, na_value=np.nan)).astype(object)
    else:
        cells = _plain_objects(series.to_numpy(dtype=object))
    if missing.any():
        cells = cells.copy()
        cells[missing] = None
    return cells


def _plain_objects(cells: NDArray[Any]) -> NDArray[Any]:
    """Convert NumPy values to Python objects, and missing values to None."""
    kinds = set(map(type, cells))
    is_numpy = any(issubclass(kind, (np.ndarray, np.generic)) for kind in kinds)
    if is_numpy or float in kinds or any(kind.__name__ in _MISSING for kind in kinds):
        return _as_objects([_plain_cell(cell) for cell in cells])
    return cells


_MISSING = ("NAType", "NaTType")
"""Class names of pandas' missing values."""


def _plain_cell(cell: Any) -> Any:
    """Convert a cell to nested Python objects; NaN becomes None."""
    if isinstance(cell, np.ndarray):
        return [_plain_cell(one) for one in cell.tolist()]
    value = cell.item() if isinstance(cell, np.generic) else cell
    is_missing = type(value).__name__ in _MISSING or (isinstance(value, float) and value != value)
    return None if is_missing else value


def _of_polars(series: Any) -> NDArray[Any]:
    if series.null_count() == 0 and (series.dtype.is_numeric() or str(series.dtype) == "Boolean"):
        cells: NDArray[Any] = series.to_numpy()
        if cells.dtype.kind in _PLAIN:
            return cells
    return _as_objects(series.to_list())


def _of_arrow(table: Any) -> Columns:
    import pyarrow  # installed, because the table is from pyarrow

    if not hasattr(table, "combine_chunks"):
        table = pyarrow.Table.from_batches([table])
    names = table.column_names
    return _named((name, arrow_column(table.column(i))) for i, name in enumerate(names))


def _of_data_set(data: Any) -> Columns:
    found = _of_arrow(data.with_format("arrow")[:])
    for name, feature in (data.features or {}).items():
        names = getattr(feature, "names", None)  # of a ClassLabel, whose cells are numbers
        if names is not None and name in found:
            # a missing label is None or, in test sets, -1
            numbers = [-1 if cell is None else int(cell) for cell in found[name].tolist()]
            found[name] = _as_objects([*names, None])[np.array(numbers, np.int64)]
    return found


def _of_mapping(data: Mapping[Any, Any]) -> Columns | None:
    lengths = {len(cells) if _is_column(cells) else -1 for cells in data.values()}
    if len(lengths) != 1 or -1 in lengths:
        return None
    return _named((name, _of_cells(cells)) for name, cells in data.items())


def _is_column(cells: Any) -> bool:
    """Return True for a list, or a one-dimensional array or series."""
    is_array = hasattr(cells, "__array__") and len(getattr(cells, "shape", ())) == 1
    return isinstance(cells, (list, tuple)) or is_array


def _of_cells(cells: Any) -> Any:
    if isinstance(cells, (list, tuple)):
        return _plain_objects(_as_objects(cells))
    if hasattr(cells, "iloc"):
        return _of_series(cells)
    if hasattr(cells, "null_count") and hasattr(cells, "to_list"):
        return _of_polars(cells)
    array = np.asarray(cells)
    return array if array.dtype.kind in _PLAIN else _plain_objects(array.astype(object))


def _is_of_rows(data: Any) -> bool:
    """Return True for a list whose first item is a mapping."""
    return isinstance(data, (list, tuple)) and len(data) > 0 and isinstance(data[0], Mapping)


def _of_rows(rows: Sequence[Any]) -> Columns:
    invalid = [i for i, row in enumerate(rows) if not isinstance(row, Mapping)]
    if invalid:
        raise ReadError(
            f"data[{invalid[0]}]: expected a table of fields as in data[0], found "
            f"{short_repr(rows[invalid[0]])}{and_more(len(invalid) - 1)}"
        )
    names = dict.fromkeys(name for row in rows for name in row)
    return _named((name, _of_cells([row.get(name) for row in rows])) for name in names)


def _as_objects(cells: Sequence[Any]) -> NDArray[Any]:
    # np.array would turn a column of equally long lists into two dimensions
    return np.fromiter(cells, dtype=np.object_, count=len(cells))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
