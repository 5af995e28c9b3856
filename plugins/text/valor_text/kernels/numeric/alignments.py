"""Alignments of words by stages."""

from collections.abc import Callable, Iterable

import numpy as np

from valor_text.kernels.values import Ids, Positions


def alignments(
    ids: Ids,
    stems: Ids,
    starts: Positions,
    known: int,
    synonyms: Ids,
    synonym_starts: Positions,
    responses: Positions,
    references: Positions,
) -> tuple[Positions, Positions]:
    """Words of each pair's response that are aligned to its reference, and in how many chunks.

    In each of three stages, from its end on, every word of the response that has no partner gets
    the last word of the reference that is free and the same, or has the same stem, or a stem that
    is a synonym of its own.

    Parameters
    ----------
    ids, stems : ndarray of int32
        Word and stem of each token.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    known : int
        One more than the greatest number of a word or stem.
    synonyms : ndarray of int32
        Synonyms of all stems.
    synonym_starts : ndarray of int64
        Where those of each stem begin; one more at the end.
    responses, references : ndarray of int64
        The texts of each pair.

    Returns
    -------
    aligned : ndarray of int64
        Words with a partner.
    chunks : ndarray of int64
        Runs of such words that follow each other in both texts.
    """
    aligned, chunks = np.zeros(len(responses), np.int64), np.zeros(len(responses), np.int64)
    for pair, (response, reference) in enumerate(zip(responses, references, strict=True)):
        own, other = (slice(starts[text], starts[text + 1]) for text in (response, reference))
        taken: dict[int, int] = {}
        _match(taken, ids[own].tolist(), ids[other].tolist(), lambda word: (word,))
        left, right = stems[own].tolist(), stems[other].tolist()
        _match(taken, left, right, lambda stem: (stem,))
        _match(
            taken,
            *(left, right),
            lambda stem: synonyms[synonym_starts[stem] : synonym_starts[stem + 1]].tolist(),
        )
        aligned[pair] = len(taken)
        chunks[pair] = sum(taken.get(at - 1, -2) != taken[at] - 1 for at in taken)
    return aligned, chunks


def _match(
    taken: dict[int, int],
    response: list[int],
    reference: list[int],
    partners: Callable[[int], Iterable[int]],
) -> None:
    for at in reversed(range(len(response))):
        if at in taken:
            continue
        wanted, used = set(partners(response[at])), set(taken.values())
        found = (
            place
            for place in reversed(range(len(reference)))
            if place not in used and reference[place] in wanted
        )
        place = next(found, -1)
        if place >= 0:
            taken[at] = place
