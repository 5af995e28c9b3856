"""JSON in the text of a reply: fenced, in prose, with small mistakes, or cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from attrs import frozen


class NoJSON(ValueError):
    """What is wrong with a text that holds no JSON, in words for the model.

    Parameters
    ----------
    problem : str
        What is wrong.
    is_cut : bool
        Whether the text ends too early, and might have had some.
    """

    def __init__(self, problem: str, is_cut: bool = False) -> None:
        super().__init__(problem)
        self.is_cut = is_cut


@frozen
class Found:
    """A JSON object or list found in a text.

    Parameters
    ----------
    value : dict or list
        What it is.
    lenient : tuple of str
        What had to be overlooked to read it.
    is_cut : bool
        Whether the text ends within it. Its lists then have the objects that were complete.
    """

    value: Any
    lenient: tuple[str, ...] = ()
    is_cut: bool = False


def values_in(text: str) -> tuple[Found, ...]:
    r"""The JSON objects and lists of a text, in order, none of them within another.

    The time it takes grows with the length of the text, whatever is in it.

    Raises
    ------
    NoJSON
        If there is none.

    Examples
    --------
    >>> (found,) = values_in('Sure!\n```json\n{"claims": ["a",]}\n```')
    >>> found.value, found.lenient
    ({'claims': ['a']}, ('text around the JSON', 'trailing comma'))
    >>> (found,) = values_in('[{"id": 1, "verdict": "yes"}, {"id": 2, "ver')
    >>> found.value, found.is_cut
    ([{'id': 1, 'verdict': 'yes'}], True)
    """
    whole, notes = _well_formed(text)
    said = without_thoughts(whole)
    notes = notes if said == whole else (*notes, "thoughts before the answer")
    whole = said.strip()
    found, problem, is_cut = [], "", False
    for number, (start, end, closers) in enumerate(_pieces(whole)):
        if number == _MOST:
            raise NoJSON(f"it has more than {_MOST} JSON objects")
        is_cut = closers is not None
        if start == end:
            continue
        piece = whole[start:end]
        around = ("text around the JSON",) if piece != whole and not is_cut else ()
        try:
            value, small = _decoded(piece + (closers or ""))
        except ValueError as error:
            problem = problem or f"its JSON is not valid: {error}"
            continue
        cut = ("cut off: what is complete",) if is_cut else ()
        found.append(Found(value, (*notes, *around, *small, *cut), is_cut))
    if found:
        return tuple(found)
    if is_cut or whole.startswith("<think"):
        raise NoJSON("it is cut off before its JSON is complete", is_cut=True)
    raise NoJSON(problem or ("it has no JSON object" if whole else "it is empty"))


def without_thoughts(text: str) -> str:
    """A text without what a model thought before it answered.

    Examples
    --------
    >>> without_thoughts("<think>3? Rather 4.</think>4")
    '4'
    """
    thoughts = _THOUGHTS.match(text)
    return text if thoughts is None else text[thoughts.end() :]


_THOUGHTS = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_START = re.compile(r'\{(?=\s*["}])|^[ \t]*\[(?=\s*[\[{"\]])', re.MULTILINE)
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]"]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}
_DEEPEST = 100  # levels of lists and objects; what recurses over them is safe
_DEEPEST_CUT = 8  # levels that are kept of what is cut off
_MOST = 100  # pieces that are read


def _pieces(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Where JSON begins and ends; and what closes it, where the text ends before."""
    place = 0
    while start := _START.search(text, place):
        begin = start.end() - 1
        end, closers = _piece(text, begin)
        yield begin, end, closers
        place = end if closers is None else len(text)


def _piece(text: str, start: int) -> tuple[int, str | None]:
    """Where the piece that begins somewhere ends, and what closes it if nothing does."""
    stack: list[str] = []
    complete, closers = start, ""
    for token in _TOKEN.finditer(text, start):
        mark, end = token[0], token.end()
        if mark in _CLOSERS:
            if len(stack) == _DEEPEST:
                raise NoJSON("its JSON is nested too deeply")
            stack.append(_CLOSERS[mark])
        elif mark == '"':  # a text that does not end
            break
        elif mark in "}]":
            if stack.pop() != mark or not stack:
                return end, None
            if mark == "}" and stack[-1] == "]" and len(stack) <= _DEEPEST_CUT:
                complete, closers = end, "".join(reversed(stack))
    return complete, closers


def _decoded(piece: str) -> tuple[Any, tuple[str, ...]]:
    """A piece of JSON, and what was overlooked in it."""
    notes: dict[str, None] = {}

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                if made[key] != value:
                    raise ValueError(f"two values for {key!r}")
                notes["key twice"] = None
            made[key] = value
        return made

    def decode(text: str, strict: bool) -> Any:
        decoder = json.JSONDecoder(
            object_pairs_hook=unique, parse_constant=_refused, parse_int=_integer, strict=strict
        )
        return decoder.decode(text)

    try:
        return decode(piece, True), tuple(notes)
    except json.JSONDecodeError:
        pass
    notes.clear()
    mended = _TRAILING.sub(lambda match: match[1] or "", piece)
    value = decode(mended, False)
    if mended != piece:
        notes["trailing comma"] = None
    if _CONTROL.search(piece):
        notes["line break in a text"] = None
    return value, tuple(notes)


_TRAILING = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|,(?=\s*+[\]}])', re.DOTALL)
_CONTROL = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+[\x00-\x1f]', re.DOTALL)


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _integer(digits: str) -> int:
    if len(digits) > 30:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


_ESCAPE = re.compile(
    r"\\(?:u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _well_formed(text: str) -> tuple[str, tuple[str, ...]]:
    """A text whose characters are whole, escaped ones as well, and what was overlooked."""
    bare = text.removeprefix("\ufeff")
    try:
        bare.encode()
        mended = bare
    except UnicodeEncodeError:
        mended = bare.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\\u" in mended:
        mended = _ESCAPE.sub(lambda match: r"\ufffd" if match["half"] else match[0], mended)
    marked = ("byte order mark",) if bare != text else ()
    halved = ("half of a character",) if mended != bare else ()
    return mended, (*marked, *halved)
