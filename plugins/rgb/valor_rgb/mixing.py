"""Documents of prompts, sampled from positive, negative and counterfactual ones.

The sampling is that of the paper: counts are rounded towards noise, documents are used in the
order of the file, and the order in the prompt is shuffled with the same seed for every sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest
from math import ceil
from random import Random

from attrs import frozen

from valor_core.errors import SchemaError


@frozen
class Passages:
    """Documents of a prompt, with their numbers by kind.

    Parameters
    ----------
    texts : tuple of str
        The documents, in their order in the prompt.
    positive, negative, counterfactual : int
        Numbers of documents with the answer, without it, and with a false answer.
    """

    texts: tuple[str, ...]
    positive: int = 0
    negative: int = 0
    counterfactual: int = 0

    @property
    def noise_ratio(self) -> float | None:
        """Share of irrelevant documents; None without documents.

        Examples
        --------
        >>> Passages(("a", "b"), positive=1, negative=1).noise_ratio
        0.5
        """
        return self.negative / len(self.texts) if self.texts else None


@frozen
class Mixing:
    """Sampling of documents.

    Parameters
    ----------
    noise_ratio : float
        Requested share of irrelevant documents, from 0 to 1.
    passages : int
        Requested number of documents.
    seed : int
        Seed of the order, reused for every sample.
    strict : bool
        Whether to raise an error for fewer irrelevant documents than requested.

    Examples
    --------
    >>> drawn = Mixing(noise_ratio=0.4).base(["a", "b", "c", "d"], ["x", "y", "z"])
    >>> sorted(drawn.texts), drawn.positive, drawn.negative
    (['a', 'b', 'c', 'x', 'y'], 3, 2)
    """

    noise_ratio: float
    passages: int = 5
    seed: int = 2333
    strict: bool = False

    @property
    def negatives(self) -> int:
        """Requested number of irrelevant documents."""
        return _share(self.passages, self.noise_ratio)

    def base(self, positive: Sequence[str], negative: Sequence[str]) -> Passages:
        """Documents for noise robustness and negative rejection.

        If one kind is short, the other one fills up, except at a noise ratio of 1.

        Raises
        ------
        SchemaError
            If `strict` and there are not enough irrelevant documents.
        """
        negatives = self.negatives
        positives = self.passages - negatives
        if self.noise_ratio < 1 and negatives > len(negative):
            positives = self.passages - len(negative)
        elif self.noise_ratio < 1 and positives > len(positive):
            negatives = self.passages - len(positive)
        helps, noise = list(positive[:positives]), list(negative[:negatives])
        return self._shuffled(Random(self.seed), helps, noise)

    def integrated(self, groups: Sequence[Sequence[str]], negative: Sequence[str]) -> Passages:
        """Documents for information integration: one for each sub-question first.

        There is one for each sub-question, even if more noise is requested.

        Parameters
        ----------
        groups : sequence of sequence of str
            Documents with the answer, by sub-question.
        negative : sequence of str
            Irrelevant documents.

        Raises
        ------
        SchemaError
            If `strict` and there is less noise than requested.

        Examples
        --------
        >>> drawn = Mixing(0.8).integrated([["a", "b"], ["c"]], ["x", "y", "z", "w"])
        >>> drawn.positive, drawn.negative
        (2, 3)
        """
        random = Random(self.seed)
        orders = [list(group) for group in groups]
        for order in orders:
            random.shuffle(order)
        rounds = zip_longest(*orders)
        by_round = [text for turn in rounds for text in turn if text is not None]
        wanted = max(self.passages - self.negatives, sum(map(bool, groups)))
        helps = by_round[:wanted]
        noise = list(negative[: max(self.passages - len(helps), 0)])
        return self._shuffled(random, helps, noise)

    def counterfactual(
        self,
        false: Sequence[str],
        positive: Sequence[str],
        negative: Sequence[str],
        correct_ratio: float = 0.0,
    ) -> Passages:
        """Documents for counterfactual robustness; nothing is filled up.

        Parameters
        ----------
        false, positive : sequence of str
            The same documents, with a false answer and with the right one.
        negative : sequence of str
            Irrelevant documents.
        correct_ratio : float
            Requested share of correct documents; none of them is also used in its false version.

        Raises
        ------
        SchemaError
            If `false` and `positive` differ in number, or `strict` and there are not enough
            irrelevant documents.

        Examples
        --------
        >>> drawn = Mixing(0.2).counterfactual(["f", "g"], ["p", "q"], ["x"])
        >>> drawn.counterfactual, drawn.negative
        (2, 1)
        """
        if len(false) != len(positive):
            raise SchemaError(
                f"expected as many false documents as right ones, found {len(false)} and "
                f"{len(positive)}"
            )
        random = Random(self.seed)
        rights = _share(self.passages, correct_ratio)
        falses = max(self.passages - self.negatives - rights, 0)
        indices = range(len(false))
        chosen = random.sample(indices, min(falses, len(indices)))
        left = [i for i in indices if i not in chosen]
        right = random.sample(left, min(rights, len(left)))
        wrong = [false[i] for i in chosen]
        helps = [positive[i] for i in right]
        return self._shuffled(random, helps, list(negative[: self.negatives]), wrong)

    def _shuffled(
        self, random: Random, helps: list[str], noise: list[str], wrong: Sequence[str] = ()
    ) -> Passages:
        texts = [*wrong, *helps, *noise]
        is_less = Fraction(len(noise), max(len(texts), 1)) < _decimal(self.noise_ratio)
        if self.strict and is_less:
            raise SchemaError(
                f"expected at least {self.negatives} of {self.passages} documents to be "
                f"irrelevant where strict is true, found {len(noise)} of {len(texts)}",
                "Ask for less noise, or set: strict: false",
            )
        random.shuffle(texts)
        return Passages(tuple(texts), len(helps), len(noise), len(wrong))


def _decimal(ratio: float) -> Fraction:
    """Convert a float to the decimal that it prints as."""
    return Fraction(repr(float(ratio)))


def _share(count: int, ratio: float) -> int:
    """Multiply a count by a share, and round up."""
    return ceil(count * _decimal(ratio))
