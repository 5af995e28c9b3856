"""Words of a text, folded for comparison, with their sentences and clauses.

Words are compared regardless of case, width, punctuation or contraction. Scripts
that write no blanks between words have a word for each character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from attrs import frozen
from valor_text.normalisers.sentences import ABBREVIATIONS, APOSTROPHES, UNSPACED

CONTRASTS = frozenset({"although", "but", "however", "nevertheless", "though", "yet"})
"""Words that begin another thought within a sentence."""

_ABBREVIATIONS = (ABBREVIATIONS - {"gen", "sen"}) | {"etc", "no"}
_MARKS = {**APOSTROPHES, ord("\u2032"): "'", ord("\u2212"): "-"}
_CONTRACTIONS = (
    ("can", re.compile(r"\bcan(?:'t|t\b|\s+not\b)"), "cannot"),
    ("won", re.compile(r"\b(?:won't|wont)\b"), "will not"),
    ("n't", re.compile(r"\b([a-z]+)n't\b"), r"\1 not"),
    (
        "nt",
        re.compile(r"\b(do|does|did|is|was|were|are|could|would|should|have|has|had)nt\b"),
        r"\1 not",
    ),
    ("i'm", re.compile(r"\bi'm\b"), "i am"),
    ("'s", re.compile(r"\b(it|that|there|he|she|what|who|where)'s\b"), r"\1 is"),
    ("'re", re.compile(r"\b(we|they|you)'re\b"), r"\1 are"),
)
"""Mark of a contraction, its pattern, and its replacement."""
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(
    rf"(?:(?<![\w-])-)?\d+(?:[.:/]\d+)*(?![^\W{UNSPACED}])|[{UNSPACED}]|[^\W{UNSPACED}]+(?:'[^\W{UNSPACED}]+)*"
)
_CLAUSE = re.compile(r"[,:;()\[\]\u2013\u2014\u3001]|\s-+\s")
_SENTENCE = re.compile(r"[!?;\n\u0964\u2028\u2029\u3002]|\.(?=\s|$)|\.\.")


def folded(text: str) -> str:
    r"""The text in one case and one form of each character, its contractions written out.

    Examples
    --------
    >>> folded("I can\u2019t say. STRASSE, 1,000 \uff21")
    'i cannot say. strasse, 1000 a'
    """
    plain = text.translate(_MARKS)
    if not plain.isascii():
        # Twice, as Unicode defines caseless matching: folding can undo the composition.
        plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    plain = plain.casefold()
    for part, pattern, written in _CONTRACTIONS:
        if part in plain:
            plain = pattern.sub(written, plain)
    return _GROUPED.sub("", plain) if "," in plain else plain


@frozen(slots=False)
class Words:
    """Words of a text, with the numbers of their sentences, thoughts and clauses.

    Parameters
    ----------
    words : tuple of str
        The words, folded.
    sentences, thoughts, clauses : tuple of int
        Number of each word's sentence; of its thought, which ends with the sentence or before a
        word of contrast; of its clause, which ends with the thought or at a comma or the like.

    Examples
    --------
    >>> text = Words.of("No, the U.S. did. But not Mr. Ames, who can't.")
    >>> " ".join(text.words)
    'no the u s did but not mr ames who cannot'
    >>> text.sentences
    (0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1)
    """

    words: tuple[str, ...]
    sentences: tuple[int, ...]
    thoughts: tuple[int, ...]
    clauses: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of a text."""
        plain = folded(text)
        words: list[str] = []
        sentences: list[int] = []
        thoughts: list[int] = []
        clauses: list[int] = []
        sentence = thought = clause = end = 0
        for match in _WORD.finditer(plain):
            word = match[0]
            start = match.start()
            if word in CONTRASTS or start - end != 1 or plain[end] != " ":  # mostly it is a blank
                gap = plain[end:start]
                if words and _ends(words[-1], gap):
                    sentence, thought, clause = sentence + 1, thought + 1, clause + 1
                elif words and word in CONTRASTS:
                    thought, clause = thought + 1, clause + 1
                elif words and _CLAUSE.search(gap):
                    clause += 1
            end = match.end()
            words.append(word.removesuffix("'s"))
            sentences.append(sentence)
            thoughts.append(thought)
            clauses.append(clause)
        return cls(tuple(words), tuple(sentences), tuple(thoughts), tuple(clauses))

    def positions(self, phrase: Sequence[str]) -> Iterator[int]:
        """Yield the positions of a phrase."""
        wanted, size = tuple(phrase), len(phrase)
        if not size or f" {' '.join(phrase)} " not in self.joined:
            return
        for position in range(len(self.words) - size + 1):
            if self.words[position : position + size] == wanted:
                yield position

    @cached_property
    def joined(self) -> str:
        """All words between blanks, for a fast search of phrases."""
        return f" {' '.join(self.words)} "


@frozen
class Phrases:
    """Phrases that are searched together.

    Parameters
    ----------
    phrases : tuple of str
        The phrases.

    Examples
    --------
    >>> list(Phrases.of(("cannot tell", "no idea")).positions(Words.of("I can't tell. No idea!")))
    [(1, 'cannot tell'), (3, 'no idea')]
    """

    phrases: tuple[tuple[str, tuple[str, ...], str], ...]

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Phrases:
        """Split phrases into words once."""
        split = ((phrase, words_of(phrase)) for phrase in phrases)
        return cls(tuple((name, words, f" {' '.join(words)} ") for name, words in split if words))

    def positions(self, text: Words) -> Iterator[tuple[int, str]]:
        """Yield the positions of each phrase, phrase by phrase."""
        joined = text.joined
        for name, words, key in self.phrases:
            if key in joined:
                for position in text.positions(words):
                    yield position, name


def _ends(word: str, gap: str) -> bool:
    """Return whether a sentence ends between a word and the next one."""
    found = _SENTENCE.search(gap)
    if found is None:
        return False
    is_point = gap.strip() == "."
    return not (is_point and (word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())))


@lru_cache(maxsize=4096)
def words_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase or of an answer, kept since the same ones are searched again.

    Examples
    --------
    >>> words_of("January 2, 2022"), words_of("东京"), words_of("?!")
    (('january', '2', '2022'), ('东', '京'), ())
    """
    return Words.of(phrase).words


def phrases_in(text: str) -> tuple[str, ...]:
    """Return the phrases of a text, which are separated by commas.

    Examples
    --------
    >>> phrases_in("i cannot, not able to")
    ('i cannot', 'not able to')
    """
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


def first_phrase(phrases: Iterable[str], text: str) -> str | None:
    """The first phrase that is a substring of a text, as the rule that fired.

    Examples
    --------
    >>> first_phrase(("unclear", "unknown"), "it is unknown"), first_phrase(("unclear",), "clear")
    ('phrase: unknown', None)
    """
    return next((f"phrase: {phrase}" for phrase in phrases if phrase in text), None)
