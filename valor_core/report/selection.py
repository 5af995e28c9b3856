"""Selection: the one number of a report that a key names.

A key is a metric and, behind slashes, what tells its numbers apart: a label or an average, a
parameter or a slice as ``name:value``, the name of an entry of a table. Every key that
`flat_keys` writes is one, and parts of it may be left away as long as one number is meant. A
label with a slash is written as it is, ``F1/n/a``, or as in a flat key, ``F1/n_x002F_a``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from attrs import evolve, field, frozen

from valor_core.errors import ReportError, and_more, did_you_mean
from valor_core.metrics.result import Failed, Result, Undefined, is_number
from valor_core.report.keys import NO_VALUE, key_text, pairs, safe
from valor_core.report.results import NAMING, defaults, is_called

_MOST_NAMED = 12
_ANOTHER = "Name a single number of the report."


@frozen
class _Candidate:
    """A value that a key may mean: a result's, or an entry below it."""

    found: Result
    defaults: Mapping[str, Any] = field(factory=dict)
    path: tuple[str, ...] = ()

    @property
    def value(self) -> Any:
        value = self.found.value
        for name in self.path:
            value = value[name]
        return value

    @property
    def has_value(self) -> bool:
        result = self.found
        return result.undefined is None and result.error is None

    @property
    def slice_words(self) -> list[str]:
        return pairs(self.found.slice)

    @property
    def stated(self) -> list[str]:
        """Every part of a key that this result says of itself."""
        return [*self._bare.values(), *pairs(self.found.parameters), *self.slice_words]

    @property
    def words(self) -> list[str]:
        """Every part of a key that this result answers to."""
        return [*self.stated, *pairs(self.defaults)]

    @property
    def sides(self) -> dict[str, str]:
        """The one part of a key for everything that may tell it from others."""
        return self.full_sides | dict.fromkeys(("label", "average"), "") | self._bare

    @property
    def full_sides(self) -> dict[str, str]:
        """The sides, each with the name of what it is."""
        parameters = {**self.defaults, **self.found.parameters}
        return {name: f"{name}:{key_text(value)}" for name, value in parameters.items()}

    def is_told_by(self, parts: Collection[str]) -> bool:
        """Whether parts of a key say all that the result says of itself, as flat keys do."""
        own = pairs(self.found.parameters)
        return all(any(_matches(part, [word]) for part in parts) for word in own)

    @property
    def entries(self) -> dict[str, _Candidate]:
        """What a table holds, by the names of its entries."""
        if not self.has_value or not isinstance(self.value, Mapping):
            return {}
        return {str(name): evolve(self, path=(*self.path, name)) for name in self.value}

    @property
    def numbers(self) -> Iterator[_Candidate]:
        """The numbers that it is or holds, and those that have a reason to be missing."""
        if not self.has_value or self.value is None or is_number(self.value):
            yield self
        for entry in self.entries.values():
            yield from entry.numbers

    @property
    def _bare(self) -> dict[str, str]:
        """Names of its label, average and label key."""
        parameters = self.found.parameters
        named = {name: parameters.get(name) for name in NAMING}
        return {name: value for name, value in named.items() if isinstance(value, str)}


def select(key: str, found: Iterable[Result]) -> float | Undefined | Failed:
    """The number that a key names, or the reason why there is none.

    Parameters
    ----------
    key : str
        ``"Recall/cat"``, ``"COCOSummary/AP"``, ``"Accuracy/weather:rain"``.
    found : iterable of Result
        Where it is looked for.

    Raises
    ------
    ReportError
        If the key names no number, or several; with the keys there are.

    Examples
    --------
    >>> counts = Result(type="Counts", parameters={"label": "cat"}, value={"tp": 3, "fp": 1})
    >>> select("Counts/cat/tp", [counts])
    3.0
    """
    found = tuple(found)
    metric, *parts = key.split("/")
    named = _candidates([one for one in found if is_called(one, metric)])
    if not named:
        raise ReportError(f"no result of {metric!r}", _ANOTHER)
    if not any(map(_has_number, named)):
        raise ReportError(f"{metric!r} has no single number", _those_with_one(found))
    parts = [_as_null(part, named) for part in parts]
    meant = _meant(parts, named)
    if meant is None:
        raise _refusal(metric, _rejoined(named, parts), named)
    return _number(meant)


