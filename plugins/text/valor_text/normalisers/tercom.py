"""Words of the program Tercom, in the version of sacrebleu."""

from __future__ import annotations

import re
from collections.abc import Sequence

from valor_text.normalisers.characters import rewritten
from valor_text.normalisers.lowercase_words import lowercase, words
from valor_text.normalisers.tokens import Tokens

_ESCAPED = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_WESTERN = (
    (re.compile(r"([{-~\[-`!-&(-+:-@/])"), r" \1 "),
    (re.compile(r"'s "), r" 's "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
"""Rules for texts that begin and end with a blank, so no match extends beyond a text."""

_ASIAN_PUNCTUATION = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
# U+3200 to U+3F22: sacrebleu means U+32FF. Its rules for kana apply at the start of a text, where
# there is a blank, so kana are not split.
_ASIAN = re.compile(
    "([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u3f22\u3300-\u33ff\u3400-\u4dbf\u4e00-\u9fff"
    f"\uf900-\ufaff\ufe30-\ufe4f{_ASIAN_PUNCTUATION}])"
)
_PUNCTUATION = re.compile(r'[.,?:;!"()]')
_WITH_ASIAN_PUNCTUATION = re.compile(rf'[.,?:;!"(){_ASIAN_PUNCTUATION}]')


def tokens(
    texts: Sequence[str],
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Tokens:
    """Words between white space, in lowercase, with the options of sacrebleu.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    normalized : bool
        Whether punctuation, possessives and symbols are separate tokens.
    no_punct : bool
        Whether punctuation is removed.
    asian_support : bool
        Whether Chinese characters are separate tokens if `normalized`, and full-width
        punctuation is removed if `no_punct`.
    case_sensitive : bool
        Whether case is kept.

    Examples
    --------
    >>> tokens(["It's 5, now."]).of(0)
    ["it's", '5,', 'now.']
    >>> tokens(["It's 5, now."], normalized=True).of(0)
    ['it', "'s", '5', ',', 'now', '.']
    """
    texts = texts if case_sensitive else lowercase(texts)
    if normalized:
        texts = rewritten([f" {text.rstrip()} " for text in texts], _western)
        if asian_support:
            texts = rewritten(texts, lambda joined, mark: _ASIAN.sub(r" \1 ", joined))
    if no_punct:
        removed = _WITH_ASIAN_PUNCTUATION if asian_support else _PUNCTUATION
        texts = rewritten(texts, lambda joined, mark: removed.sub("", joined))
    return words(texts)


def _western(texts: str, mark: str) -> str:
    texts = texts.replace("\n-", "").replace("\n", " ")
    for escaped, character in _ESCAPED:
        texts = texts.replace(escaped, character)
    for pattern, replacement in _WESTERN:
        texts = pattern.sub(replacement, texts)
    return texts
