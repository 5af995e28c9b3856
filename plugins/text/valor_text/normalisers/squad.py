r"""SQuAD's way to prepare answers, as its official scripts have it.

They take out ``\b(a|an|the)\b``. Where only blanks stand between letters and digits of ASCII, these
are whole words; other texts are searched.
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
    """Lower case, without ASCII punctuation and English articles, one blank for white space.

    In this order, so that ``a.m.`` becomes ``am``, and ``U.S.A.'s`` becomes ``usas``.

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
    """The words of the texts that `squad` makes, without making these.

    Examples
    --------
    >>> tokens(["The  Cat's mat."]).of(0)
    ['cats', 'mat']
    """
    # Words are numbered in the order in which they come first: the articles have the lowest.
    found = words([" ".join(_ARTICLES), *_with_whole_articles(texts)])
    return found.without_first(len(_ARTICLES))


def _with_whole_articles(texts: Sequence[str]) -> Iterable[str]:
    """Texts in lower case and without punctuation, whose articles are words between blanks."""
    bare = rewritten(texts, _bare)
    return [text if _is_ordinary(text) else _ARTICLE.sub(" ", text) for text in bare]


def _is_ordinary(text: str) -> bool:
    return text.isascii() and not text.encode().translate(None, _ORDINARY)


def _bare(joined: str, mark: str) -> str:
    return joined.lower().translate(_MARKS)