def _candidates(found: Sequence[Result]) -> list[_Candidate]:
    """The values of one metric, each with the defaults in which others are not like it."""
    names = dict.fromkeys(name for one in found for name in one.parameters)
    return [
        _Candidate(
            one,
            {
                name: value
                for name, value in defaults(one.metric).items()
                if name in names and name not in one.parameters
            },
        )
        for one in found
    ]


def _has_number(candidate: _Candidate) -> bool:
    return any(True for _ in candidate.numbers)


def _those_with_one(found: Iterable[Result]) -> str:
    """What can be required in place of a metric that has curves or matrices only."""
    types = dict.fromkeys(one.type for one in found if _has_number(_Candidate(one)))
    named = f"one that has: {_first(list(types))}" if types else "one whose results are numbers"
    return f"Choose another metric, {named}."


def _as_null(part: str, named: Iterable[_Candidate]) -> str:
    """The part, with the value of a slice without a value as keys have it."""
    name, _, value = part.rpartition(":")
    is_null = value == NO_VALUE and not any(part in one.slice_words for one in named)
    return f"{name}:null" if is_null else part


def _meant(parts: Sequence[str], named: Sequence[_Candidate]) -> _Candidate | None:
    """The one value that the parts of a key lead to, if they do."""
    for join in (list, partial(_rejoined, named)):
        way = join(parts)
        candidates, reached = _narrowest(way, named)
        if reached == len(way) and len(candidates) == 1 and not candidates[0].entries:
            return candidates[0]
    return None


def _rejoined(named: Sequence[_Candidate], parts: Sequence[str]) -> list[str]:
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


def _narrowest(parts: Sequence[str], named: Sequence[_Candidate]) -> tuple[list[_Candidate], int]:
    """What the parts of a key narrow the candidates to, and how many parts do."""
    candidates = _of_slice(named, _slice_parts(named, parts))
    if candidates and not any(candidate.has_value for candidate in candidates):
        meant = [one for one in candidates if all(_matches(part, one.words) for part in parts)]
        return (meant or candidates)[:1], len(parts)
    for place, part in enumerate(parts):
        narrower = _narrowed(candidates, part)
        if not narrower:
            return candidates, place
        candidates = narrower
    whole = [one for one in candidates if one.is_told_by(parts)]
    return whole if len(whole) == 1 else candidates, len(parts)


def _refusal(metric: str, parts: Sequence[str], named: Sequence[_Candidate]) -> ReportError:
    """Why the parts of a key name no number, and what to write."""
    candidates, reached = _narrowest(parts, named)
    if not candidates:
        slices = list(dict.fromkeys("/".join(one.slice_words) for one in named if one.slice_words))
        asked = "/".join(sorted(_slice_parts(named, parts)))
        missing = f"no slice {asked}" if asked else f"no result of {metric!r}"
        return ReportError(missing, _there_are(slices) if slices else _ANOTHER)
    if reached < len(parts):
        before = "/".join([metric, *parts[:reached]])
        remedy = _nearest(parts[reached], candidates, named)
        return ReportError(f"no result of {before!r} for {parts[reached]!r}", remedy)
    found = f"{len(candidates):,}" if len(candidates) > 1 else "a table"
    remedy = _write_one_of("/".join([metric, *parts]), candidates, named)
    return ReportError(f"expected one number, found {found}", remedy)


def _slice_parts(named: Sequence[_Candidate], parts: Iterable[str]) -> set[str]:
    """The parts of a key that say which slice is meant; none for the whole."""
    own = {word for one in named if not one.found.slice for word in one.words}
    strange = [part for part in parts if ":" in part and not _matches(part, own)]
    sliced = {word for one in named for word in one.slice_words} if strange else set()
    return {part for part in strange if _matches(part, sliced)}


def _of_slice(named: Sequence[_Candidate], asked: Collection[str]) -> list[_Candidate]:
    """The results of the slice that some parts name, or of the whole."""
    return [
        candidate
        for candidate in named
        if len(candidate.found.slice) == len(asked)
        and all(_matches(part, candidate.slice_words) for part in asked)
    ]


