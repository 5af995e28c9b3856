"""Selection: the one number of a report that a key names.

A key is a metric and, behind slashes, what tells its numbers apart: a label or an average, a
parameter or a slice as ``name:value``, the name of an entry of a table. Every key that
`flat_keys` writes is one, and what it leaves away may be left away here as long as one number is
meant. A label with a slash is written as it is, ``F1/n/a``, or as in a flat key, ``F1/n_a``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.errors import ReportError, and_more, did_you_mean
from valor_core.result import Failed, Undefined, is_number
from valor_core.results import NAMING, is_called
from valor_core.sliced import SlicedResult, pairs, safe, written

_MOST_NAMED = 12
_ANOTHER = "Name a single number of the report."


@frozen
class _Candidate:
    """A value that a key may mean: a result's, or an entry below it."""

    found: SlicedResult
    path: tuple[str, ...] = ()

    @property
    def value(self) -> Any:
        value = self.found.result.value
        for name in self.path:
            value = value[name]
        return value

    @property
    def has_value(self) -> bool:
        result = self.found.result
        return result.undefined is None and result.error is None

    @property
    def slice_words(self) -> list[str]:
        return pairs(self.found.where)

    @property
    def words(self) -> list[str]:
        """Every part of a key that this result answers to."""
        return [*self._bare.values(), *pairs(self.found.result.parameters), *self.slice_words]

    @property
    def sides(self) -> dict[str, str]:
        """The one part of a key for everything that may tell it from others."""
        result = self.found.result
        told = {name: f"{name}:{written(value)}" for name, value in result.parameters.items()}
        names = dict.fromkeys(("label", "average"), "") | self._bare
        last = {"": str(self.path[-1])} if self.path else {}
        parts = (told | names | last).items()
        return {name: safe(part) if "/" in part else part for name, part in parts}

    @property
    def entries(self) -> dict[str, _Candidate]:
        """What a table holds, by the names of its entries."""
        if not self.has_value or not isinstance(self.value, Mapping):
            return {}
        return {str(name): _Candidate(self.found, (*self.path, name)) for name in self.value}

    @property
    def leads_on(self) -> bool:
        """Whether it is a number or a table, which may have some."""
        return self.value is None or is_number(self.value) or isinstance(self.value, Mapping)

    @property
    def _bare(self) -> dict[str, str]:
        """Names of its label, average and label key."""
        parameters = self.found.result.parameters
        named = {name: parameters.get(name) for name in NAMING}
        return {name: value for name, value in named.items() if isinstance(value, str)}


def select(key: str, found: Iterable[SlicedResult]) -> float | Undefined | Failed:
    """The number that a key names, or the reason why there is none.

    Parameters
    ----------
    key : str
        ``"Recall/cat"``, ``"COCOSummary/AP"``, ``"Accuracy/weather:rain"``.
    found : iterable of SlicedResult
        Where it is looked for.

    Raises
    ------
    ReportError
        If the key names no number, or several; with the keys there are.

    Examples
    --------
    >>> from valor_core.result import Result
    >>> counts = Result(type="Counts", parameters={"label": "cat"}, value={"tp": 3, "fp": 1})
    >>> select("Counts/cat/tp", [SlicedResult({}, counts)])
    3.0
    """
    metric, *parts = key.split("/")
    named = [_Candidate(one) for one in found if is_called(one.result, metric)]
    try:
        return _selected(metric, parts, named)
    except ReportError:
        rejoined = _rejoined(parts, named)
        if rejoined == parts:
            raise
    return _selected(metric, rejoined, named)


def _rejoined(parts: Sequence[str], named: Sequence[_Candidate]) -> list[str]:
    """The parts of a key, where slashes that a name has of its own do not part it."""
    words = {word for one in named for word in (*one.words, *one.entries)}
    rejoined: list[str] = []
    start = 0
    while start < len(parts):
        stops = range(len(parts), start + 1, -1)
        stop = next((stop for stop in stops if "/".join(parts[start:stop]) in words), start + 1)
        rejoined.append("/".join(parts[start:stop]))
        start = stop
    return rejoined


