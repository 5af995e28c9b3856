"""Answers: the parts that a right response has, each in any of several spellings."""

from __future__ import annotations

from typing import Any

from valor_core.errors import SchemaError, shown
from valor_core.schemas import check_unicode

Spellings = tuple[str, ...]
"""One part of an answer: any of these will do."""

Answers = tuple[Spellings, ...]
"""An answer: all of these parts are wanted."""

_EXPECTED = "a text, a list of texts, or a list of lists of texts"


def as_answers(value: Any, place: str = "answers") -> Answers:
    """The parts of an answer in whichever of the benchmark's three shapes it is written.

    Parameters
    ----------
    value : str, sequence of (str or sequence of str), or None
        A text is one part. Of a list every entry is wanted, and of a list in it any entry will do.
        Whole numbers become their digits. None is an answer without parts.
    place : str
        What an error message calls it.

    Returns
    -------
    tuple of tuple of str
        The spellings of each part.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> as_answers("Paris")
    (('Paris',),)
    >>> as_answers(["Ann", ["2 May 1998", "May 2, 1998"]])
    (('Ann',), ('2 May 1998', 'May 2, 1998'))
    """
    if value is None:
        return ()
    parts = list(value) if isinstance(value, (list, tuple)) else [value]
    return tuple(_spellings(part, value, place) for part in parts)


def as_spellings(value: Any, place: str = "false_answer") -> Spellings:
    """The spellings of one part; None has none.

    Raises
    ------
    SchemaError
        If it is neither a text nor a list of texts.

    Examples
    --------
    >>> as_spellings("London"), as_spellings(None)
    (('London',), ())
    """
    return () if value is None else _spellings(value, value, place)


def as_one_of(value: Any, place: str = "references") -> Answers:
    """The answer of one part for which any of some texts will do, as references are.

    Raises
    ------
    SchemaError
        If it is neither a text nor a list of texts.

    Examples
    --------
    >>> as_one_of(["Paris", "paris"]), as_one_of(None)
    ((('Paris', 'paris'),), ())
    """
    spellings = as_spellings(value, place)
    return (spellings,) if spellings else ()


def _spellings(part: Any, whole: Any, place: str) -> Spellings:
    if not isinstance(part, (list, tuple)):
        return (_spelling(part, whole, place),)
    return tuple(_spelling(one, whole, place) for one in part)


def _spelling(one: Any, whole: Any, place: str) -> str:
    if isinstance(one, int) and not isinstance(one, bool):
        return str(one)
    if not isinstance(one, str):
        raise SchemaError(f"{place}: expected {_EXPECTED}, got {shown(whole)}")
    check_unicode(one, place)
    return one
