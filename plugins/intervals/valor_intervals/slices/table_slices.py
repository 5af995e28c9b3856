"""Slices by ranges of numbers, slices compared with the rest, and differences between slices."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import ConfigError, ParameterError, short_repr
from valor_core.evaluation import Evaluation, EvaluationState, Slices
from valor_core.parameters import (
    Within,
    changed_parameters,
    parameter,
    parameters,
    parameters_from,
)
from valor_core.readers import Reader
from valor_core.results import Result, Slice
from valor_core.schemas import Batch, Codes
from valor_intervals.slices.number_ranges import quantile_edges, range_text
from valor_intervals.slices.slice_differences import (
    DIFFERENCE,
    REST,
    Side,
    difference,
    with_correction,
    with_rest,
)
from valor_intervals.valid_values import config_error

Key = tuple[Any, ...]
"""Values of the sliced fields, and the code of the group."""

MOST_COMPARED = 20
"""Most slices of the same fields whose differences are reported."""


@parameters
class RangeParameters:
    """Ranges of a numeric metadata field."""

    of: str = parameter(help="Numeric metadata field.")
    edges: tuple[float, ...] = parameter(
        default=(), help="Boundaries of the ranges. A boundary belongs to the range above it."
    )
    quantiles: int | None = parameter(
        default=None,
        help="Number of ranges with about equally many items, instead of boundaries.",
        check=Within(2, 100),
    )


@parameters
class SliceParameters:
    """Dimensions of slices, and options of all slices."""

    by: tuple[Any, ...] = parameter(
        help="Metadata fields, ranges of numeric fields, or lists of these to combine."
    )
    min_items: int = parameter(default=1, help="Fewest items of a reported slice.", check=Within(1))
    worst: int = parameter(
        default=0,
        help="Number of worst slices to list. Each slice is then compared with all other items.",
        check=Within(0),
    )
    differences: bool = parameter(
        default=False, help="Whether to report the differences between slices of the same fields."
    )


def slices(choice: Sequence[Any], grouping: Any, place: str) -> TableSlices:
    """Return the slices of a config or Python call that has tables.

    Parameters
    ----------
    choice : sequence
        Fields, tables of `RangeParameters` and lists of these; or a single table of
        `SliceParameters`.
    grouping : Grouping, optional
        Groups of items for intervals.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.

    Raises
    ------
    ConfigError
        If a parameter is invalid.

    Examples
    --------
    >>> found = slices([{"by": {"edges": [32, 96], "of": "size"}, "min_items": 5}], None, "")
    >>> found.fields, found.min_items
    (('size',), 5)
    """
    is_table = len(choice) == 1 and isinstance(choice[0], Mapping) and "by" in choice[0]
    values = choice[0] if is_table else {"by": choice}
    try:
        options = parameters_from(SliceParameters, values, "slices.")
        name = "slices.by" if is_table else "slices"
        by = [
            [_range(one, f"{name}[{i}]") for one in _listed(each)]
            for i, each in enumerate(options.by)
        ]
    except ParameterError as error:
        raise config_error(error, place) from error
    ranges: dict[str, RangeParameters] = {}
    for one in (one for each in by for one in each):
        if one != ranges.setdefault(one.of, one):
            raise ConfigError(
                f"{place}slices: expected one set of ranges of {one.of!r}, found two",
                "Repeat the same ranges where the field is combined with others.",
            )
    return TableSlices(
        [[one.of for one in each] for each in by],
        grouping,
        place=place,
        ranges={of: one for of, one in ranges.items() if one.edges or one.quantiles},
        options=options,
    )


def _listed(entry: Any) -> Iterable[Any]:
    return entry if isinstance(entry, (list, tuple)) else (entry,)


def _range(entry: Any, place: str) -> RangeParameters:
    if not isinstance(entry, (str, Mapping)):
        raise ParameterError(
            f"{place} must be a field, a range or a list of these, got {short_repr(entry)}",
            "Name a metadata field: weather",
        )
    values = {"of": entry} if isinstance(entry, str) else entry
    one = parameters_from(RangeParameters, values, f"{place}.")
    return _with_edges(one, one.edges)


def _with_edges(one: RangeParameters, edges: Iterable[float]) -> RangeParameters:
    return RangeParameters(of=one.of, edges=tuple(sorted(set(edges))), quantiles=one.quantiles)


@frozen(repr=False)
class TableSlices(Slices):
    """Slices with ranges of numbers and options.

    Parameters
    ----------
    ranges : mapping of str to RangeParameters
        Ranges by field.
    options : SliceParameters
        Options of all slices.
    """

    ranges: Mapping[str, RangeParameters] = field(factory=dict, kw_only=True)
    options: SliceParameters = field(kw_only=True)

    @property
    def min_items(self) -> int:
        """Fewest items of a reported slice."""
        return self.options.min_items

    def describe(self) -> Any:
        """Return the table of a config from which the same slices are made."""
        described = {of: changed_parameters(one) for of, one in self.ranges.items()}
        by = [[described.get(name, name) for name in names] for names in self.wanted]
        return {**changed_parameters(self.options), "by": by}

    def column(self, batch: Batch, name: str) -> tuple[Codes, list[Any]]:
        """Return a code per item, and the value or the position of its range for each code."""
        codes, values = super().column(batch, name)
        if name not in self.ranges:
            return codes, values
        found = [None if one is None else self._position(name, one) for one in values]
        positions = list(dict.fromkeys(found))
        places = np.array([positions.index(one) for one in found], np.int64)
        return places[codes], positions

    def _position(self, name: str, value: Any) -> int:
        edges = self.ranges[name].edges
        if not edges:
            raise ConfigError(
                f"{self.place}slices: quantiles of {name!r} need all items before the first is "
                "counted",
                f"Pass all data to evaluate, or boundaries: {{'edges': [32, 96], 'of': {name!r}}}",
            )
        return bisect_right(edges, _number(name, value, self.place))

    def decided(self, evaluation: Evaluation, reader: Reader) -> Slices:
        """Return the slices with boundaries instead of quantiles, for which the data are read."""
        names = [of for of, one in self.ranges.items() if not one.edges]
        columns: dict[str, list[NDArray[np.float64]]] = {name: [] for name in names}
        for batch in _batches(evaluation, reader) if names else ():
            for name in names:
                codes, values = super().column(batch, name)
                numbers = [
                    np.nan if one is None else _number(name, one, self.place) for one in values
                ]
                columns[name].append(np.array(numbers, np.float64)[codes])
        ranges = dict(self.ranges)
        for name, parts in columns.items():
            count = ranges[name].quantiles or 0
            edges = quantile_edges(np.concatenate([np.empty(0), *parts]), count)
            ranges[name] = _with_edges(ranges[name], edges)
        # A field with a single number has no ranges.
        return evolve(self, ranges={of: one for of, one in ranges.items() if one.edges})

    def groups(self, sizes: Mapping[Key, int]) -> Iterator[tuple[dict[str, Any], list[Key]]]:
        """Yield each slice with enough items, and the keys of its items."""
        for where, keys in super().groups(sizes):
            if sum(sizes[key] for key in keys) >= self.min_items:
                yield {name: self._text(name, value) for name, value in where.items()}, keys

    def _text(self, name: str, position: Any) -> Any:
        if position is None or name not in self.ranges:
            return position
        return range_text(self.ranges[name].edges, position)

    def warnings(self, sizes: Mapping[Key, int]) -> list[str]:
        """Return the number of slices that have too few items."""
        few = sum(1 for _ in super().groups(sizes)) - sum(1 for _ in self.groups(sizes))
        if not few:
            return []
        about = f"slice{'' if few == 1 else 's'} with fewer than {self.min_items:,} items"
        return [f"{few:,} {about} {'is' if few == 1 else 'are'} not reported"]

    def completed(
        self, slices: list[Slice], state: EvaluationState, evaluation: Evaluation
    ) -> list[Slice]:
        """Return slices compared with all other items, and the differences between slices."""
        groups = self.groups({key: state.sizes[key] for key in state.states})
        keyed = list(zip(slices, (keys for _, keys in groups), strict=True))
        found = slices
        if self.options.worst:
            found = with_correction(
                [self._compared(one, set(keys), state, evaluation) for one, keys in keyed], REST
            )
        if self.options.differences:
            sides = [self._side(one, keys, one.items) for one, keys in keyed if len(one)]
            found = [*found, *with_correction(list(self._differences(sides)), DIFFERENCE)]
        return found

    def _side(self, results: Sequence[Result], keys: Iterable[Key], items: int | None) -> Side:
        groups = () if self.grouping is None else sorted({key[-1] for key in keys})
        return Side(results, groups, items)

    def _compared(
        self, part: Slice, keys: Set[Key], state: EvaluationState, evaluation: Evaluation
    ) -> Slice:
        """Add a table ``rest`` to the details of the results of a slice."""
        others = [key for key in state.states if key not in keys]
        if not others:
            return part
        rest = evaluation.compute(state.merged(others, evaluation.plan))
        if self.grouping is not None:
            groups: dict[int, list[Key]] = {}
            for key in others:
                groups.setdefault(key[-1], []).append(key)
            parts = {at: state.merged(groups[at], evaluation.plan) for at in sorted(groups)}
            rest = self.grouping.with_intervals(rest, parts, evaluation, {})
        sides = self._side(part, keys, part.items), self._side(rest, others, None)
        return evolve(part, results=with_rest(*sides, self._level))

    @property
    def _level(self) -> float | None:
        return None if self.grouping is None else self.grouping.describe()["level"]

    def _differences(self, sides: Iterable[Side]) -> Iterator[Slice]:
        """Yield a slice with the differences of each pair that differs in one field."""
        by_fields: dict[Key, list[Side]] = {}
        for one in sides:
            by_fields.setdefault(tuple(one.results[0].slice), []).append(one)
        for fields, parts in by_fields.items():
            if len(parts) > MOST_COMPARED:
                raise ConfigError(
                    f"{self.place}slices.differences: expected at most {MOST_COMPARED} slices by "
                    f"{', '.join(fields)}, found {len(parts):,}",
                    "Set min_items, or list the worst slices only: worst: 10",
                )
            for one, other in combinations(parts, 2):
                values = zip(
                    *(side.results[0].slice.values() for side in (one, other)), strict=True
                )
                if sum(first != second for first, second in values) == 1:
                    yield difference(one, other, self._level)


def _batches(evaluation: Evaluation, reader: Reader) -> Iterator[Batch]:
    """Yield the items that are counted, which the filter may select."""
    start = 0
    for partition in reader.partitions():
        for batch in reader.read(partition):
            yield evaluation.taking_part(batch, start)
            start += len(batch)


def _number(name: str, value: Any, place: str) -> float:
    if isinstance(value, (int, float)):
        return value
    # A table may hold numbers as text, such as "12.50".
    with suppress(TypeError, ValueError):
        number = float(value)
        if not math.isnan(number):
            return number
    found = getattr(value, "value", value)  # of a boolean
    raise ConfigError(
        f"{place}slices: expected numbers in the metadata field {name!r}, found {found!r}",
        f"Slice by its values: {name}",
    )