def _selected(
    metric: str, parts: Sequence[str], named: Sequence[_Candidate]
) -> float | Undefined | Failed:
    key = "/".join([metric, *parts])
    candidates = _of_slice(named, parts)
    if not candidates:
        raise ReportError(f"no result of {metric!r}", _ANOTHER)
    if not any(candidate.has_value for candidate in candidates):
        meant = [one for one in candidates if all(_matches(part, one.words) for part in parts)]
        return _number((meant or candidates)[0])
    for place, part in enumerate(parts):
        narrower = _narrowed(candidates, part)
        if not narrower:
            before = "/".join([metric, *parts[:place]])
            near = named if place == 0 else candidates
            raise ReportError(f"no result of {before!r} for {part!r}", _nearest(part, near))
        candidates = narrower
    if len(candidates) > 1:
        keys = _keys(key, candidates)
        raise ReportError(f"expected one number, found {len(candidates):,}", _write_one_of(keys))
    (candidate,) = candidates
    if candidate.entries:
        keys = [f"{key}/{name}" for name, entry in candidate.entries.items() if entry.leads_on]
        raise ReportError("expected one number, found a table", _write_one_of(keys))
    return _number(candidate)


def _of_slice(named: Sequence[_Candidate], parts: Iterable[str]) -> list[_Candidate]:
    """The results of the slice that a key names, or of the whole."""
    whole = [candidate for candidate in named if not candidate.found.where]
    own = {word for candidate in whole for word in candidate.words}
    strange = [part for part in parts if ":" in part and not _matches(part, own)]
    sliced = {word for one in named for word in one.slice_words} if strange else set()
    chosen = {part for part in strange if _matches(part, sliced)}
    if not chosen:
        return whole
    found = [
        candidate
        for candidate in named
        if len(candidate.found.where) == len(chosen)
        and all(_matches(part, candidate.slice_words) for part in chosen)
    ]
    if not found:
        slices = list(dict.fromkeys(one.found.slice for one in named if one.found.where))
        raise ReportError(f"no slice {'/'.join(sorted(chosen))}", _there_are(slices))
    return found


def _narrowed(candidates: Sequence[_Candidate], part: str) -> list[_Candidate]:
    """The results that a part of a key is said of, or else the entries that it names."""
    for form in (str, safe):
        said = [candidate for candidate in candidates if part in map(form, candidate.words)]
        if said:
            return said
    return [
        entry
        for candidate in candidates
        for name, entry in candidate.entries.items()
        if _matches(part, [name])
    ]


def _matches(part: str, words: Iterable[str]) -> bool:
    """Whether one of some words is meant, as it is or in the characters of a flat key."""
    return any(part in (word, safe(word)) for word in words)


def _number(candidate: _Candidate) -> float | Undefined | Failed:
    value = candidate.value
    if isinstance(value, (Undefined, Failed)):
        return value
    if value is None:
        return Undefined("null in its table")
    if not is_number(value):
        raise ReportError("expected a number, found another value", _ANOTHER)
    return float(value)


def _keys(key: str, candidates: Sequence[_Candidate]) -> list[str]:
    """What each candidate is called, with no more than tells it from the others."""
    sides = [candidate.sides for candidate in candidates]
    names = dict.fromkeys(name for side in sides for name in side)
    apart = [name for name in names if len({side.get(name) for side in sides}) > 1]
    keys = ([key, *filter(None, map(side.get, apart))] for side in sides)
    return list(dict.fromkeys("/".join(parts) for parts in keys))


def _nearest(part: str, candidates: Sequence[_Candidate]) -> str:
    said = (word for candidate in candidates for word in candidate.words)
    held = (name for candidate in candidates for name in candidate.entries)
    words = sorted(dict.fromkeys([*said, *held]), key=lambda word: ":" in word)
    name, colon, _ = part.partition(":")
    alike = [word for word in words if word.startswith(f"{name}:")] if colon else []
    if alike:  # which are alike for their names already
        return did_you_mean(part, alike, cutoff=0.8) or _there_are(alike)
    return did_you_mean(part, words) or _there_are(words)


def _there_are(words: Sequence[str]) -> str:
    return f"There are: {_first(words)}."


def _write_one_of(keys: Sequence[str]) -> str:
    return f"Write one of: {_first(keys)}." if keys else _ANOTHER


def _first(words: Sequence[str]) -> str:
    return f"{', '.join(words[:_MOST_NAMED])}{and_more(len(words) - _MOST_NAMED)}"
