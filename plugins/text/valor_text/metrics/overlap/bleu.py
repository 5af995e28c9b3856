"""BLEU of every item and of a corpus: n-grams that responses share with their references."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from valor_core import Undefined
from valor_core.results import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.corpus import NO_ITEMS, corpus_metric
from valor_text.counting.ngrams import NgramSums, NgramTable
from valor_text.counting.pairs import Pairs
from valor_text.metrics.overlap.smoothing import LONGEST, Floats, Precisions, each, smoothed
from valor_text.normalisers import normalise, tokenise
from valor_text.parameters.overlap import SMOOTHING_VALUES, BLEUParameters

_LEAST = 1e-9
"""Values of nltk below this threshold are 0, as in earlier versions of Valor."""

_NO_LOGARITHM = -9999999999.0
"""Value of sacrebleu for the logarithm of 0."""

_NO_METHOD6 = Undefined("smoothing method6 needs a 3-gram in common")


def score(batch: TextBatch, parameters: BLEUParameters, resources: Mapping[str, Any]) -> Any:
    """BLEU of every item.

    Equal to nltk's `sentence_bleu` or to sacrebleu's, over 100.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : BLEUParameters
        Definition, weights, smoothing and tokens.
    resources : mapping
        Unused.

    Returns
    -------
    Numbers or ItemRows
        In [0, 1], except for nltk's method5 and method7, which reach 4/3; 0 without common words.
        Undefined if method6 is not applicable.
    """
    pairs = Pairs.of(batch)
    normaliser, tokeniser = parameters.normaliser, str(parameters.tokeniser)
    tokens = tokenise(normalise(pairs.texts, normaliser), tokeniser)
    table = NgramTable.of(pairs, tokens, _longest(parameters))
    values = _bleu(table, parameters, effective_order=parameters.effective_order is not False)
    is_undefined = np.isnan(values)
    numbers = Numbers(
        np.where(is_undefined, 0, values), is_undefined.astype(np.uint8), (_NO_METHOD6,)
    )
    codes = preparation.faults(
        pairs, tokens.counts, parameters.normaliser, str(parameters.tokeniser)
    )
    return preparation.rows(batch, numbers, codes)


def _settings(parameters: BLEUParameters) -> dict[str, Any]:
    return {
        "normaliser": parameters.normaliser,
        "tokeniser": parameters.tokeniser,
        "longest": _longest(parameters),
    }


def _undefined(parameters: BLEUParameters, items: int) -> Undefined:
    return _NO_METHOD6 if items else NO_ITEMS


@corpus_metric("CorpusBLEU", NgramSums, _settings, undefined=_undefined)
def corpus_bleu(sums: NgramTable, parameters: BLEUParameters) -> Floats:
    """BLEU of a corpus: n-grams and lengths are added up over all items before they are divided.

    Equal to nltk's `corpus_bleu` or to sacrebleu's, over 100.
    """
    return _bleu(sums, parameters, effective_order=parameters.effective_order is True)


def _longest(parameters: BLEUParameters) -> int:
    return max(parameters.longest, LONGEST.get(str(parameters.smoothing), 0))


def _bleu(table: NgramTable, parameters: BLEUParameters, *, effective_order: bool) -> Floats:
    """Return BLEU of each row of a table; NaN if the smoothing is not applicable."""
    if parameters.definition == "nltk":
        values = _nltk(table, parameters)
    else:
        values = _sacrebleu(table, parameters, effective_order)
    return np.where(table.matches[:, 0] == 0, 0.0, values)


def _value(parameters: BLEUParameters) -> float:
    if parameters.smoothing_value is not None:
        return parameters.smoothing_value
    return SMOOTHING_VALUES.get(str(parameters.smoothing), 0.0)


def _nltk(table: NgramTable, parameters: BLEUParameters) -> Floats:
    precisions = Precisions(table, parameters.longest)
    found = smoothed(precisions, str(parameters.smoothing), _value(parameters))
    is_positive = ~(found <= 0)
    terms = np.array(parameters.weights) * each(math.log, np.where(is_positive, found, 1))
    sums = np.fromiter(map(math.fsum, terms.tolist()), np.float64, len(terms))
    values = _brevity_penalty(table) * each(math.exp, sums)
    return np.where(values < _LEAST, 0.0, values)


def _sacrebleu(table: NgramTable, parameters: BLEUParameters, effective_order: bool) -> Floats:
    rows, longest, value = len(table.matches), parameters.longest, _value(parameters)
    matches = table.matches[:, :longest].astype(np.float64)
    totals = table.totals[:, :longest].astype(np.float64)
    if parameters.smoothing == "add-k":
        matches[:, 1:] += value
        totals[:, 1:] += value
    is_counted = np.minimum.accumulate(totals > 0, axis=1)
    is_missed = is_counted & (matches == 0)
    found = np.divide(matches, totals, out=np.zeros((rows, longest)), where=is_counted)
    if parameters.smoothing == "exp":
        doublings = np.exp2(np.cumsum(is_missed, axis=1))
        np.divide(1, doublings * totals, out=found, where=is_missed)
    elif parameters.smoothing == "floor":
        np.divide(value, totals, out=found, where=is_missed)
    logarithms = each(math.log, np.where(found > 0, found, 1))
    logarithms[found <= 0] = _NO_LOGARITHM
    order = is_counted.sum(1) if effective_order else np.full(rows, longest)
    logarithms[np.arange(longest) >= order[:, None]] = 0
    sums = np.fromiter(map(math.fsum, logarithms.tolist()), np.float64, rows)
    return _brevity_penalty(table) * each(math.exp, sums / np.maximum(order, 1))


def _brevity_penalty(table: NgramTable) -> Floats:
    """Return the factor for responses shorter than their references; 1 if they are not."""
    responses, references = table.response_tokens, table.reference_tokens
    shortage = np.minimum(1 - references / np.maximum(responses, 1), 0)
    return np.where(responses == 0, 0.0, each(math.exp, shortage))
