"""JSON in the text of a reply: fenced, in prose, with small mistakes, or cut off."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from types import NoneType
from typing import Any, NoReturn

from attrs import frozen

from valor_llm.replies.thoughts import OpenThought, after_thoughts, thoughts_between


class NoJSON(ValueError):
    """Reason why a text has no JSON, worded for the model.

    Parameters
    ----------
    problem : str
        The reason.
    is_cut : bool
        Whether the text ends too early to have JSON.
    """

    def __init__(self, problem: str, is_cut: bool = False) -> None:
        super().__init__(problem)
        self.is_cut = is_cut


@frozen
class JSONValue:
    """A JSON object or list found in a text.

    Parameters
    ----------
    value : dict or list
        The parsed value.
    lenient : tuple of str
        Mistakes tolerated by the parser.
    is_cut : bool
        Whether the text ends within it. Its lists then have the objects that were complete.
    before, after : str
        Text between it and the JSON before it, and text between it and the JSON after it.
    """

    value: Any
    lenient: tuple[str, ...] = ()
    is_cut: bool = False
    before: str = ""
    after: str = ""


def values_in(text: str, *, cut: bool = False) -> tuple[JSONValue, ...]:
    r"""The JSON objects and lists of a text, in order, none of them within another.

    The time is linear in the length of the text.

    Parameters
    ----------
    text : str
        A reply.
    cut : bool
        Whether the endpoint truncated the text. JSON is then accepted only if the reply begins
        with it and has nothing after it: other JSON may be a draft.

    Raises
    ------
    NoJSON
        If there is no JSON.

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
    try:
        said = after_thoughts(whole)
        notes = notes if said == whole else (*notes, "thoughts before the answer")
        whole = said.strip()
        pieces = list(islice(_pieces(whole), _MOST + 1))
        ends = [0, *(end for _, end, _ in pieces)]
        starts = [start for start, _, _ in pieces]
        if not (pieces and pieces[-1][2] is not None):  # nothing follows JSON that is cut off
            starts.append(len(whole))
        thoughts = thoughts_between(whole, list(zip(ends, starts, strict=False)))
    except OpenThought as error:
        raise NoJSON(str(error), is_cut=True) from None
    found, problem, is_cut = [], "", False
    for number, (start, end, closers) in enumerate(pieces):
        if number == _MOST:
            raise NoJSON(f"it has more than {_MOST} JSON objects")
        is_cut = closers is not None
        if start == end or any(one.start <= start < one.end for one in thoughts):
            continue
        piece = whole[start:end]
        before = whole[ends[number] : start]
        following = pieces[number + 1][0] if number + 1 < len(pieces) else len(whole)
        after = "" if is_cut else whole[end:following]
        if cut and (_FENCE.sub("", whole[:start]) or _FENCE.sub("", after) or number):
            raise NoJSON("it is cut off after a draft of its answer", is_cut=True)
        around = ("text around the JSON",) if piece != whole and not is_cut else ()
        try:
            value, small = _decoded(piece + (closers or ""))
        except ValueError as error:
            problem = problem or f"its JSON is not valid: {error}"
            continue
        left_out = ("cut off: what is complete",) if is_cut else ()
        lenient = (*notes, *around, *small, *left_out)
        found.append(JSONValue(value, lenient, is_cut, before, after))
    if found:
        return tuple(found)
    if is_cut:
        raise NoJSON("it is cut off before its JSON is complete", is_cut=True)
    raise NoJSON(problem or ("it has no JSON object" if whole else "it is empty"))


