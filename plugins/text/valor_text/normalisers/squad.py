r"""Normalisation of answers in the official scripts of SQuAD.

The scripts remove ``\b(a|an|the)\b``. If a text consists of ASCII letters, digits and white space,
these are whole words; other texts are searched.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence

from valor_text.normalisers.characters import rewritten
from valor_text.normalisers.lowercase_words import words
from valor_text.normalisers.tokens import Tokens

_MARKS = str.maketrans("", "", string.punctuation)
_ARTICLES = ("a", "an", "the")
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
_ORDINARY = (string.ascii_letters + string.digits + string.whitespace).encode()


def squad(texts: Sequence[str]) -> list[str]:
    """Lowercase, without ASCII punctuation and English articles, one blank for white space.

    Steps have this order: ``a.m.`` becomes ``am``, and ``U.S.A.'s`` becomes ``usas``.

    Examples
    --------
    >>> squad(["The  Cat's mat.", "a.m."])
    ['cats mat', 'am']
    """
    return [
        " ".join([word for word in text.split() if word not in _ARTICLES])
        for text in _with_whole_articles(texts)
    ]


def tokens(texts: Sequence[str]) -> Tokens:
    """Words of texts normalised by `squad`, without building these texts.

    Examples
    --------
    >>> tokens(["The  Cat's mat."]).of(0)
    ['cats', 'mat']
    """
    # Words are numbered by first occurrence: the articles get the lowest indices.
    found = words([" ".join(_ARTICLES), *_with_whole_articles(texts)])
    return found.without_first(len(_ARTICLES))


def _with_whole_articles(texts: Sequence[str]) -> Iterable[str]:
    """Lowercase texts and remove punctuation, so that articles are words between blanks."""
    bare = rewritten(texts, _bare)
    return [text if _is_ordinary(text) else _ARTICLE.sub(" ", text) for text in bare]


def _is_ordinary(text: str) -> bool:
    return text.isascii() and not text.encode().translate(None, _ORDINARY)


def _bare(joined: str, mark: str) -> str:
    return joined.lower().translate(_MARKS)
