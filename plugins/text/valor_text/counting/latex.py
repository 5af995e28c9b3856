r"""Numbers in LaTeX, and answers in ``\\boxed{}``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

_BRACE = re.compile(r"\\f?box(?:ed)?\s*\{|\\.|[{}]", re.DOTALL)
_NUMBER = r"[-+\u2212]?\s*(?:\d+\.?\d*|\.\d+)"
_WRITTEN = (
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[,;:!]\s*(?=\d{3})"), "\u202f"),  # thin spaces between thousands
    (re.compile(r"\\times\b|\\cdot\b"), "\u00d7"),
    (re.compile(r"\\([%$])"), r"\1"),
    (re.compile(r"\\(?:left|right|displaystyle)\b"), ""),
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|mathit)\s*\{([^{}]*)\}"), r" \1 "),
)
_FRACTION = re.compile(
    rf"(?P<sign>[-+\u2212]\s*)?\\[dtc]?frac\s*"
    rf"(?:\{{\s*(?P<above>{_NUMBER})\s*\}}|(?P<one>\d))\s*"
    rf"(?:\{{\s*(?P<below>{_NUMBER})\s*\}}|(?P<other>\d))"
)
_IN_BRACES = re.compile(rf"\{{\s*(\{{\s*{_NUMBER}\s*\}})\s*\}}")


def boxed(text: str) -> list[str]:
    r"""Contents of all closed boxes of a text, in order.

    Examples
    --------
    >>> boxed(r"so \boxed{\frac{1}{2}}, not \boxed{3}")
    ['\\frac{1}{2}', '3']
    """
    return list(_boxes(text)) if "box" in text else []


def _boxes(text: str) -> Iterator[str]:
    opened: list[int | None] = []  # start of each box content; None for other braces
    for brace in _BRACE.finditer(text):
        if brace[0] == "}":
            start = opened.pop() if opened else None
            if start is not None:
                yield text[start : brace.start()]
        elif brace[0][-1] == "{" and brace[0] != r"\{":
            opened.append(brace.end() if len(brace[0]) > 1 else None)


def unmarked(text: str) -> str:
    r"""Replace LaTeX commands for numbers by plain characters.

    Examples
    --------
    >>> unmarked(r"-\frac{1}{2}, 1{,}000, 3\dfrac{3}{4}, 5\%, \frac{1.5}{2}")
    '-1/2, 1,000, 3 3/4, 5%, 3/4'
    """
    if "\\" not in text and "{," not in text:
        return text
    for pattern, plain in _WRITTEN:
        text = pattern.sub(plain, text)
    text = _IN_BRACES.sub(r"\1", text)
    return _FRACTION.sub(_fraction, text)


def _fraction(match: re.Match[str]) -> str:
    above, below = (
        Fraction(re.sub(r"\s", "", match[long] or match[short]).replace("\u2212", "-"))
        for long, short in (("above", "one"), ("below", "other"))
    )
    if not below:
        return match[0]
    # Keep fractions of integers as written, for the report.
    is_whole = above.denominator == below.denominator == 1
    value = above / below
    top, bottom = (
        (abs(above), abs(below)) if is_whole else (abs(value.numerator), value.denominator)
    )
    is_negative = (value < 0) != ((match["sign"] or "+").strip() in "-\u2212")
    before = match.string[: match.start()]
    blank = " " if before[-1:].isalnum() and not match["sign"] else ""
    if match["sign"] and before.rstrip()[-1:].isalnum():
        # The sign is a minus between two numbers.
        return f" {match['sign']} {'-' if value < 0 else ''}{top}/{bottom}"
    return f"{blank}{'-' if is_negative else ''}{top}/{bottom}"
