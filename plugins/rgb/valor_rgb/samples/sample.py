"""Sample: a question of the benchmark under one ability, with the response of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from valor_core.errors import SchemaError, did_you_mean, short_repr
from valor_core.schemas.columns import as_score, check_unicode, plain_text
from valor_core.schemas.datum import metadata_field, uid_field
from valor_rgb.parameters.rules import ABILITIES

Spellings = tuple[str, ...]
"""One part of an answer: any of these will do."""

Answers = tuple[Spellings, ...]
"""An answer: all of these parts are wanted."""

_EXPECTED = "a text, a list of texts, or a list of lists of texts"


def as_answers(value: Any, where: str = "answers") -> Answers:
    """The parts of an answer in whichever of the benchmark's three shapes it is written.

    Parameters
    ----------
    value : str, sequence of (str or sequence of str), or None
        A text is one part. Of a list every entry is wanted, and of a list in it any entry will do.
        Whole numbers become their digits. None is an answer without parts.
    where : str
        Location for error messages.

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
    return tuple(_spellings(part, value, where) for part in parts)


def as_spellings(value: Any, where: str = "false_answer") -> Spellings:
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
    return () if value is None else _spellings(value, value, where)


def as_one_of(value: Any, where: str = "references") -> Answers:
    """Return an answer of one part with several spellings, such as references.

    Raises
    ------
    SchemaError
        If it is neither a text nor a list of texts.

    Examples
    --------
    >>> as_one_of(["Paris", "paris"]), as_one_of(None)
    ((('Paris', 'paris'),), ())
    """
    spellings = as_spellings(value, where)
    return (spellings,) if spellings else ()


def _spellings(part: Any, value: Any, where: str) -> Spellings:
    if not isinstance(part, (list, tuple)):
        return (_spelling(part, value, where),)
    return tuple(_spelling(one, value, where) for one in part)


def _spelling(one: Any, value: Any, where: str) -> str:
    if isinstance(one, int) and not isinstance(one, bool):
        return str(one)
    if not isinstance(one, str):
        raise SchemaError(f"{where}: expected {_EXPECTED}, got {short_repr(value)}")
    check_unicode(one, where)
    return one


def ability_of(value: Any, where: str = "ability") -> str:
    """The ability of a name.

    Raises
    ------
    SchemaError
        If it is none of the four.

    Examples
    --------
    >>> ability_of("negative_rejection")
    'negative_rejection'
    """
    if isinstance(value, str) and value in ABILITIES:
        return value
    near = did_you_mean(value, ABILITIES) if isinstance(value, str) else None
    raise SchemaError(
        f"{where}: expected one of {', '.join(ABILITIES)}, got {short_repr(value)}", near
    )


def noise_of(value: Any, where: str = "noise_ratio") -> float | None:
    """Return a noise ratio, or None if it is unknown.

    Raises
    ------
    SchemaError
        If it is no number from 0 to 1.

    Examples
    --------
    >>> noise_of(1), noise_of(None)
    (1.0, None)
    """
    if value is None:
        return None
    try:
        number = as_score(value)
    except (TypeError, ValueError):
        number = -1.0
    if isinstance(value, (bool, str)) or not 0 <= number <= 1:
        raise SchemaError(f"{where}: expected a number from 0 to 1, got {short_repr(value)}")
    return number + 0.0


def truth_of(value: Any, where: str) -> bool:
    """A truth value; None is false.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> truth_of(None, "closed_book"), truth_of(True, "closed_book")
    (False, True)
    """
    if value is None:
        return False
    if isinstance(value, bool):
        return value
    raise SchemaError(f"{where}: expected true or false, got {short_repr(value)}")


def texts_of(value: Any, where: str) -> tuple[str, ...]:
    """A list of texts; None is an empty one, and a text a list of one.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> texts_of("Rome is a city.", "contexts")
    ('Rome is a city.',)
    """
    if value is None:
        return ()
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise SchemaError(f"{where}: expected texts, got {short_repr(value)}")
    texts = (value,) if isinstance(value, str) else tuple(value)
    for text in texts:
        if not isinstance(text, str):
            raise SchemaError(f"{where}: expected texts, got {short_repr(text)} among them")
        check_unicode(text, where)
    return texts


def text_of(value: Any, where: str) -> str | None:
    """A text, or None.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> text_of("Rome", "response")
    'Rome'
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise SchemaError(f"{where}: expected a text, got {short_repr(value)}")
    check_unicode(value, where)
    return plain_text(value)


def _response(value: Any) -> str | None:
    return text_of(value, "response")


def _query(value: Any) -> str | None:
    return text_of(value, "query")


def _closed_book(value: Any) -> bool:
    return truth_of(value, "closed_book")


def _contexts(value: Any) -> tuple[str, ...]:
    return texts_of(value, "contexts")


@frozen
class RGBSample:
    """A question of the benchmark under one ability, with the response of a model.

    Parameters
    ----------
    uid : str or int
        Its name, unique in the data set.
    ability : {"noise_robustness", "negative_rejection", "information_integration", \
"counterfactual_robustness"}
        Tested ability.
    response : str, optional
        Response of the model.
    answers : str or sequence
        Correct answer: a text, or a list of required parts, each a text or a list of alternative
        spellings.
    false_answer : str or sequence of str
        False answer of the counterfactual documents.
    noise_ratio : float, optional
        Requested share of irrelevant documents, from 0 to 1.
    closed_book : bool
        Whether the question was asked without documents.
    query : str, optional
        The question.
    contexts : str or sequence of str
        The documents that the model was given, in their order.
    metadata : mapping of str to value, optional
        Metadata for slices and filters.

    Raises
    ------
    SchemaError
        If a field holds something else; names the field.

    Examples
    --------
    >>> RGBSample("q1", "noise_robustness", "It is Paris.", "Paris", noise_ratio=0.4).answers
    (('Paris',),)
    """

    task: ClassVar[str] = "rgb"

    uid: str | int = uid_field()
    ability: str = field(converter=ability_of)  # type: ignore[misc]
    response: str | None = field(default=None, converter=_response)
    answers: Answers = field(default=(), converter=as_answers)
    false_answer: Spellings = field(default=(), converter=as_spellings)
    noise_ratio: float | None = field(default=None, converter=noise_of)
    closed_book: bool = field(default=False, converter=_closed_book)
    query: str | None = field(default=None, converter=_query)
    contexts: tuple[str, ...] = field(default=(), converter=_contexts)
    metadata: Mapping[str, Any] = metadata_field()
