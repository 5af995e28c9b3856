"""Edit operations between reference and response, for all items."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from valor_core.schemas import natural_order
from valor_core.schemas.columns import natural, object_column
from valor_core.schemas.text import TextBatch
from valor_core.states import counted
from valor_text.counting.corpus import PreparedSums
from valor_text.counting.pairs import Pairs
from valor_text.counting.preparation import Codes, faults
from valor_text.kernels import functions as kernels
from valor_text.kernels.values import DELETION, HIT, INSERTION, KINDS_OF_EDITS, Positions
from valor_text.normalisers import normalise, tokenise

KINDS = ("hits", "substitutions", "deletions", "insertions")
"""Kinds of edits, in the order of the kernels' counts."""


def errors(counts: Positions) -> Positions:
    """Return the number of edits except hits in each row of counts."""
    found: Positions = counts[..., HIT + 1 :].sum(-1)
    return found


def edit_texts(counts: Positions) -> NDArray[np.object_]:
    """Describe the edits of each row of counts, such as ``2 substitutions, 1 deletion``.

    Examples
    --------
    >>> edit_texts(np.array([[5, 2, 1, 0], [5, 0, 0, 0]])).tolist()
    ['2 substitutions, 1 deletion', '']
    """
    distinct, indices = np.unique(counts[:, HIT + 1 :], axis=0, return_inverse=True)
    texts = [
        ", ".join(
            f"{number:,} {kind if number > 1 else kind[:-1]}"
            for kind, number in zip(KINDS[HIT + 1 :], row, strict=True)
            if number
        )
        for row in distinct.tolist()
    ]
    return object_column(texts)[indices.ravel()]


def reference_tokens(counts: Positions) -> Positions:
    """Return the number of tokens of the reference in each row of counts."""
    found: Positions = counts[..., :INSERTION].sum(-1)
    return found


def response_tokens(counts: Positions) -> Positions:
    """Return the number of tokens of the response in each row of counts."""
    found: Positions = counts.sum(-1) - counts[..., DELETION]
    return found


@frozen(eq=False)
class NearestEdits:
    """Edits between each response and its nearest reference.

    The nearest reference has the fewest edits per token, and is the first of equals. A reference
    without tokens is nearest to a response without tokens, and farthest from all others.

    Parameters
    ----------
    counts : ndarray of int64, shape (items, 4)
        Hits, substitutions, deletions and insertions.
    references : ndarray of int64, shape (items,)
        Index of the reference among those of the item.
    faults : ndarray of uint8, optional
        Faults of preparation, as `valor_text.counting.preparation.faults` finds them.
    """

    counts: Positions
    references: Positions
    faults: Codes | None = None

    @classmethod
    def of(cls, batch: TextBatch, normaliser: str, tokeniser: str) -> NearestEdits:
        """Compare the texts of a batch whose items have a response and references."""
        pairs = Pairs.of(batch)
        tokens = tokenise(normalise(pairs.texts, normaliser), tokeniser)
        counts = kernels.edit_counts(
            tokens.ids, tokens.starts, tokens.word_count, pairs.references, pairs.responses
        )
        best = pairs.best(-error_rates(counts))
        codes = faults(pairs, tokens.counts, normaliser, tokeniser)
        return cls(counts[best], best - pairs.starts[:-1], codes)


def error_rates(counts: Positions) -> NDArray[np.float64]:
    """Return the edits per token of the reference of each row; infinite without tokens."""
    wrong, length = errors(counts), reference_tokens(counts)
    return np.where((length == 0) & (wrong > 0), np.inf, wrong / np.maximum(length, 1))


def _no_edits() -> Positions:
    return np.zeros(KINDS_OF_EDITS, np.int64)


_Item = tuple[int | str, ...]
"""Stored item: edits, tokens of its reference, uid, response, reference."""


