"""Numbers written in texts, with their exact values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from unicodedata import normalize

from attrs import frozen

_LONGEST = 400  # characters, and largest exponent; no float is as large

_PATTERN = r"""
    (?: (?<! [\w)\]] ) (?P<sign> [-+\u2212] ) (?: [$\u00a2-\u00a5\u20a0-\u20cf] \s? )? )?
    (?<! \w ) (?<! \d DECIMAL ) (?<! \d GROUP )
    (?<! \^ ) (?<! \^[-+\u2212] ) (?<! [\^_]\{ ) (?<! \^\{[-+\u2212] )
    (?:
        (?: (?P<whole> \d+ ) [ \u00a0]? )? (?P<vulgar> [\u00bc-\u00be\u2150-\u215e\u2189] )
      | (?<! / ) (?: (?P<units> \d+ ) [ \u00a0] )?
        (?P<numerator> \d+ ) [/\u2044] (?P<denominator> 0*[1-9]\d* ) (?! [/\u2044] )
      | (?P<ten> 10 ) POWER
      | (?P<digits>
            \d{1,3} (?P<group> GROUP ) \d{3} (?: (?P=group) \d{3} )* | \d+ | (?<! DECIMAL )
        )
        (?: DECIMAL (?P<decimals> \d+ ) | (?<= \d ) )
        (?:
            [eE] (?P<exponent> [-+\u2212]? \d+ ) (?! \w )
          | \s? [x*\u00d7\u00b7\u22c5\u2217] \s? 10 POWER_OF_TEN
        )?
    )
    (?! (?: DECIMAL | GROUP | _ )? \d | [\u00b2\u00b3\u00b9\u2070-\u2079] )
    (?P<percent> \s? % )?
"""
_POWER = r"""
    (?:
        (?: \^ | \*\* ) \s? [{(]* \s? (?P<power_NAME> [-+\u2212]? \d+ ) (?: \s? [})]+ )?
      | (?P<raised_NAME> [\u207a\u207b]? [\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+ )
    )
"""
_DIGITS = re.compile(r"\d+|[\u00bc-\u00be\u2150-\u215e\u2189]")
_BEFORE = 4  # characters before the first digit: sign, currency, a blank, decimal mark
_GROUPS = "'\u2019\u00a0\u202f\u2009"  # in addition to the mark that is not the decimal mark


@frozen
class WrittenNumber:
    """Number in a text.

    Parameters
    ----------
    text : str
        Characters of the number.
    value : Fraction
        Exact value.
    """

    text: str
    value: Fraction


def written_numbers(text: str, decimal: str = ".", *, percent: bool = True) -> list[WrittenNumber]:
    """Parse the numbers of a text, in order.

    Signs, thousands separators, exponents, powers of ten, percent signs, and fractions including
    mixed numbers are parsed; currency signs and units are ignored. A thousands separator is the
    mark that is not the decimal mark, an apostrophe, or a no-break or thin space, the same
    throughout a number, before groups of three digits. Exponents of other bases than ten, digits
    after a letter, and digits joined in other ways, such as ``1.2.3``, are not numbers.

    Parameters
    ----------
    text : str
        Text.
    decimal : {".", ","}
        Decimal mark.
    percent : bool
        Whether a percent sign divides by 100.

    Examples
    --------
    >>> [str(number.value) for number in written_numbers("-$1,234.50, 5% of 1 1/2")]
    ['-2469/2', '1/20', '3/2']
    >>> [str(number.value) for number in written_numbers("1.5 \u00d7 10^3, 10\u207b\u00b2")]
    ['1500', '1/100']
    """
    return [
        WrittenNumber(match[0].strip(), _value(match, percent))
        for match in matches(text, number_pattern(decimal))
        if len(match[0]) <= _LONGEST and abs(_exponent(match)) <= _LONGEST
    ]


def matches(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the matches of `finditer`, searching only near digits."""
    at = 0
    while digits := _DIGITS.search(text, at):
        starts = range(max(digits.start() - _BEFORE, at), digits.start() + 1)
        matches = (pattern.match(text, start) for start in starts)
        match = next(filter(None, matches), None)
        if match:
            yield match
        at = match.end() if match else digits.end()


@cache
def number_pattern(decimal: str) -> re.Pattern[str]:
    """Return the pattern of numbers with a decimal mark."""
    thousands = "," if decimal == "." else "."
    named = _PATTERN.replace("POWER_OF_TEN", _POWER.replace("NAME", "after"))
    named = named.replace("POWER", _POWER.replace("NAME", "alone"))
    named = named.replace("DECIMAL", re.escape(decimal))
    return re.compile(named.replace("GROUP", f"[{thousands}{_GROUPS}]"), re.VERBOSE)


def _value(match: re.Match[str], percent: bool) -> Fraction:
    sign = -1 if match["sign"] in ("-", "\u2212") else 1
    of = 100 if percent and match["percent"] else 1
    if match["vulgar"] or match["numerator"]:
        above, below = match["numerator"], match["denominator"]
        if match["vulgar"]:
            above, _, below = normalize("NFKC", match["vulgar"]).partition("\u2044")
        whole = int(match["whole"] or match["units"] or 0) * int(below)
        return Fraction(sign * (whole + int(above)), int(below) * of)
    digits, decimals = "1" if match["ten"] else match["digits"], match["decimals"] or ""
    if match["group"]:
        digits = digits.replace(match["group"], "")
    exponent = _exponent(match) - len(decimals)
    value = sign * int(digits + decimals) * 10 ** max(exponent, 0)
    return Fraction(value, 10 ** max(-exponent, 0) * of)


_EXPONENTS = ("exponent", "power_after", "raised_after", "power_alone", "raised_alone")


def _exponent(match: re.Match[str]) -> int:
    """Return the exponent of ten, in any notation; 0 without one."""
    written = next(filter(None, map(match.group, _EXPONENTS)), "0")
    return int(normalize("NFKC", written).replace("\u2212", "-"))
