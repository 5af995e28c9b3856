"""Comparison of a statement with sources by shared words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Literal

from attrs import frozen

from valor_llm.lexical.words import Words, begins_with, sentences

ENOUGH = 0.6
"""The share of a statement's words that a sentence must have to be about the same."""

_PERCENT = f"{ENOUGH:.0%}"


@frozen
class Evidence:
    """Result of comparing a statement with sources.

    Parameters
    ----------
    outcome : {"backed", "contradicted", "absent"}
        The result.
    analysis : str
        Why.
    """

    outcome: Literal["backed", "contradicted", "absent"]
    analysis: str

    @property
    def is_backed(self) -> bool:
        """True if a source supports the statement."""
        return self.outcome == "backed"


_ABSENT = Evidence("absent", f"No sentence has {_PERCENT} of its words")


def compared(statement: str, sources: Iterable[str], given: str = "") -> Evidence:
    """Compare a statement with the sentences of sources, by shared words.

    A sentence that has `ENOUGH` of them is about the same. It backs the statement if it has all of
    its numbers, its source all of its names, and both deny or neither does. Otherwise it
    contradicts it; if the sentence has no number or name to compare, it is absent. A
    sentence that begins with a pronoun has the words of the one before, too.

    Parameters
    ----------
    statement : str
        The statement.
    sources : iterable of str
        Texts to search.
    given : str
        A question, whose words count as shared: *Copper* answers what the cables are made of.

    Examples
    --------
    >>> compared("The mill burned in 1874.", ["In 1874 the old mill burned down."])
    Evidence(outcome='backed', analysis='All words are in: In 1874 the old mill burned down.')
    >>> compared("The mill burned in 1875.", ["In 1874 the old mill burned down."])
    Evidence(outcome='contradicted', analysis='1875 is not in: In 1874 the old mill burned down.')
    >>> compared("It was rebuilt.", ["In 1874 the old mill burned down."])
    Evidence(outcome='absent', analysis='No sentence has 60% of its words')
    """
    wanted, given_words = Words.of(statement), Words.of(given)
    found = [one for source in sources for one in _found(wanted, given_words, source)]
    for outcome in ("backed", "contradicted"):
        for one in found:
            if one.outcome == outcome:
                return one
    return found[0] if found else _ABSENT


@frozen
class _Sentence:
    """Sentence of a source, its words, and the words of its topic."""

    text: str
    said: Words
    about: AbstractSet[str]


@lru_cache(maxsize=256)
def _cut(source: str) -> tuple[_Sentence, ...]:
    """The sentences of a source, cut once, since many statements are compared with it."""
    found: list[_Sentence] = []
    about: AbstractSet[str] = frozenset()
    for text in sentences(source):
        said = Words.of(text)
        # The topic of *It was painted* is that of the sentence before.
        refers = begins_with(text, "pronouns")
        about = said.content.keys() | (about if refers else frozenset())
        found.append(_Sentence(text, said, about))
    return tuple(found)


def _found(wanted: Words, given_words: Words, source: str) -> Iterator[Evidence]:
    """Yield the comparisons with the sentences of a source that share the topic."""
    names = Words.of(source).content.keys() | given_words.content.keys()
    for sentence in _cut(source):
        found = _shared(wanted, given_words, sentence.about, sentence.said)
        if found is not None:
            yield _decided(wanted, given_words, names, sentence.said, found, sentence.text)


def _shared(wanted: Words, given_words: Words, there: AbstractSet[str], said: Words) -> int | None:
    """Return the number of shared words; None if too few are shared."""
    words = wanted.content.keys()
    new = words - given_words.content.keys()
    shared = (words & there) | (words & given_words.content.keys())
    is_about = bool(new & there) if new else bool(wanted.numbers & said.numbers)
    is_enough = not words or len(shared) / len(words) >= ENOUGH
    return len(shared) if is_about and is_enough else None


def _decided(
    wanted: Words,
    given_words: Words,
    names: AbstractSet[str],
    said: Words,
    shared: int,
    sentence: str,
) -> Evidence:
    if wanted.denied != said.denied:
        return Evidence("contradicted", f"Only one of them denies it: {sentence}")
    numbers = wanted.numbers - said.numbers - given_words.numbers
    if numbers:
        instead = said.numbers - wanted.numbers
        analysis = f"{', '.join(sorted(numbers))} is not in: {sentence}"
        return Evidence("contradicted" if instead else "absent", analysis)
    strange = wanted.names - names
    if strange:
        analysis = (
            f"{', '.join(sorted(wanted.content[one] for one in strange))} is not in: {sentence}"
        )
        instead = said.names - wanted.content.keys()
        return Evidence("contradicted" if instead else "absent", analysis)
    how_many = "All" if shared == len(wanted.content) else f"{shared} of {len(wanted.content)}"
    return Evidence("backed", f"{how_many} words are in: {sentence}")
