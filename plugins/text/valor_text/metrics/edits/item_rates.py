"""MeanWER, MeanCER, MeanMER and MeanWIL: error rates of every item by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from valor_core import Undefined
from valor_core.results import DetailColumns, ItemRows, Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.edits import KINDS, NearestEdits, reference_tokens
from valor_text.kernels.values import Positions
from valor_text.metrics.edits.rates import (
    Rates,
    match_error_rate,
    word_error_rate,
    word_information_lost,
)
from valor_text.parameters.edits import CharacterRateParameters, WordRateParameters

Resources = Mapping[str, Any]


def wer(batch: TextBatch, parameters: WordRateParameters, resources: Resources) -> ItemRows:
    """Word error rate of every item.

    Equal to jiwer on the item alone, of the nearest reference (`NearestEdits`).

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : WordRateParameters
        How texts are prepared.
    resources : mapping
        None are used.

    Returns
    -------
    ItemRows
        0 or more; undefined where the reference has no words. The details hold the numbers of
        hits, substitutions, deletions and insertions, and which reference it was.
    """
    edits = NearestEdits.of(batch, parameters.normaliser, parameters.tokeniser)
    return _rows(batch, edits, word_error_rate, "words")


def cer(batch: TextBatch, parameters: CharacterRateParameters, resources: Resources) -> ItemRows:
    """Character error rate of every item, as `wer` gives the one of words."""
    edits = NearestEdits.of(batch, parameters.normaliser, parameters.characters)
    return _rows(batch, edits, word_error_rate, "characters")


def mer(batch: TextBatch, parameters: WordRateParameters, resources: Resources) -> ItemRows:
    """Match error rate of every item, as `wer` gives the word error rate."""
    edits = NearestEdits.of(batch, parameters.normaliser, parameters.tokeniser)
    return _rows(batch, edits, match_error_rate, "words")


def wil(batch: TextBatch, parameters: WordRateParameters, resources: Resources) -> ItemRows:
    """Word information lost of every item, as `wer` gives the word error rate."""
    edits = NearestEdits.of(batch, parameters.normaliser, parameters.tokeniser)
    return _rows(batch, edits, word_information_lost, "words")


def _rows(
    batch: TextBatch, edits: NearestEdits, rate: Callable[[Positions], Rates], unit: str
) -> ItemRows:
    is_rated = reference_tokens(edits.counts) > 0
    values = np.zeros(len(batch))
    values[is_rated] = rate(edits.counts[is_rated])
    numbers = Numbers(
        values, (~is_rated).astype(np.uint8), (Undefined(f"reference without {unit}"),)
    )
    told = dict(zip(KINDS, edits.counts.T, strict=True))
    details = DetailColumns(told | {"reference": edits.references}, np.arange(len(batch)))
    rows = ItemRows(batch.datums.uids, {"": numbers}, details)
    found: ItemRows = preparation.rows(batch, rows, edits.faults)
    return found