def _narrowed(candidates: Sequence[_Candidate], part: str) -> list[_Candidate]:
    """The results that a part of a key is said of, or else the entries that it names.

    What results say goes before what they leave to be the default.
    """
    for name in ("stated", "words"):
        for form in (safe, str):
            said = [
                candidate for candidate in candidates if part in map(form, getattr(candidate, name))
            ]
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


def _nearest(part: str, candidates: Sequence[_Candidate], named: Sequence[_Candidate]) -> str:
    """What may have been meant by a part, at best another value of the same name."""
    words = _words(candidates, named)
    name, colon, _ = part.partition(":")
    alike = [word for word in words if word.startswith(f"{name}:")] if colon else []
    if alike:  # which are alike for their names already
        return did_you_mean(part, alike, cutoff=0.8) or _there_are(alike)
    return did_you_mean(part, words) or _there_are(words)


def _words(candidates: Iterable[_Candidate], named: Iterable[_Candidate]) -> list[str]:
    """What may stand behind the candidates in a key: bare names first, and slices last."""
    said = (word for candidate in candidates for word in candidate.words)
    held = (name for candidate in candidates for name in candidate.entries)
    slices = (word for one in named for word in one.slice_words)
    own = sorted(dict.fromkeys([*said, *held]), key=lambda word: ":" in word)
    return list(dict.fromkeys([*own, *slices]))


@frozen
class _Offer:
    """Parts of a key that tell a candidate from others, and the same with their names."""

    candidate: _Candidate
    bare: tuple[str, ...]
    full: tuple[str, ...]

    def keys(self, key: str, named: Sequence[_Candidate]) -> Iterator[str]:
        """A key for each of the candidate's numbers, as nice as it can be."""
        for number in self.candidate.numbers:
            below = [str(name) for name in number.path[len(self.candidate.path) :]]
            bare, full = [*self.bare, *below], [*self.full, *below]
            ways = ["/".join([key, *way]) for way in (bare, map(safe, bare), map(safe, full))]
            yield next((way for way in ways if _leads(way, number, named)), ways[-1])


def _leads(key: str, number: _Candidate, named: Sequence[_Candidate]) -> bool:
    """Whether a key means a number."""
    meant = _meant(key.split("/")[1:], named)
    return meant is not None and meant.found is number.found and meant.path == number.path


def _offers(candidates: Sequence[_Candidate]) -> list[_Offer]:
    """Those of some candidates that can be told from all others, with no more than that takes."""
    sides = [candidate.sides for candidate in candidates]
    names = dict.fromkeys(name for side in sides for name in side)
    apart = [name for name in names if len({side.get(name) for side in sides}) > 1]
    offers = [
        _Offer(
            candidate,
            tuple(filter(None, map(side.get, apart))),
            tuple(filter(None, map(candidate.full_sides.get, apart))),
        )
        for candidate, side in zip(candidates, sides, strict=True)
    ]
    alike = Counter(offer.full for offer in offers)
    return [offer for offer in offers if alike[offer.full] == 1]


def _write_one_of(key: str, candidates: Sequence[_Candidate], named: Sequence[_Candidate]) -> str:
    offers = _offers(candidates)
    keys = chain.from_iterable(offer.keys(key, named) for offer in offers)
    first = list(islice(keys, _MOST_NAMED))
    if not first:
        return _ANOTHER
    whole = sum(_count(offer.candidate) for offer in offers)
    return f"Write one of: {', '.join(first)}{and_more(whole - len(first))}."


def _count(candidate: _Candidate) -> int:
    """How many numbers a candidate holds."""
    return _count_in(candidate.value) if candidate.has_value else 1


def _count_in(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_count_in, value.values()))
    return int(value is None or is_number(value))


def _there_are(words: Sequence[str]) -> str:
    return f"There are: {_first(words)}."


def _first(words: Sequence[str]) -> str:
    return f"{', '.join(words[:_MOST_NAMED])}{and_more(len(words) - _MOST_NAMED)}"
