"""The tokens of sacrebleu: 13a, intl, zh and char."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from valor_text.counting.characters import rewritten
from valor_text.counting.tokens import Tokens
from valor_text.kernels.kinds import ALONE, BETWEEN, CharacterKinds
from valor_text.normalisers.plain import words

_LETTERS = CharacterKinds(lambda character: BETWEEN if character.isspace() else ALONE)

_HTML = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# U+2001 to U+2A6D, typographic quotes among them, and U+2F81 to U+2FA1: sacrebleu means U+20000 to
# U+2A6D6 and U+2F800 to U+2FA1D, and writes them with four digits.
_CHINESE = re.compile(
    "([\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d"
    "\u2f81-\u2fa1\uff00-\uffef\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff"
    "\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f\u3200-\u33ff])"
)


def letters(texts: Sequence[str]) -> Tokens:
    """Every character that is no white space for itself.

    Examples
    --------
    >>> letters(["a b"]).of(0)
    ['a', 'b']
    """
    return Tokens.found(texts, _LETTERS)


def mteval(texts: Sequence[str]) -> Tokens:
    """Words and ASCII punctuation; a period and a comma stay between digits.

    As the script mteval-v13a.pl. White space at the end of a text goes first, as in sacrebleu's
    metrics.

    Examples
    --------
    >>> mteval(["It's 1,000.5 &lt;kg&gt; (net)."]).of(0)
    ["It's", '1,000.5', '<', 'kg', '>', '(', 'net', ')', '.']
    """
    return words(rewritten([f" {text.rstrip()} " for text in texts], _mteval))


def international(texts: Sequence[str]) -> Tokens:
    """Words, punctuation and symbols of any script; punctuation stays between numbers.

    As the script mteval-v14.pl.

    Examples
    --------
    >>> international(["«Ça coûte 1,5 €.»"]).of(0)
    ['«', 'Ça', 'coûte', '1,5', '€', '.', '»']
    """
    return words(rewritten([text.rstrip() for text in texts], _international))


def chinese(texts: Sequence[str]) -> Tokens:
    """Chinese characters each for itself, all else as `mteval` has it.

    Examples
    --------
    >>> chinese(["我爱 Python 3.5!"]).of(0)
    ['我', '爱', 'Python', '3.5', '!']
    """
    return words(rewritten([text.strip() for text in texts], _chinese))


def _mteval(texts: str, mark: str) -> str:
    texts = texts.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in texts:
        for escaped, character in _HTML:
            texts = texts.replace(escaped, character)
    return _western(texts, mark)


def _chinese(texts: str, mark: str) -> str:
    return _western(_CHINESE.sub(r" \1 ", texts), mark)


def _western(texts: str, mark: str) -> str:
    for pattern, replacement in _western_rules(mark):
        texts = pattern.sub(replacement, texts)
    return texts


Rules = tuple[tuple[re.Pattern[str], str], ...]


@cache
def _western_rules(mark: str) -> Rules:
    # A text ends at the mark, so that nothing stands there to be "no digit".
    return (
        (re.compile(r"([{-~\[-`!-&(-+:-@/])"), r" \1 "),
        (re.compile(rf"([^0-9{mark}])([.,])"), r"\1 \2 "),
        (re.compile(rf"([.,])([^0-9{mark}])"), r" \1 \2"),
        (re.compile(r"([0-9])(-)"), r"\1 \2 "),
    )


def _international(texts: str, mark: str) -> str:
    for pattern, replacement in _international_rules("".join(sorted(set(texts))), mark):
        texts = pattern.sub(replacement, texts)
    return texts


def _international_rules(occurring: str, mark: str) -> Rules:
    def of(category: str) -> str:
        members = (one for one in occurring if unicodedata.category(one).startswith(category))
        return "".join(map(re.escape, members))

    numbers, punctuation, symbols = of("N"), of("P"), of("S")
    rules = []
    if punctuation:
        no_number = f"[^{numbers}{mark}]" if numbers or mark else "(?s:.)"
        rules += [
            (re.compile(f"({no_number})([{punctuation}])"), r"\1 \2 "),
            (re.compile(f"([{punctuation}])({no_number})"), r" \1 \2"),
        ]
    if symbols:
        rules.append((re.compile(f"([{symbols}])"), r" \1 "))
    return tuple(rules)
