"""TokenF1: words that a response shares with its best reference, as in SQuAD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from valor_core.results import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.ngrams import in_common
from valor_text.counting.pairs import Answers
from valor_text.normalisers import tokens_of
from valor_text.parameters.answers import TokenF1Parameters


def score(batch: TextBatch, parameters: TokenF1Parameters, resources: Mapping[str, Any]) -> Any:
    """F1 of the tokens of every item, with its best reference.

    By default equal to SQuAD's evaluation script 1.1; with `no_answer` to that of 2.0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : TokenF1Parameters
        Preparation of texts, and measures.
    resources : mapping
        Unused.

    Returns
    -------
    Numbers, dict of str to Numbers, or ItemRows
        In [0, 1]; 0 without common tokens. Undefined for an item without references, unless
        `no_answer`.

    References
    ----------
    Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text", EMNLP 2016,
    section 6.1; Rajpurkar et al., "Know what you don't know", ACL 2018.
    """
    answers = Answers.of(batch, no_answer=parameters.no_answer)
    pairs = answers.pairs
    tokens = tokens_of(pairs.texts, parameters.normaliser, parameters.tokeniser)
    common = in_common(pairs, tokens, 1)[:, 0]
    said, wanted = tokens.counts[pairs.responses], tokens.counts[pairs.references]
    precision, recall = common / np.maximum(said, 1), common / np.maximum(wanted, 1)
    if parameters.no_answer:
        is_right = answers.are_no_answers(wanted == 0) & (said == 0)
        precision[is_right] = recall[is_right] = 1.0
    total = precision + recall
    # In the order of the script, for equal last bits.
    f1 = np.divide(2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0)
    best = pairs.best(f1)
    measured = {"f1": f1, "precision": precision, "recall": recall}
    named: dict[str, Numbers] = {
        name: answers.numbers(measured[name][best]) for name in parameters.measures
    }
    numbers = next(iter(named.values())) if len(named) == 1 else named
    codes = preparation.faults(pairs, tokens.counts, parameters.normaliser, parameters.tokeniser)
    return preparation.rows(batch, numbers, codes, answers.positions)
