"""Contradictions: sentences around an answer that refuse, retract or attribute it.

A judge may write a sentence before its JSON and an explanation after it. The answer does not count
if such a sentence refuses to answer, corrects the answer, states another rating, or presents the
JSON as an example or as a quotation. A sentence about the judged claims or texts is
an explanation, even if it calls them wrong. In doubt the answer does not count: the judge is asked
again, and a lost answer does less harm than a wrong one.
"""

# ruff: noqa: RUF001 - punctuation of other scripts

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from importlib import resources


def _phrases() -> dict[tuple[str, str], re.Pattern[str]]:
    """Compile the patterns of the file by section and key."""
    text = (resources.files(__package__) / "contradictions.toml").read_text("utf-8")
    sections = tomllib.loads(text)
    parts = {name: _joined(part) for name, part in sections.pop("parts").items()}
    return {
        (kind, key): re.compile(_filled("|".join(map(_joined, patterns)), parts), re.IGNORECASE)
        for kind, section in sections.items()
        for key, patterns in section.items()
    }


def _joined(pattern: str) -> str:
    """Remove the line breaks and indents of a pattern."""
    return re.sub(r"^ +|\n *", "", pattern)


def _filled(pattern: str, parts: dict[str, str]) -> str:
    """Replace the names of parts, the last parts first, since they contain earlier ones."""
    for name in reversed(parts):
        pattern = pattern.replace(f"{{{name}}}", parts[name])
    return pattern


_PHRASES = _phrases()


def _has(kind: str, sentence: str) -> bool:
    """Return whether a sentence has a phrase of a section of the file."""
    if _PHRASES[kind, "patterns"].search(sentence):
        return True
    others = None if sentence.isascii() else _PHRASES.get((kind, "others"))
    return others is not None and others.search(sentence) is not None


_STATED = re.compile(
    r"\b(?:rating|score|grade|verdict|decision|judge?ment)\b\W*(?:\b(?:is|was|as|to|becomes|should "
    r"be|would be|changes to|changed to)\b)?\W*\b(?P<value>\d+(?:\.\d+)?|yes|no|true|false)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|as the|reflects that)\b", re.IGNORECASE)
_SELF = re.compile(r"^\W*(?:I|we|me|no|nope|nah|nej|nein|non|nie|нет|不)\b", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？;；])|\n\s*\n|\n(?=\s*[-*#\d])")
_POINTING = re.compile(r"\b(?:following|below|this|these|as follows)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;]\s+(?:(?:and|so|but|thus|therefore|hence|then)\s+)?")
_NOISE = re.compile(r"[`*_#>\s]+|\bjson\b|<\|?/?\w+\|?>")
_MOST_WORDS = 2  # of a sentence that is checked for courtesies: "Strike that." is a retraction
_MOST_CHARACTERS = 6  # the same in scripts without blanks


def contradicts(before: str, after: str, says: Collection[str] = ()) -> bool:
    """Return whether the sentences around an answer refuse, retract or attribute it.

    Parameters
    ----------
    before : str
        Text before the answer. None of its sentences may refuse; the last one may not correct the
        answer, make it conditional or attribute it to another person.
    after : str
        Text after the answer, which may neither refuse nor correct it.
    says : collection of str
        Ratings and verdicts of the answer, folded. A sentence that states another one contradicts.

    Examples
    --------
    >>> contradicts("Sure, here is the JSON:", "Hope this helps!")
    False
    >>> contradicts("It would be wrong to answer", "."), contradicts("", "The above is wrong.")
    (True, True)
    >>> contradicts("", "EDIT: the rating is 2.", {"5"}), contradicts("", "Rating: 5", {"5"})
    (True, False)
    """
    first, last = _sentences(before), _sentences(after)
    led = first[-1] if first else ""
    return bool(
        any(_has("refusals", one) for one in (*first, *last))
        or any(_is_abrupt(one, says) for one in last)
        or any(_SELF.match(one) and _is_abrupt(one, says) for one in first)
        or any(_states_another(one, says) for one in (led, *last))
        or (_presents(led) and not (led.endswith(".") and _is_of_the_item(led)))
        or any(map(_retracts, last))
    )


def _sentences(text: str) -> list[str]:
    """Sentences with more in them than marks of a format."""
    return [one.strip() for one in _SENTENCE_END.split(text) if _NOISE.sub("", one)]


def _is_abrupt(sentence: str, says: Collection[str]) -> bool:
    """Return whether a sentence is as short as a retraction, and not a common short phrase."""
    bare = _NOISE.sub(" ", sentence).strip()
    if (
        _BULLET.match(sentence)
        or not bare.endswith((".", "!", "?", "。", "！"))
        or bare.endswith((":.", "..."))
    ):
        return False
    words = re.findall(r"\w+(?:['’]\w+)?", bare)
    is_short = len(words) <= _MOST_WORDS
    if any("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in bare):
        is_short = sum(map(len, words)) <= _MOST_CHARACTERS
    folded = {word.casefold() for word in words}
    return bool(words and is_short and not folded <= set(says) and not _has("courtesies", bare))


def _states_another(sentence: str, says: Collection[str]) -> bool:
    """Return whether a sentence states a rating or verdict that the answer does not have."""
    stated = {match["value"].casefold() for match in _STATED.finditer(sentence)}
    if not any(one.replace(".", "").isdigit() for one in says):
        stated = {one for one in stated if not one.replace(".", "").isdigit()}
    return bool(says and stated and stated.isdisjoint(says))


def _presents(led: str) -> bool:
    """Return whether the sentence before an answer makes it conditional, wrong or a quotation."""
    if _has("retractions", led) or _has("conditions", led):
        return True
    if led.endswith(".") and not _POINTING.search(led):
        return False
    return _has("attributions", _CLAUSE_END.split(led.rstrip(" ,"))[-1])


def _retracts(sentence: str) -> bool:
    """Return whether a sentence after an answer corrects the answer instead of the item."""
    stated = _REASON.split(sentence, maxsplit=1)[0]
    is_of_the_item = _is_of_the_item(stated) or _has("item_faults", sentence)
    if is_of_the_item and not _has("replies", sentence):
        return False
    return _has("retractions", sentence) or (_has("faults", stated) and _has("answers", stated))


def _is_of_the_item(sentence: str) -> bool:
    """Return whether a sentence is about the item instead of the reply."""
    return _has("items", sentence) and not _has("replies", sentence)
