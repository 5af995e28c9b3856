"""English number words, converted to digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from attrs import evolve, frozen

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen"]
_TEENS += ["fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_CARDINALS = {word: value for value, word in enumerate([*_UNITS, *_TEENS], 1)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fifth": 5,
    "eighth": 8,
    "ninth": 9,
    "twelfth": 12,
}
_ORDINALS |= {
    f"{word.removesuffix('y')}{'ieth' if word.endswith('y') else 'th'}": value
    for word, value in _CARDINALS.items()
    if value not in _ORDINALS.values()
}
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ORDINAL_SCALES = {f"{word}th": power for word, power in _SCALES.items()}
_HUNDRED, _ORDINAL_HUNDRED = "hundred", "hundredth"
_LARGER = frozenset({_HUNDRED, *_SCALES})
_DIGITS = {"zero": "0", "oh": "0", "o": "0"} | {
    word: str(value) for value, word in enumerate(_UNITS, 1)
}
_CURRENCIES = {
    name + ending: symbol
    for name, symbol in (("dollar", "$"), ("pound", "£"), ("euro", "€"))
    for ending in ("", "s")
}
_SMALL_CHANGE = frozenset({"cent", "cents", "penny", "pence"})
_CENTURIES = range(13, 21)
"""First two digits of a year; smaller numbers could be a time of day."""

_WRITTEN = re.compile(r"([$£€]?)([0-9]+(?:\.[0-9]+)?)")
_FIRST_LETTERS = frozenset("0123456789$£€")
_BEGINNINGS = frozenset(
    {*_CARDINALS, *_ORDINALS, *_SCALES, *_ORDINAL_SCALES, _HUNDRED, _ORDINAL_HUNDRED, "zero"}
)


def in_digits(words: Sequence[str]) -> list[str]:
    """Replace number words by digits.

    Recognizes cardinals and ordinals with hundreds and scales up to trillions, decimals after
    *point*, *and a half*, years as two pairs of digits from 1300 on, percent, and dollars, pounds
    and euros with cents or pence. Consecutive numbers that do not form one number stay separate.

    Parameters
    ----------
    words : sequence of str
        Words in lowercase.

    Examples
    --------
    >>> " ".join(in_digits("two hundred and five of the twenty first".split()))
    '205 of the 21st'
    >>> " ".join(in_digits("nineteen ninety nine two point five percent one two".split()))
    '1999 2.5% 1 2'
    """
    written: list[str] = []
    done = 0
    begin = {word for word in set(words) if word in _BEGINNINGS or word[0] in _FIRST_LETTERS}
    starts = [at for at, word in enumerate(words) if word in begin]
    for at in starts:
        found = _number(words, at) if at >= done else None
        if found is None:
            continue
        written += words[done:at]
        # "a hundred" is "one hundred"
        if found.is_bare and written and written[-1] == "a" and at > done:
            written.pop()
        written.append(found.text)
        done = found.stop
    return [*written, *words[done:]]


@frozen
class _Found:
    """Number, and the index of the word after it."""

    value: Decimal
    stop: int
    currency: str = ""
    text: str = ""
    is_ordinal: bool = False
    is_bare: bool = False


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _number(words: Sequence[str], at: int) -> _Found | None:
    found = _written(words, at) or _year(words, at) or _spoken(words, at)
    if found is None:
        return None
    if found.is_ordinal:
        return evolve(found, text=f"{found.text}{_ending(int(found.value))}")
    return _with_unit(words, found)


def _written(words: Sequence[str], at: int) -> _Found | None:
    """Parse a number in digits, optionally followed by a scale."""
    match = _WRITTEN.fullmatch(words[at])
    if match is None:
        return None
    found = _Found(Decimal(match[2]), at + 1, currency=match[1], text=match[2])
    scaled = _scaled(words, found)
    if scaled is found and _word(words, at + 1) == _HUNDRED:
        value = found.value * 100
        return evolve(found, value=value, stop=at + 2, text=_plain(value))
    return scaled


def _scaled(words: Sequence[str], found: _Found) -> _Found:
    power = _SCALES.get(_word(words, found.stop))
    if power is None:
        return found
    value = found.value.scaleb(power)
    return evolve(found, value=value, stop=found.stop + 1, text=_plain(value))


def _year(words: Sequence[str], at: int) -> _Found | None:
    """Parse a year: "nineteen eighty four", "nineteen oh five"."""
    first = _CARDINALS.get(words[at], 0)
    if first not in _CENTURIES:
        return None
    second = _below_hundred(words, at + 1)
    if _word(words, at + 1) in ("oh", "o") and _word(words, at + 2) in _UNITS:
        value = 100 * first + _CARDINALS[words[at + 2]]
        return _Found(Decimal(value), at + 3, text=str(value))
    if second is None or second.is_ordinal or second.value < 10 or _goes_on(words, second.stop):
        return None
    value = 100 * first + int(second.value)
    return _Found(Decimal(value), second.stop, text=str(value))


def _goes_on(words: Sequence[str], at: int) -> bool:
    return _word(words, at) in _LARGER


def _spoken(words: Sequence[str], at: int) -> _Found | None:
    """Parse a number in words: groups below a thousand, with decreasing scales."""
    if words[at] == "zero":
        return _decimals(words, _Found(Decimal(0), at + 1, text="0"))
    total, least, stop = 0, max(_SCALES.values()) + 1, at
    is_bare = words[at] in _LARGER
    while True:
        group = _below_thousand(words, _after_and(words, stop, _LARGER) if total else stop)
        if group is None and stop > at:
            break
        value, after = (int(group.value), group.stop) if group else (1, stop)
        if group and group.is_ordinal:
            total += value
            return _Found(Decimal(total), after, text=str(total), is_ordinal=True)
        scale = _word(words, after)
        power = _SCALES.get(scale, _ORDINAL_SCALES.get(scale))
        if power is None:
            if group is None:
                return None
            total, stop = total + value, after
            break
        if power >= least:
            break
        total, stop, least = total + value * 10**power, after + 1, power
        if scale in _ORDINAL_SCALES:
            return _Found(Decimal(total), stop, text=str(total), is_ordinal=True)
    return _decimals(words, _Found(Decimal(total), stop, text=str(total), is_bare=is_bare))


def _after_and(words: Sequence[str], at: int, another: frozenset[str]) -> int:
    """Return the index after an "and" that continues a number, or of the "and" if it does not."""
    if _word(words, at) != "and":
        return at
    small = _below_hundred(words, at + 1)
    return at if small is None or _word(words, small.stop) in another else at + 1


def _below_thousand(words: Sequence[str], at: int) -> _Found | None:
    small = _below_hundred(words, at)
    if small is not None and small.is_ordinal:
        return small
    hundreds, stop = (int(small.value), small.stop) if small else (1, at)
    if _word(words, stop) == _ORDINAL_HUNDRED:
        return _Found(Decimal(100 * hundreds), stop + 1, is_ordinal=True)
    if _word(words, stop) != _HUNDRED:
        return small
    rest = _below_hundred(words, _after_and(words, stop + 1, frozenset({_HUNDRED})))
    if rest is None or _word(words, rest.stop) == _HUNDRED:
        return _Found(Decimal(100 * hundreds), stop + 1)
    return evolve(rest, value=100 * hundreds + rest.value)


def _below_hundred(words: Sequence[str], at: int) -> _Found | None:
    word, after = _word(words, at), _word(words, at + 1)
    if word in _ORDINALS:
        return _Found(Decimal(_ORDINALS[word]), at + 1, is_ordinal=True)
    value = _CARDINALS.get(word)
    if value is None:
        return None
    if word in _TENS and after in _UNITS:
        return _Found(Decimal(value + _CARDINALS[after]), at + 2)
    if word in _TENS and _ORDINALS.get(after, 10) < 10:
        return _Found(Decimal(value + _ORDINALS[after]), at + 2, is_ordinal=True)
    return _Found(Decimal(value), at + 1)


def _decimals(words: Sequence[str], found: _Found) -> _Found:
    """Parse decimals, "and a half", then a scale word such as "million"."""
    stop = found.stop
    if list(words[stop : stop + 3]) == ["and", "a", "half"]:
        value = found.value + Decimal("0.5")
        return _scaled(words, evolve(found, value=value, stop=stop + 3, text=_plain(value)))
    if _word(words, stop) != "point":
        return found
    digits = ""
    stop += 1
    while _word(words, stop) in _DIGITS:
        digits += _DIGITS[words[stop]]
        stop += 1
    if not digits:
        return found
    text = f"{found.text}.{digits}"
    return _scaled(words, evolve(found, value=Decimal(text), stop=stop, text=text))


def _with_unit(words: Sequence[str], found: _Found) -> _Found:
    """Add a currency sign before the number, or a percent sign after it."""
    unit, stop = _word(words, found.stop), found.stop + 1
    if found.currency:
        return evolve(found, text=found.currency + found.text)
    if unit == "percent":
        return evolve(found, text=f"{found.text}%", stop=stop)
    if unit == "per" and _word(words, stop) == "cent":
        return evolve(found, text=f"{found.text}%", stop=stop + 1)
    if unit not in _CURRENCIES:
        return found
    text = _CURRENCIES[unit] + found.text
    cents = _cents(words, stop + (_word(words, stop) == "and"))
    if cents is None or "." in found.text:
        return evolve(found, text=text, stop=stop)
    return evolve(found, text=f"{text}.{int(cents.value):02}", stop=cents.stop)


def _cents(words: Sequence[str], at: int) -> _Found | None:
    written = _written(words, at) if at < len(words) else None
    found = written or _below_hundred(words, at)
    if (
        found is None
        or found.is_ordinal
        or found.currency
        or _word(words, found.stop) not in _SMALL_CHANGE
    ):
        return None
    if found.value >= 100 or found.value != int(found.value):
        return None
    return evolve(found, stop=found.stop + 1)


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _ending(value: int) -> str:
    if value % 100 in (11, 12, 13):
        return "th"
    endings: Mapping[int, str] = {1: "st", 2: "nd", 3: "rd"}
    return endings.get(value % 10, "th")
