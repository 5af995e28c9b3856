"""Texts as indices of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from attrs import evolve, field, frozen

from valor_text.kernels import functions as kernels
from valor_text.kernels.values import CharacterKinds, Characters, Ids, Positions, Spans, occurs
from valor_text.normalisers.characters import characters, text_of


@frozen(eq=False, repr=False)
class Tokens:
    """Tokens of texts, each an index of a word.

    Parameters
    ----------
    ids : ndarray of int32
        Words of all tokens, for one text after another.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    lines : ndarray of int32
        Line of each token in its text.
    word_count : int
        Number of distinct words.
    word : callable
        ``word(id)`` returns the text of a word.
    """

    ids: Ids
    starts: Positions
    lines: Ids
    word_count: int
    word: Callable[[int], str] = field(repr=False)

    @classmethod
    def found(cls, texts: Sequence[str], kinds: CharacterKinds) -> Tokens:
        """Find the tokens of texts by the kinds of characters."""
        return cls.at(column := characters(texts), kernels.runs(column, kinds))

    @classmethod
    def of_characters(
        cls, texts: Sequence[str], is_token: Callable[[str], bool] = lambda character: True
    ) -> Tokens:
        """Make each character a token, if it satisfies a condition.

        Parameters
        ----------
        texts : sequence of str
            Texts.
        is_token : callable
            ``is_token(character)``, called once for each that occurs.
        """
        column = characters(texts)
        is_ascii = column.codes.dtype == np.uint8
        occurring = np.arange(128) if is_ascii else np.flatnonzero(occurs(column.codes))
        token_codes = [code for code in occurring.tolist() if is_token(chr(code))]
        numbers = np.full(occurring.max(initial=0) + 1, -1, np.int32)
        numbers[token_codes] = np.arange(len(token_codes))
        ids = numbers[column.codes]
        ids[column.stops] = -1
        is_token_here = ids >= 0
        separators = np.flatnonzero(~is_token_here)
        # Index of a text's first token: its offset minus the preceding characters that are not
        # tokens.
        bounds = np.append(column.starts, len(ids))
        starts = bounds - np.searchsorted(separators, bounds)
        ids = ids[is_token_here]
        return cls(
            ids,
            starts,
            np.zeros_like(ids),
            len(token_codes),
            lambda number: chr(token_codes[number]),
        )

    @classmethod
    def at(cls, column: Characters, spans: Spans) -> Tokens:
        """Make tokens of spans of texts."""
        ids, words = kernels.vocabulary(column, spans)

        @cache
        def found() -> tuple[str, list[int], list[int]]:
            firsts = spans.firsts[words]
            return text_of(column.codes), firsts.tolist(), (firsts + spans.lengths[words]).tolist()

        def word(number: int) -> str:
            text, firsts, stops = found()
            return text[firsts[number] : stops[number]]

        return cls(ids, spans.starts, spans.lines, len(words), word)

    @property
    def counts(self) -> Positions:
        """Number of tokens of each text."""
        return np.diff(self.starts)

    @property
    def words(self) -> list[str]:
        """Distinct words."""
        return list(map(self.word, range(self.word_count)))

    def of(self, text: int) -> list[str]:
        """Return the tokens of one text."""
        return [self.word(number) for number in self.ids[slice(*self.starts[text : text + 2])]]

    def renamed(self, rename: Callable[[list[str]], Iterable[str]]) -> Tokens:
        """Rename words; words with equal new names are merged."""
        number_of: dict[str, int] = {}
        new = [number_of.setdefault(name, len(number_of)) for name in rename(self.words)]
        names = list(number_of)
        ids = np.array(new, np.int32)[self.ids]
        return evolve(self, ids=ids, word_count=len(names), word=names.__getitem__)

    def without_first(self, words: int) -> Tokens:
        """Remove the first text and the words with the lowest indices."""
        is_kept = self.ids >= words
        starts = np.concatenate([[0], np.cumsum(is_kept)])[self.starts[1:]]
        is_kept[: self.starts[1]] = False
        return evolve(
            self, ids=self.ids[is_kept], starts=starts - starts[0], lines=self.lines[is_kept]
        )
