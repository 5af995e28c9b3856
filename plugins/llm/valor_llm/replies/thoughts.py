"""Thoughts: the parts of a reply in which a model reasons before it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen


class OpenThought(ValueError):
    """A reply that ends within a thought, so that nothing in it is the answer."""

    def __init__(self) -> None:
        super().__init__("it ends within a thought and has no answer")


_NAMES = (
    r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?(?:_content)?|analysis|reflection|"
    r"scratch_?pad|cot|chain[_ -]of[_ -]thoughts?|(?:inner_)?monologue|internal|planning|plan|"
    r"draft|deliberation|thought_process)"
)
_PURE_NAMES = (  # without names that are also headings, such as "analysis"
    r"(?:think(?:ing)?|thoughts?|思考(?:过程|過程)?|思维(?:链)?|思路|推理(?:过程)?|考え|추론|생각|"
    r"мысли|размышления|рассуждение|réflexion|pensées?|überlegung(?:en)?|gedanken|pensamientos?)"
)
_BEGIN = r"(?:(?:BEGIN|START)[ _](?:OF[ _])?)"
_END = r"(?:END|STOP)[ _](?:OF[ _])?|/"
_MARKER = re.compile(
    rf"(?:<|&lt;)\s*(?P<end1>/)?\s*(?P<name1>{_NAMES})\b(?![^<>{{}}]*/(?:>|&gt;))"
    r"(?:[^<>&{}]*(?:>|&gt;)|[^<>&{}]*(?=\{)|[^<>&{}]*\Z)"
    rf"|\[(?:(?P<end2>{_END})|{_BEGIN})?(?P<name2>(?-i:[A-Z_]+))\](?=\s|\S)"
    rf"|◁(?P<end3>/)?(?P<name3>{_NAMES})▷"
    rf"|<\|(?:(?P<end4>end_of_|end_|/)|(?:begin_of_|start_)?)(?P<name4>{_NAMES})\|>"
    rf"|<\|(?P<name5>{_NAMES})_(?:start|begin|(?P<end5>end))\|>"
    rf"|(?:\[|\{{\{{|\(\(|::|[【《〈⟨〔（(«])\s*(?P<end6>/)?(?P<name6>{_PURE_NAMES})\s*"  # noqa: RUF001
    r"(?:\]|\}\}|\)\)|::|[】》〉⟩〕）)»])"  # noqa: RUF001
    rf"|\\(?:begin|(?P<end7>end))\{{(?P<name7>{_NAMES})\}}"
    r"|<(?P<name8>unused9(?:4|(?P<end8>5)))>",
    re.IGNORECASE,
)
_FORMS = range(1, 9)
_BRACKETED = re.compile(_NAMES, re.IGNORECASE)
_LETTER = r"(?:[^\W\d_]|[\u200b-\u200f\u2060\ufeff])"
_NAME = rf"{_LETTER}(?:[\w:.-]|[\u200b-\u200f\u2060\ufeff]){{0,40}}"
_TAG = re.compile(rf"(?<!\S)<(?P<end>/)?(?P<name>{_NAME})>|(?<=\S)</(?P<close>{_NAME})>")
_FENCE = re.compile(
    rf"^[ \t]*(?:```+|~~~+)[ \t]*(?:(?P<thought>{_NAMES}|{_PURE_NAMES})\b)?", re.M | re.IGNORECASE
)
_COMMENT = re.compile(r"<!--|(?P<end>-->)")
_WIDE = str.maketrans("＜＞｜", "<>|")  # noqa: RUF001 - as models of Chinese write them
_OF_AN_ANSWER = re.compile(
    r"(?:\w*:)?(?:final_?)*(?:answers?|outputs?|results?|responses?|reply|json|verdicts?|ratings?|"
    r"scores?|grades?|evaluations?|judge?ments?|tool_calls?|function_calls?|assistant|claims|"
    r"statements|opinions|data|object|code|pre|p|br|div|span|html|body|xml|b|i|ul|ol|li)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"<\|channel\|?>\s*(\w+)(?:[^<{]*<\|message\|>)?|\A(?:assistant)?(analysis)(?=[A-Z{\[])|"
    r"\bassistant(final)(?=\W|[A-Z])"
)
_SPECIAL = re.compile(r"<\|(?:end|return|eot_id|im_end|start|call)\|>.*\Z", re.DOTALL)


@frozen
class Span:
    """A part of a text that is a thought, from one position to another."""

    start: int
    end: int


def after_thoughts(text: str) -> str:
    """Return the text after its leading thoughts.

    Parameters
    ----------
    text : str
        A reply.

    Raises
    ------
    OpenThought
        If the last of these thoughts does not end.

    Examples
    --------
    >>> after_thoughts("<think>3? Rather 4.</think>4"), after_thoughts("Too long.</think>4")
    ('4', '4')
    """
    said = _final_channel(text)
    marked = said.translate(_WIDE)
    position = 0
    while (opening := _opening(marked, position)) is not None:
        closing = _closing(marked, opening)
        if closing is None:
            raise OpenThought
        position = closing.end()
    said, marked = said[position:], marked[position:]
    # Templates put the opening marker into the prompt: the text before a closing one is a thought.
    if not said.lstrip().startswith(("{", "[", "```")):
        markers = list(_markers(marked))
        if markers and all(map(_is_end, markers)):
            return said[markers[-1].end() :]
    return said


def thoughts_between(text: str, gaps: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """Return the thoughts between the markers in parts of a text.

    Parameters
    ----------
    text : str
        A reply.
    gaps : sequence of (int, int)
        Its parts outside of JSON.

    Raises
    ------
    OpenThought
        If one does not end, or a tag of another name opens and does not end.
    """
    found: list[Span] = []
    opened: list[tuple[str, int]] = []
    for name, position, is_end in _events(text, gaps):
        if not is_end:
            opened.append((name, position))
        elif name in [one for one, _ in opened]:
            while opened:
                other, start = opened.pop()
                if other == name:
                    found.append(Span(start, position))
                    break
        elif _BRACKETED.fullmatch(name):
            found.append(Span(0, position))
    if opened:
        raise OpenThought
    return tuple(found)


def _events(text: str, gaps: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int, bool]]:
    """Name, position and kind of the markers in the gaps, in order."""
    events = {}
    for start, end in gaps:
        gap = text[start:end].translate(_WIDE)
        for match in _markers(gap):
            events[start + match.start()] = (_name(match), _is_end(match))
        for match in _TAG.finditer(gap):
            name = (match["name"] or match["close"]).casefold()
            if not _OF_AN_ANSWER.fullmatch(name):
                is_end = bool(match["end"] or match["close"])
                events.setdefault(start + match.start(), (name, is_end))
        for name, pattern in (("fence", _FENCE), ("comment", _COMMENT)):
            for match in pattern.finditer(gap):
                is_end = bool(match["end"]) if name == "comment" else not match["thought"]
                events.setdefault(start + match.start(), (name, is_end))
    for position in sorted(events):
        yield (events[position][0], position, events[position][1])


def _final_channel(text: str) -> str:
    """Return the text of the final channel, if a reply has channels."""
    channels = list(_CHANNEL.finditer(text.translate(_WIDE)))
    if not channels:
        return text
    last = channels[-1]
    if (last[1] or last[2] or last[3]) not in ("final", "commentary"):
        raise OpenThought
    return _SPECIAL.sub("", text[last.end() :])


def _markers(text: str, position: int = 0) -> Iterator[re.Match[str]]:
    for match in _MARKER.finditer(text, position):
        if match["name2"] is None or _BRACKETED.fullmatch(match["name2"]):
            yield match


def _opening(text: str, position: int) -> re.Match[str] | None:
    """The marker of a thought that the text from a position on begins with."""
    first = next(_markers(text, position), None)
    if first is None or _is_end(first) or text[position : first.start()].strip():
        return None
    return first


def _closing(text: str, opening: re.Match[str]) -> re.Match[str] | None:
    ends = (one for one in _markers(text, opening.end()) if _is_end(one))
    return next((one for one in ends if _same(_name(one), _name(opening))), None)


def _same(one: str, other: str) -> bool:
    """Return whether two names denote the same thought, such as ``think`` and ``thinking``."""
    return one == other or one[:5] == other[:5]


def _name(match: re.Match[str]) -> str:
    name = next(match[f"name{form}"] for form in _FORMS if match[f"name{form}"])
    return "unused" if name.startswith("unused") else name.casefold()


def _is_end(match: re.Match[str]) -> bool:
    return any(match[f"end{form}"] for form in _FORMS)