def quotable_in(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """Yield the objects and lists in a quoted text, and those within them.

    This includes escaped JSON in a text, and in a text of other JSON.
    """
    yield from _quotable(text, _MOST_ESCAPED)


def _quotable(text: str, levels: int) -> Iterator[dict[str, Any] | list[Any]]:
    if levels and '\\"' in text:
        yield from _quotable(text.replace('\\"', '"').replace("\\\\", "\\"), levels - 1)
    try:
        pieces = list(islice(_pieces(text), _MOST))
    except NoJSON:
        return
    for start, end, closers in pieces:
        if closers is None:
            with suppress(ValueError):
                yield from _parts(_decoded(text[start:end])[0], levels)


def _parts(value: Any, levels: int) -> Iterator[dict[str, Any] | list[Any]]:
    if isinstance(value, (dict, list)):
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts(part, levels)
    elif isinstance(value, str) and levels and ("{" in value or "[" in value):
        yield from _quotable(value, levels - 1)


_FENCE = re.compile(r"```\w*|\s+")
_START = re.compile(
    r"""\{(?=\s*(?:["'}]|//|/\*))|^[ \t]*\[(?=\s*(?:[\[{"'\]]|//|/\*))""", re.MULTILINE
)
_TOKEN = re.compile(
    r""""[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|//[^\n]*+|/\*.*?\*/|[{}\[\]"]""",
    re.DOTALL,
)
_CLOSERS = {"{": "}", "[": "]"}
_DEEPEST = 100  # levels of lists and objects; safe for recursion
_DEEPEST_CUT = 8  # levels that are restored in truncated JSON
_MOST = 100  # pieces that are read
_MOST_ESCAPED = 3  # JSON in a text of JSON in a text of JSON


def _pieces(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Yield start and end of each piece of JSON, with the closing brackets that are missing."""
    position = 0
    while start := _START.search(text, position):
        begin = start.end() - 1
        end, closers = _piece(text, begin)
        yield begin, end, closers
        position = end if closers is None else len(text)


def _piece(text: str, start: int) -> tuple[int, str | None]:
    """Return the end of the piece from a position, with the closing brackets that are missing."""
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
    """Parse a piece of JSON, and return the tolerated mistakes."""
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
            object_pairs_hook=unique,
            parse_constant=_refused,
            parse_int=_integer,
            parse_float=_float,
            strict=strict,
        )
        return decoder.decode(text)

    try:
        return decode(piece, True), tuple(notes)
    except json.JSONDecodeError:
        pass
    mended, found = _mended(piece)
    notes.clear()
    try:
        value = decode(mended, False)
    except json.JSONDecodeError as error:
        if "'" not in piece:
            raise
        value = _python_literal(mended, unique, error)
        found = (*found, "single quotes")
    return value, (*notes, *found)


def _mended(piece: str) -> tuple[str, tuple[str, ...]]:
    """Repair mistakes in JSON that have one interpretation, and return their names."""
    without = _COMMENT.sub(lambda match: match[1] or " ", piece)
    commas = _TRAILING.sub(lambda match: match[1] or "", without)
    escaped = _STRING.sub(lambda match: _ANY_ESCAPE.sub(_whole_escape, match[0]), commas)
    changes = {
        "comment": without != piece,
        "trailing comma": commas != without,
        "lone backslash": escaped != commas,
        "line break in a text": any(_CONTROL.search(one[0]) for one in _STRING.finditer(escaped)),
    }
    return escaped, tuple(name for name, is_so in changes.items() if is_so)


def _whole_escape(escape: re.Match[str]) -> str:
    """An escape that JSON has, or a backslash and the character after it."""
    is_whole = escape[1] in tuple('"\\\\/bfnrt') or len(escape[1]) == 5
    return escape[0] if is_whole else rf"\\{escape[1]}"


def _python_literal(
    text: str, unique: Callable[[Sequence[tuple[str, Any]]], dict[str, Any]], error: ValueError
) -> Any:
    """Value of a literal of dictionaries, lists, texts and numbers, as Python prints them."""

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.Dict):
            keys = [value(key) for key in node.keys if key is not None]
            if len(keys) < len(node.keys) or not all(isinstance(key, str) for key in keys):
                raise error
            return unique(list(zip(keys, map(value, node.values), strict=True)))
        if isinstance(node, ast.List):
            return [value(one) for one in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = value(node.operand)
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                return -number
        elif isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, NoneType)):
            return node.value
        raise error

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python has no meaning for
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise error from None
    return value(tree.body)


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_ANY_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_COMMENT = re.compile(
    r"""("[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')|//[^\n]*+|/\*.*?\*/""", re.DOTALL
)
_TRAILING = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|,(?=\s*+[\]}])', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _float(text: str) -> float:
    number = float(text)
    if number.is_integer() and Decimal(text) != Decimal(number):
        raise ValueError(f"{text} has more digits than a number can have")
    return number


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
    """Replace invalid characters and escapes in a text, and return the tolerated mistakes."""
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
