"""Robust rules: whole words, denials, refusals and sentences of a response."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

from attrs import frozen

from valor_rgb.rules.words import Phrases, Words, phrases_in, words_of
from valor_rgb.samples.sample import Answers, Spellings

REJECTION_PHRASES = phrases_in(
    """
    i cannot, we cannot, i could not, i do not know, we do not know, i do not have, i am unable,
    i am not able, i am not sure, i am not certain, i am unsure, cannot answer, cannot determine,
    cannot provide, cannot be answered, cannot be determined, cannot be found, cannot be inferred,
    unable to answer, unable to determine, unable to find, unable to provide, not able to answer,
    not able to determine, not able to find, not able to provide, not possible to answer,
    not possible to determine, impossible to answer, impossible to determine, it is unclear,
    it is not clear, it is unknown, it is not known, none of the documents, none of the passages,
    none of the provided, insufficient information, insufficient evidence, not enough information,
    not enough evidence, no relevant information, lack of information,
    information is not available, information is insufficient
    """
)
"""Phrases that always refuse."""

ABSENCE_PHRASES = phrases_in(
    """
    not mention, not mentioned, no mention, never mention, not contain, not include, not included,
    not provide, not provided, not specify, not specified, not state, not stated, not say,
    not give, not given, not have, not address, not discuss, not indicate, not answer, not found,
    not available, no answer, no information, no evidence, nothing about, silent on, unclear,
    unknown, fail to mention, fails to mention
    """
)
"""Phrases that refuse in a sentence with a word for the documents, or as the entire response."""

DETECTION_PHRASES = phrases_in(
    """
    contradict, contradicts, conflicts with, discrepancies, discrepancy, erroneous, error, errors,
    false, inaccuracies, inaccuracy, inaccurate, inconsistent, incorrect, incorrectly,
    misinformation, misleading, mistake, mistaken, mistakenly, mistakes, not accurate,
    not correct, not true, outdated, untrue, wrong, wrongly
    """
)
"""Phrases that report an error in a sentence with a word for the documents."""

DOCUMENT_WORDS = phrases_in(
    """
    article, articles, context, contexts, document, documents, excerpt, excerpts, information,
    passage, passages, source, sources, text, texts
    """
)
"""Words for the documents of the prompt."""

NEGATIONS = ("cannot", "instead of", "neither", "never", "nor", "not", "other than", "rather than")
"""Words that deny an answer which follows in the same clause."""

REACH = 3
"""Maximum number of words between a negation and the denied words."""

_ONLY_IN_FORM = (("not", "only"), ("not", "just"), ("not", "merely"), ("no", "doubt"))
_NO_ERROR = ("free of", "no", "without")
_IS = ("is", "are", "was", "were", "be", "being")
_DENIALS = phrases_in(
    """
    false, inaccurate, incorrect, mistaken, not accurate, not correct, not right, not the,
    not true, untrue, wrong
    """
)


@frozen(slots=False)
class RobustRules:
    """Rules over words, folded in case, width, punctuation and contraction.

    Parameters
    ----------
    rejection_phrases : tuple of str
        Phrases that always refuse.
    absence_phrases : tuple of str
        Phrases that refuse in a sentence with a word for the documents, or alone.
    detection_phrases : tuple of str
        Phrases that find an error in a sentence with a word for the documents.
    document_words : tuple of str
        Words for the documents.
    negations : tuple of str
        Words that deny an answer in the same clause, at most `REACH` words later.

    Examples
    --------
    >>> rules = RobustRules()
    >>> rules.right("It is not Paris, it is Lyon.", (("Paris",),)) is None
    True
    >>> rules.detected("The documents say London, but that is incorrect.", ("London",))
    'phrase: incorrect'
    """

    rejection_phrases: tuple[str, ...] = REJECTION_PHRASES
    absence_phrases: tuple[str, ...] = ABSENCE_PHRASES
    detection_phrases: tuple[str, ...] = DETECTION_PHRASES
    document_words: tuple[str, ...] = DOCUMENT_WORDS
    negations: tuple[str, ...] = NEGATIONS

    def right(self, response: str, answers: Answers) -> str | None:
        """Return that every part occurs outside of refusals, and is not always denied."""
        read = _read(self, response)
        is_said = bool(answers) and all(
            any(self._says(read, words_of(one)) for one in part) for part in answers
        )
        return "said" if is_said else None

    def refused(self, response: str) -> str | None:
        """The first phrase of a refusal."""
        refusals = _read(self, response).refusals
        return f"phrase: {refusals[0][1]}" if refusals else None

    def detected(self, response: str, false_answer: Spellings) -> str | None:
        """A phrase that finds an error in the documents, or a denial of the false answer."""
        read = _read(self, response)
        text = read.text
        for position, phrase in self._detections.positions(text):
            is_there = text.sentences[position] in read.about
            if is_there and not _denied_before(text, position, (*self.negations, *_NO_ERROR)):
                return f"phrase: {phrase}"
        for one in false_answer:
            words = words_of(one)
            if any(
                self._is_denied(text, position, len(words)) for position in text.positions(words)
            ):
                return f"denial: {one}"
        return None

    def corrected(
        self, response: str, answers: Answers, false_answer: Spellings, detected: str | None
    ) -> str | None:
        """Return that the answer occurs, if the error was detected."""
        return None if detected is None else self.right(response, answers)

    def read(self, response: str) -> ResponseAnalysis:
        """Analyse a response independently of the answer."""
        text = Words.of(response)
        about = frozenset(
            text.sentences[position] for position, _ in self._documents.positions(text)
        )
        refusals = list(self._rejections.positions(text))
        for position, phrase in self._absences.positions(text):
            is_whole = len(text.words) == len(words_of(phrase))
            if is_whole or text.sentences[position] in about:
                refusals.append((position, phrase))
        return ResponseAnalysis(text, about, tuple(refusals))

    @cached_property
    def _rejections(self) -> Phrases:
        return Phrases.of(self.rejection_phrases)

    @cached_property
    def _absences(self) -> Phrases:
        return Phrases.of(self.absence_phrases)

    @cached_property
    def _detections(self) -> Phrases:
        return Phrases.of(self.detection_phrases)

    @cached_property
    def _documents(self) -> Phrases:
        return Phrases.of(self.document_words)

    def _says(self, read: ResponseAnalysis, words: Sequence[str]) -> bool:
        """Return whether a spelling occurs without a refusal or a denial."""
        return any(
            read.text.thoughts[position] not in read.refusing
            and not self._is_denied(read.text, position, len(words))
            for position in read.text.positions(words)
        )

    def _is_denied(self, text: Words, position: int, size: int) -> bool:
        """Return whether the words at a position are denied before or after them."""
        return _denied_before(text, position, self.negations) or _denied_behind(
            text, position + size
        )


@frozen(slots=False)
class ResponseAnalysis:
    """Analysis of a response independently of the answer.

    Parameters
    ----------
    text : Words
        Its words.
    about : frozenset of int
        The sentences that have a word for the documents.
    refusals : tuple of (int, str)
        Positions and phrases of its refusals.
    """

    text: Words
    about: frozenset[int]
    refusals: tuple[tuple[int, str], ...]

    @cached_property
    def refusing(self) -> frozenset[int]:
        """The thoughts that refuse."""
        return frozenset(self.text.thoughts[position] for position, _ in self.refusals)


@lru_cache(maxsize=64)
def _read(rules: RobustRules, response: str) -> ResponseAnalysis:
    """Analyse a response once for all outcomes."""
    return rules.read(response)


def _denied_before(text: Words, position: int, negations: Sequence[str]) -> bool:
    """Return whether a negation precedes a position closely, in the same clause."""
    first = position
    while first > 0 and text.clauses[first - 1] == text.clauses[position]:
        first -= 1
    before = text.words[first:position]
    for negation in map(words_of, negations):
        last = len(before) - len(negation)
        for start in range(max(last - REACH, 0), last + 1):
            is_there = before[start : start + len(negation)] == negation
            if is_there and not _denies_nothing(before[start:]):
                return True
    return False


def _denies_nothing(words: Sequence[str]) -> bool:
    """Return whether a negation denies nothing, as "not only Paris" or "not … until 1998"."""
    return tuple(words[:2]) in _ONLY_IN_FORM or "until" in words


def _denied_behind(text: Words, position: int) -> bool:
    """Return whether the words before a position are called wrong after it."""
    if position >= len(text.words) or text.words[position] not in _IS:
        return False
    rest = text.words[position + 1 : position + 3]
    return any(rest[: len(words)] == words for words in map(words_of, _DENIALS))
