"""Contractions: English words that an apostrophe joins, each by itself again."""

from __future__ import annotations

_WHOLE = {
    "can't": "can not",
    "let's": "let us",
    "ma'am": "madam",
    "shan't": "shall not",
    "won't": "will not",
    "y'all": "you all",
}
_ENDINGS = {
    "n't": "not",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "'m": "am",
}
_BEFORE_IS = frozenset({"he", "she", "it", "that", "this", "there", "here"}) | {
    *("what", "who", "where", "when", "why", "how"),
}


def in_full(word: str) -> str:
    """A word with its contractions in full, and without other apostrophes.

    `'s` is *is* behind a pronoun or the like, and else the end of a possessive. `'d` is *would*,
    though it may have been *had*.

    Parameters
    ----------
    word : str
        A word in lower case.

    Examples
    --------
    >>> [in_full(word) for word in ("shouldn't've", "it's", "john's", "o'clock", "ain't")]
    ['should not have', 'it is', 'johns', 'oclock', 'aint']
    """
    if "'" not in word:
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    for ending, full in _ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem and stem not in (word, "ai"):
            return f"{in_full(stem)} {full}"
    stem = word.removesuffix("'s")
    return f"{stem} is" if stem in _BEFORE_IS else word.replace("'", "")
