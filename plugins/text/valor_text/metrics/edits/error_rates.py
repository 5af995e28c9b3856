"""Error rates: WER, CER, MER and WIL of all items together, and as means of the items; WordErrors.

All are a formula of counts of hits, substitutions, deletions and insertions. WER applies it to the
sums over all items, MeanWER to each item, and takes the mean. The results equal those of jiwer with
the tokeniser of that name, for which a tab or line feed between two letters is part of the word. An
item whose only reference is empty adds its words to the insertions; without any word in the
references there is no rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core import Undefined
from valor_core.parameters import parameter_values
from valor_core.results import DetailColumns, ItemRows, Numbers, Result
from valor_core.schemas.text import TextBatch
from valor_core.states import StateRequest
from valor_text.counting import preparation
from valor_text.counting.corpus import corpus_metric
from valor_text.counting.edits import (
    KINDS,
    EditSums,
    NearestEdits,
    aligned,
    edit_texts,
    errors,
    reference_tokens,
    response_tokens,
)
from valor_text.kernels.values import HIT, Positions
from valor_text.parameters.edits import (
    CharacterRateParameters,
    WordErrorsParameters,
    WordRateParameters,
)

Rates = NDArray[np.float64]
Rate = Callable[[Positions], Rates]
"""Formula of counts with shape (..., 4) of references with tokens, in the order of jiwer."""

Parameters = WordRateParameters | CharacterRateParameters


def word_error_rate(counts: Positions) -> Rates:
    """Edits per token of the reference; above 1 if more tokens are inserted than correct.

    Examples
    --------
    >>> word_error_rate(np.array([2, 1, 1, 0]))
    np.float64(0.5)
    """
    rates: Rates = errors(counts) / reference_tokens(counts)
    return rates


def match_error_rate(counts: Positions) -> Rates:
    """Share of edits in all hits and edits, in [0, 1].

    Examples
    --------
    >>> match_error_rate(np.array([2, 1, 1, 1]))
    np.float64(0.6)
    """
    rates: Rates = errors(counts) / counts.sum(-1)
    return rates


def word_information_lost(counts: Positions) -> Rates:
    """One minus the product of the shares of hits in reference and response, in [0, 1].

    It is 1 if the response has no tokens.

    Examples
    --------
    >>> word_information_lost(np.array([2, 1, 1, 0]))
    np.float64(0.6666666666666667)
    """
    hits = counts[..., HIT]
    said = np.maximum(response_tokens(counts), 1)
    rates: Rates = 1 - (hits / reference_tokens(counts)) * (hits / said)
    return rates


def _mean(rate: Rate) -> Callable[[TextBatch, Parameters, Mapping[str, Any]], ItemRows]:
    """Return a function that scores each item against its nearest reference (`NearestEdits`)."""

    def score(batch: TextBatch, parameters: Parameters, resources: Mapping[str, Any]) -> ItemRows:
        """Rate of every item; undefined if the reference has no tokens.

        The details are the numbers of hits, substitutions, deletions and insertions, and the index
        of the reference.
        """
        edits = NearestEdits.of(batch, parameters.normaliser, parameters.unit_tokeniser)
        is_rated = reference_tokens(edits.counts) > 0
        values = np.zeros(len(batch))
        values[is_rated] = rate(edits.counts[is_rated])
        reason = Undefined(f"reference without {parameters.unit}")
        numbers = Numbers(values, (~is_rated).astype(np.uint8), (reason,))
        counts = dict(zip(KINDS, edits.counts.T, strict=True))
        described = {"wrong": edit_texts(edits.counts), "reference": edits.references}
        details = DetailColumns(counts | described, np.arange(len(batch)))
        rows = ItemRows(batch.datums.uids, {"": numbers}, details)
        found: ItemRows = preparation.rows(batch, rows, edits.faults)
        return found

    return score


def _corpus(name: str, rate: Rate) -> type[Any]:
    """Return a metric that applies a rate to the edits of all items."""

    def corpus_rate(sums: EditSums, parameters: Parameters) -> Rates:
        is_rated = reference_tokens(sums.counts) > 0
        rates = np.full(len(sums.counts), np.nan)
        rates[is_rated] = rate(sums.counts[is_rated])
        return rates

    corpus_rate.__name__ = f"corpus_{name.lower()}"
    return corpus_metric(name, EditSums, _settings, {"worst": ()}, _no_reference)(corpus_rate)


def _no_reference(parameters: Parameters, items: int) -> Undefined:
    return Undefined(f"no reference with {parameters.unit}")


def _settings(parameters: Parameters | WordErrorsParameters) -> dict[str, Any]:
    return {"normaliser": parameters.normaliser, "tokeniser": parameters.unit_tokeniser}


mean_wer, corpus_wer = _mean(word_error_rate), _corpus("WER", word_error_rate)
mean_cer, corpus_cer = _mean(word_error_rate), _corpus("CER", word_error_rate)
mean_mer, corpus_mer = _mean(match_error_rate), _corpus("MER", match_error_rate)
mean_wil, corpus_wil = _mean(word_information_lost), _corpus("WIL", word_information_lost)


@frozen
class WordErrors:
    """Hits, substitutions, deletions and insertions of all items, and the worst items.

    Each item is compared with its nearest reference. The worst items have the most edits per word
    of their reference, then the most edits, then the first uid. Items without edits are not listed.

    Parameters
    ----------
    parameters : WordErrorsParameters
        Preparation of texts, and number of listed items.
    """

    parameters: WordErrorsParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the edits of all items, and the worst items."""
        worst = {"worst": (self.parameters.worst,)}
        return (StateRequest(EditSums, _settings(self.parameters), worst),)

    def compute(self, sums: EditSums) -> Iterator[Result]:
        """Yield the counts, and the aligned tokens of the worst items."""
        yield Result(
            parameters=parameter_values(self.parameters),
            value=_named(sums.counts) | {"worst": self._worst(sums)},
            left_out=dict(sums.left_out),
            warnings=sums.warnings_of("text.WordErrors", self.parameters),
        )

    def _worst(self, sums: EditSums) -> list[dict[str, Any]]:
        items = sums.ranked(self.parameters.worst)
        uids, responses, references = ([item[at] for item in items] for at in (2, 3, 4))
        alignments = aligned(
            [str(text) for text in references],
            [str(text) for text in responses],
            sums.normaliser,
            sums.tokeniser,
        )
        return [
            {"uid": uid} | _rate(counts) | _named(counts) | {"aligned": tokens}
            for uid, (counts, tokens) in zip(uids, alignments, strict=True)
        ]


def _named(counts: Positions) -> dict[str, Any]:
    return dict(zip(KINDS, counts.tolist(), strict=True))


def _rate(counts: Positions) -> dict[str, float | None]:
    length = int(reference_tokens(counts))
    return {"rate": int(errors(counts)) / length if length else None}
