"""Written numbers: those in texts, as people write them, with their exact values."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from unicodedata import normalize

from attrs import frozen

_LONGEST = 400  # characters, and the greatest exponent: no float is as large

_PATTERN = r"""
    (?: (?<! [\w)\]] ) (?P<sign> [-+\u2212] ) (?: [$\u00a2-\u00a5\u20a0-\u20cf] \s? )? )?
    (?<! \w ) (?<! \d DECIMAL ) (?<! \d GROUP )
    (?:
        (?: (?P<whole> \d+ ) [ \u00a0]? )? (?P<vulgar> [\u00bc-\u00be\u2150-\u215e\u2189] )
      | (?<! / ) (?: (?P<units> \d+ ) [ \u00a0] )?
        (?P<numerator> \d+ ) [/\u2044] (?P<denominator> 0*[1-9]\d* ) (?! [/\u2044] )
      | (?P<digits>
            \d{1,3} (?P<group> GROUP ) \d{3} (?: (?P=group) \d{3} )* | \d+ | (?<! DECIMAL )
        )
        (?: DECIMAL (?P<decimals> \d+ ) | (?<= \d ) )
        (?: [eE] (?P<exponent> [-+]? \d+ ) (?! \w ) )?
    )
    (?! (?: DECIMAL | GROUP | _ )? \d | [\u00b2\u00b3\u00b9\u2070-\u2079] )
    (?P<percent> \s? % )?
"""
_GROUPS = "'\u2019\u00a0\u202f\u2009"  # besides the mark that is not the decimal one


@frozen
class WrittenNumber:
    """A number in a text.

    Parameters
    ----------
    text : str
        How it is written.
    value : Fraction
        What it is, exactly.
    """

    text: str
    value: Fraction


def written_numbers(text: str, decimal: str = ".", *, percent: bool = True) -> list[WrittenNumber]:
    """The numbers in a text, in their order.

    Read are signs, thousands separators (the mark that is not the decimal one, an apostrophe, a
    no-break or thin space, always the same and before three digits each), exponents, percent
    signs and fractions, also mixed ones; currency signs and units are passed over. Not read are
    digits behind a letter, and digits that marks join in another way, such as ``1.2.3``.

    Parameters
    ----------
    text : str
        The text.
    decimal : {".", ","}
        The decimal mark.
    percent : bool
        Whether a percent sign divides by 100.

    Examples
    --------
    >>> [str(number.value) for number in written_numbers("-$1,234.50, 5% of 1 1/2")]
    ['-2469/2', '1/20', '3/2']
    """
    found = []
    for match in _pattern(decimal).finditer(text):
        value = _value(match)
        if value is not None:
            value /= 100 if percent and match["percent"] else 1
            found.append(WrittenNumber(match[0].strip(), -value if _is_minus(match) else value))
    return found


@cache
def _pattern(decimal: str) -> re.Pattern[str]:
    thousands = "," if decimal == "." else "."
    named = _PATTERN.replace("DECIMAL", re.escape(decimal))
    return re.compile(named.replace("GROUP", f"[{thousands}{_GROUPS}]"), re.VERBOSE)


def _is_minus(match: re.Match[str]) -> bool:
    return match["sign"] in ("-", "\u2212")


def _value(match: re.Match[str]) -> Fraction | None:
    """Value without sign and percent; None of a number that is beyond any use."""
    if len(match[0]) > _LONGEST or abs(int(match["exponent"] or 0)) > _LONGEST:
        return None
    if match["vulgar"]:
        numerator, _, denominator = normalize("NFKC", match["vulgar"]).partition("\u2044")
        return int(match["whole"] or 0) + Fraction(int(numerator), int(denominator))
    if match["numerator"]:
        fraction = Fraction(int(match["numerator"]), int(match["denominator"]))
        return int(match["units"] or 0) + fraction
    digits = re.sub(r"\D", "", match["digits"])
    decimals = match["decimals"] or ""
    value = Fraction(int(digits + decimals or 0), 10 ** len(decimals))
    return value * Fraction(10) ** int(match["exponent"] or 0)
