"""Normalisers and tokenisers: how texts are prepared for comparison, by name and version.

A normaliser makes texts of texts, a tokeniser makes tokens of them. Metrics have them as
parameters, so that a report says which were used. Both take and give whole columns of texts.

Examples
--------
>>> normalise(["The  Cat"], "lower")
['the cat']
>>> tokenise(["It's 5 o'clock"], "rouge").of(0)
['it', 's', '5', 'o', 'clock']
"""

from valor_text.normalisers.named import normalise, normaliser, tokenise, tokeniser, tokens_of
from valor_text.normalisers.normaliser import Normaliser, Tokeniser

__all__ = [
    "Normaliser",
    "Tokeniser",
    "normalise",
    "normaliser",
    "tokenise",
    "tokeniser",
    "tokens_of",
]
