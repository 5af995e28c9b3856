"""Faults of preparation: texts that a normaliser or tokeniser empties, truncates or does not split.

Scores of these items measure the preparation instead of the response. The row has the fault in its
details, and the report has a warning with the number of items, the first one and a remedy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import category, name

import numpy as np
from numpy.typing import NDArray

from valor_core.results import DetailColumns, ItemRows, MetricDetails, Numbers
from valor_core.results.item_rows import SINGLE
from valor_core.schemas.text import TextBatch
from valor_core.specs import MetricSpec
from valor_text.counting.pairs import Pairs
from valor_text.kernels.values import CharacterKinds, Positions
from valor_text.normalisers import normalise
from valor_text.normalisers.characters import characters

DETAIL = "preparation"
"""Key of the fault in the details of a row."""

FAULTS = (
    "no text left of a reference",
    "no token in a reference",
    "letters dropped",
    "Chinese or Japanese text not split",
    "text without blanks not split",
)
NO_TEXT, NO_TOKEN, LETTERS, UNSPLIT, UNSPLIT_WORDS = FAULTS

Codes = NDArray[np.uint8]
"""Fault of each item: its index in `FAULTS` plus one, or 0."""

_DROPPING = "rouge"  # the only tokeniser that drops letters
_LEAST_DROPPED = 0.01  # share of a text's letters
_LONGEST_TOKEN = {"ideographs": 4, "syllables": 12}  # mean number of characters; words are shorter
_LEAST_ITEMS = 0.01  # smallest share of items with dropped letters for a warning

_IDEOGRAPHS = ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA")
_SYLLABLES = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_NO_LETTER, _ASCII_LETTER, _LETTER, _IDEOGRAPH, _SYLLABLE = range(5)


def _kind(character: str) -> int:
    if category(character)[0] not in "LM":
        return _NO_LETTER
    if character.isascii():
        return _ASCII_LETTER
    named = name(character, "")
    if named.startswith(_IDEOGRAPHS):
        return _IDEOGRAPH
    return _SYLLABLE if named.startswith(_SYLLABLES) else _LETTER


_KINDS = CharacterKinds(_kind)


def faults(
    pairs: Pairs, counts: Positions, normaliser: str = "none@1", tokeniser: str | None = None
) -> Codes | None:
    """Return the fault of each item; None if no item has one.

    Parameters
    ----------
    pairs : Pairs
        Texts before preparation.
    counts : ndarray of int64
        Number of tokens of each text after preparation, or of characters without a tokeniser.
    normaliser : str
        Name of the normaliser.
    tokeniser : str, optional
        Name of the tokeniser, if any.

    Examples
    --------
    >>> pairs = Pairs.between(["A", "Paris"], [["A"], ["Paris"]])
    >>> faults(pairs, np.array([0, 1, 0, 1]), "squad@1")
    array([1, 0], dtype=uint8)
    """
    if not pairs.items:
        return None
    found = np.zeros(pairs.items, np.uint8)
    if tokeniser is not None and not all(map(str.isascii, pairs.texts)):
        _check_letters(found, pairs, counts, tokeniser)
    _check_emptied(found, pairs, counts, normaliser)
    return found if found.any() else None


def _check_emptied(found: Codes, pairs: Pairs, counts: Positions, normaliser: str) -> None:
    """Mark items with only empty references, or with an empty response and an empty reference."""
    emptied = np.zeros(len(pairs.texts), bool)
    for number in np.flatnonzero(counts == 0).tolist():
        emptied[number] = bool(pairs.texts[number].strip())
    references = emptied[pairs.items :]
    if not references.any():
        return
    every = np.logical_and.reduceat(references, pairs.starts[:-1])
    any_empty = np.logical_or.reduceat(references, pairs.starts[:-1])
    items = np.flatnonzero(every | (any_empty & emptied[: pairs.items]))
    first = (
        pairs.items
        + pairs.starts[items]
        + [
            int(np.argmax(references[pairs.starts[item] : pairs.starts[item + 1]]))
            for item in items
        ]
    )
    left = normalise([pairs.texts[number] for number in first.tolist()], normaliser)
    has_text = np.fromiter((bool(text.strip()) for text in left), bool, len(left))
    found[items] = np.where(has_text, _code(NO_TOKEN), _code(NO_TEXT))


def _check_letters(found: Codes, pairs: Pairs, counts: Positions, tokeniser: str) -> None:
    """Mark items with dropped letters, or with words that a tokeniser does not separate."""
    non_ascii = [number for number, text in enumerate(pairs.texts) if not text.isascii()]
    column = characters([pairs.texts[number] for number in non_ascii])
    kinds = _KINDS.table(column.codes)[column.codes]

    def number_of(is_counted: NDArray[np.bool_]) -> Positions:
        so_far = np.concatenate([[0], np.cumsum(is_counted)])
        number: Positions = so_far[column.stops] - so_far[column.starts]
        return number

    items = np.concatenate([np.arange(pairs.items), pairs.responses])[non_ascii]
    tokens = counts[non_ascii]
    for code, kind in ((UNSPLIT_WORDS, "syllables"), (UNSPLIT, "ideographs")):
        long = number_of(kinds == (_SYLLABLE if kind == "syllables" else _IDEOGRAPH))
        is_long = (tokens > 0) & (long > _LONGEST_TOKEN[kind] * tokens)
        found[items[is_long & (np.array(non_ascii) >= pairs.items)]] = _code(code)
        if kind == "ideographs":
            for row in np.flatnonzero((tokens == 1) & (long > 0) & ~is_long).tolist():
                item, reference = items[row], non_ascii[row]
                is_pair = reference >= pairs.items and counts[item] == 1
                if is_pair and _contain_one_another(pairs.texts[item], pairs.texts[reference]):
                    found[item] = _code(code)
    if tokeniser.partition("@")[0] == _DROPPING:
        letters, dropped = number_of(kinds > _NO_LETTER), number_of(kinds > _ASCII_LETTER)
        found[items[dropped > _LEAST_DROPPED * letters]] = _code(LETTERS)


def _contain_one_another(response: str, reference: str) -> bool:
    """Return True if one of two different texts contains the other, such as 北京 and 北京市."""
    response, reference = response.strip(), reference.strip()
    return response != reference and (response in reference or reference in response)


def _code(fault: str) -> int:
    return FAULTS.index(fault) + 1


Columns = Mapping[str, "Numbers | NDArray[np.float64]"]


def rows(
    batch: TextBatch, numbers: Any, codes: Codes | None, positions: Positions | None = None
) -> Any:
    """Add the faults of items to the details of their rows.

    Parameters
    ----------
    batch : TextBatch
        Items.
    numbers : Numbers, ndarray, ItemRows, or mapping of str to these
        Scores.
    codes : ndarray of uint8, optional
        Faults from `faults`; None for none.
    positions : ndarray of int64, optional
        Rows of the items that `codes` refers to; all items by default.
    """
    if codes is None:
        return numbers
    faulty_rows = np.flatnonzero(codes)
    named = np.array(FAULTS)[codes[faulty_rows] - 1]
    faulty_rows = faulty_rows if positions is None else positions[faulty_rows]
    if isinstance(numbers, ItemRows):
        faults_by_row = dict(zip(faulty_rows.tolist(), named.tolist(), strict=True))
        details = {
            row: {**one, **({DETAIL: faults_by_row[row]} if row in faults_by_row else {})}
            for row, one in numbers.details.items()
        }
        return ItemRows(numbers.uids, numbers.numbers, details)
    columns = numbers if isinstance(numbers, dict) else {SINGLE: numbers}
    return ItemRows(
        batch.datums.uids,
        {key: as_numbers(column) for key, column in columns.items()},
        DetailColumns({DETAIL: named}, faulty_rows),
    )


def as_numbers(column: Numbers | NDArray[Any]) -> Numbers:
    """Return a column of numbers of which none is missing."""
    if isinstance(column, Numbers):
        return column
    return Numbers(column.astype(np.float64), np.zeros(len(column), np.uint8))


def summarize(
    rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Mapping[str, Any]
) -> MetricDetails:
    """Return warnings for the faults in the details of a metric's rows.

    Parameters
    ----------
    rows : ItemRows
        Rows, sorted by uid.
    spec : MetricSpec
        Metric.
    parameters : object
        Its parameters.
    resources : mapping
        Unused.
    """
    if not len(rows.details):
        return MetricDetails()
    number: Counter[str] = Counter()
    first: dict[str, str | int] = {}
    for row, fault in _faults_of(rows):
        number[fault] += 1
        if fault not in first:
            first[fault] = rows[row].uid
    if number[LETTERS] < _LEAST_ITEMS * len(rows):
        del number[LETTERS]
    return MetricDetails(warnings=tuple(warnings(spec.name, parameters, number, first)))


def _faults_of(rows: ItemRows) -> Iterator[tuple[int, str]]:
    details = rows.details
    if isinstance(details, DetailColumns):
        if DETAIL in details.columns:
            named = details.columns[DETAIL].tolist()
            yield from zip(details.positions.tolist(), named, strict=True)
        return
    for row in sorted(details):
        if DETAIL in details[row]:
            yield row, details[row][DETAIL]


def warnings(
    metric: str,
    parameters: Any,
    number: Mapping[str, int],
    first: Mapping[str, str | int],
) -> Iterator[str]:
    """Yield one sentence for each fault.

    Parameters
    ----------
    metric : str
        Name of the metric.
    parameters : object
        Its parameters.
    number : mapping of str to int
        Number of items with each fault.
    first : mapping of str to uid
        First item with each fault.
    """
    normaliser = _short(parameters, "normaliser")
    tokeniser = _short(parameters, "tokeniser")
    by = f"tokeniser {tokeniser!r}" if tokeniser else "white space"
    subject = {NO_TEXT: f"normaliser {normaliser!r}"}
    subject |= {} if tokeniser else {NO_TOKEN: "no_punct"}
    effects = {
        NO_TEXT: "leaves no text of a reference of",
        NO_TOKEN: "leaves no token of a reference of",
        LETTERS: "drops letters other than a to z in",
        UNSPLIT: "does not split the Chinese or Japanese text of",
        UNSPLIT_WORDS: "does not split words that no blank separates in",
    }
    for fault, effect in effects.items():
        if count := number.get(fault, 0):
            items = f"{count:,} item{'' if count == 1 else 's'}"
            yield (
                f"{metric}: {subject.get(fault, by)} {effect} {items} (first: "
                f"{first[fault]!r}), whose scores are not meaningful; "
                f"{_remedy(fault, normaliser, tokeniser)}"
            )


def _short(parameters: Any, name: str) -> str | None:
    named = getattr(parameters, name, None)
    return None if named is None else str(named).partition("@")[0]


def _remedy(fault: str, normaliser: str | None, tokeniser: str | None) -> str:
    if fault == NO_TEXT:
        return f"set normaliser: {'none' if normaliser == 'lower' else 'lower'}"
    if tokeniser is None and fault == UNSPLIT:
        return "set normalized: reference and asian_support: reference, or use ChrF"
    if tokeniser is None:
        return "set no_punct: false" if fault == NO_TOKEN else "use ChrF"
    if fault == UNSPLIT_WORDS or (fault == UNSPLIT and tokeniser == "unicode_words"):
        return "set tokeniser: char"
    if fault == NO_TOKEN and tokeniser == "unicode_words":
        return "set tokeniser: words"
    return "set tokeniser: unicode_words"
