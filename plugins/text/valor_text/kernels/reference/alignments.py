"""Alignment of words in stages."""

from collections.abc import Callable, Iterable

import numpy as np

from valor_text.kernels.values import Ids, Positions


def alignments(
    ids: Ids,
    stems: Ids,
    starts: Positions,
    word_count: int,
    synonyms: Ids,
    synonym_starts: Positions,
    responses: Positions,
    references: Positions,
) -> tuple[Positions, Positions]:
    """Return the number of aligned words of each pair's response, and of their chunks.

    In three stages, from its end, each unaligned word of the response is aligned with the last free
    word of the reference that is equal, has the same stem, or has a stem that is a synonym.

    Parameters
    ----------
    ids, stems : ndarray of int32
        Word and stem of each token.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    word_count : int
        Largest number of a word or stem plus one.
    synonyms : ndarray of int32
        Synonyms of all stems.
    synonym_starts : ndarray of int64
        Offset of the first synonym of each stem, and the total.
    responses, references : ndarray of int64
        Texts of each pair.

    Returns
    -------
    aligned : ndarray of int64
        Aligned words.
    chunks : ndarray of int64
        Runs of aligned words that are consecutive in both texts.
    """
    aligned, chunks = np.zeros(len(responses), np.int64), np.zeros(len(responses), np.int64)
    for pair, (response, reference) in enumerate(zip(responses, references, strict=True)):
        tokens, other = (slice(starts[text], starts[text + 1]) for text in (response, reference))
        partner_of: dict[int, int] = {}
        _match(partner_of, ids[tokens].tolist(), ids[other].tolist(), lambda word: (word,))
        left, right = stems[tokens].tolist(), stems[other].tolist()
        _match(partner_of, left, right, lambda stem: (stem,))
        _match(
            partner_of,
            *(left, right),
            lambda stem: synonyms[synonym_starts[stem] : synonym_starts[stem + 1]].tolist(),
        )
        aligned[pair] = len(partner_of)
        chunks[pair] = sum(partner_of.get(at - 1, -2) != partner_of[at] - 1 for at in partner_of)
    return aligned, chunks


def _match(
    partner_of: dict[int, int],
    response: list[int],
    reference: list[int],
    partners: Callable[[int], Iterable[int]],
) -> None:
    for at in reversed(range(len(response))):
        if at in partner_of:
            continue
        wanted, used = set(partners(response[at])), set(partner_of.values())
        found = (
            position
            for position in reversed(range(len(reference)))
            if position not in used and reference[position] in wanted
        )
        position = next(found, -1)
        if position >= 0:
            partner_of[at] = position
