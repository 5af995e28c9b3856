"""Normalisers and tokenisers: preparation of texts for comparison, by name and version.

A normaliser changes texts, a tokeniser cuts them into tokens. Metrics have both as parameters, so
that a report lists them. Both work on columns of texts.

Examples
--------
>>> normalise(["The  Cat"], "lower")
['the cat']
>>> tokenise(["It's 5 o'clock"], "rouge").of(0)
['it', 's', '5', 'o', 'clock']
"""

from valor_text.normalisers.normaliser import normalise, tokenise, tokens_of

__all__ = ["normalise", "tokenise", "tokens_of"]