@define(kw_only=True)
class EditSums(PreparedSums):
    """State: the edits of all items, and the items with the most edits.

    Parameters
    ----------
    normaliser, tokeniser : str
        Preparation of texts.
    worst : tuple of int
        Numbers of worst items that metrics request; the largest is stored.
    """

    refuses_nothing: ClassVar[bool] = True

    normaliser: str
    tokeniser: str
    worst: tuple[int, ...] = ()
    counts: NDArray[np.int64] = counted(_no_edits)
    kept: set[_Item] = counted(set)

    def count(self, items: TextBatch) -> tuple[Mapping[str, Positions], Codes | None]:
        """Return the edits of each item, and its faults; keep the worst."""
        edits = NearestEdits.of(items, self.normaliser, self.tokeniser)
        if self._most:
            self._keep(items, edits)
        return {"counts": edits.counts}, edits.faults

    def errors(self, counts: Mapping[str, Positions]) -> dict[str, NDArray[Any]]:
        """Describe the edits of items."""
        return {"wrong": edit_texts(counts["counts"])}

    def column_names(self, name: str) -> tuple[str, ...]:
        """Return the names of the columns in the rows of items."""
        return KINDS if name == "counts" else (name,)

    def merge(self, other: EditSums) -> None:
        """Add the counts of another state."""
        super().merge(other)
        self.kept = set(self.ranked(self._most))

    def ranked(self, count: int) -> list[_Item]:
        """Return the items with the most edits per token of their reference."""
        return sorted(self.kept, key=_rank)[:count]

    @property
    def _most(self) -> int:
        return max(self.worst, default=0)

    def _keep(self, items: TextBatch, edits: NearestEdits) -> None:
        wrong, length = errors(edits.counts), reference_tokens(edits.counts)
        rates = error_rates(edits.counts)
        candidates = np.flatnonzero(wrong)
        if len(candidates) > self._most:
            least = np.partition(rates[candidates], -self._most)[-self._most]
            candidates = candidates[rates[candidates] >= least]
        by_uid = np.empty(len(candidates), np.int64)
        by_uid[natural_order(items.datums.uids[candidates])] = np.arange(len(candidates))
        order = np.lexsort((by_uid, -wrong[candidates], -rates[candidates]))
        for row in candidates[order[: self._most]].tolist():
            uid = items.datums.uids[row].item()
            texts = items.responses[row], items.references[row][edits.references[row]]
            self.kept.add((int(wrong[row]), int(length[row]), uid, *texts))
        self.kept = set(self.ranked(self._most))


def _rank(item: _Item) -> Any:
    wrong, length, uid = cast("tuple[int, int, int | str]", item[:3])
    return -(wrong / length if length else np.inf), -wrong, natural(uid)


Aligned = list[tuple[str | None, str | None]]
"""Pairs of tokens of reference and response, None for a missing one."""


def aligned(
    references: list[str], responses: list[str], normaliser: str, tokeniser: str
) -> list[tuple[Positions, Aligned]]:
    """Align the tokens of pairs of texts.

    Parameters
    ----------
    references, responses : list of str
        Texts of each pair.
    normaliser, tokeniser : str
        Preparation of texts.

    Returns
    -------
    list of (ndarray of int64, list of (str or None, str or None))
        Counts of hits, substitutions, deletions and insertions of each pair, and aligned tokens of
        reference and response, None for a missing one.

    Examples
    --------
    >>> ((counts, tokens),) = aligned(["the cat sat"], ["a cat sat down"], "none", "words")
    >>> counts, tokens
    (array([2, 1, 0, 1]), [('the', 'a'), ('cat', 'cat'), ('sat', 'sat'), (None, 'down')])
    """
    tokens = tokenise(normalise([*references, *responses], normaliser), tokeniser)
    count = len(references)
    edits, ends = kernels.edit_sequences(
        *(tokens.ids, tokens.starts, tokens.word_count),
        *(np.arange(count), np.arange(count, 2 * count)),
    )
    return [
        (
            np.bincount(edits[first:last], minlength=KINDS_OF_EDITS),
            _aligned(edits[first:last], tokens.of(pair), tokens.of(count + pair)),
        )
        for pair, (first, last) in enumerate(pairwise(ends))
    ]


def _aligned(edits: NDArray[np.uint8], reference: list[str], response: list[str]) -> Aligned:
    wanted, said = iter(reference), iter(response)
    return [
        (None if kind == INSERTION else next(wanted), None if kind == DELETION else next(said))
        for kind in edits.tolist()
    ]
