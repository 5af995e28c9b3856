"""Normalisation by Unicode: characters of equal look or meaning become equal, in any script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from unicodedata import category, name, normalize

from valor_text.kernels.values import ALONE, BETWEEN, WORD, CharacterKinds
from valor_text.normalisers.characters import rewritten
from valor_text.normalisers.tokens import Tokens

_VARIATION_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_JOINED = dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x180E, 0x200E, 0x200F, 0xFEFF),
        *(*range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x2070)),
    )
)
"""Invisible characters within words: soft hyphen, word joiner, byte order mark, directions.

The zero-width joiner and non-joiner are not included, since they change the shape of letters."""

_INVISIBLE = _JOINED | dict.fromkeys((0x200B, *_VARIATION_SELECTORS))

_WRITTEN_WITHOUT_BLANKS = ("CJK ", "HIRAGANA ", "KATAKANA ", "HALFWIDTH KATAKANA ")


def folded(texts: Sequence[str]) -> list[str]:
    """NFKC, case folding, no punctuation, one blank for white space, none at the ends.

    Invisible characters, such as the soft hyphen, the zero-width space and the byte order mark, are
    removed. The zero-width joiner and non-joiner, which shape letters, and symbols, such as
    currency signs and the plus sign, are kept.

    Examples
    --------
    >>> folded(["\u2018Stra\u00dfe\u2019!", "STRASSE", "don\u2019t", "\uff11\uff12 \u20ac"])
    ['strasse', 'strasse', 'dont', '12 €']
    """
    return [" ".join(text.split()) for text in rewritten(texts, _folded)]


def _folded(joined: str, mark: str) -> str:
    # Twice, as Unicode defines caseless matching: folding can undo composition.
    visible = joined if joined.isascii() else joined.translate(_INVISIBLE)
    folded = normalize("NFKC", normalize("NFKC", visible).casefold())
    marks = [character for character in set(folded) if _is_punctuation(character)]
    # A letter may now precede an accent that a removed mark separated.
    return normalize("NFC", folded.translate(dict.fromkeys(map(ord, marks))))


@cache
def _is_punctuation(character: str) -> bool:
    return category(character).startswith("P")


def _kind(character: str) -> int:
    if category(character)[0] not in "LMN":
        return BETWEEN
    return ALONE if name(character, "").startswith(_WRITTEN_WITHOUT_BLANKS) else WORD


_KINDS = CharacterKinds(_kind)


def words(texts: Sequence[str]) -> Tokens:
    """Runs of letters, marks and digits of any script; single Chinese characters and kana.

    Invisible characters that do not separate words, such as the soft hyphen, are removed.

    Examples
    --------
    >>> words(["it's \u00e9t\u00e9, 5%", "\u6771\u4eac tower"]).of(0)
    ['it', 's', 'été', '5']
    """
    if not all(map(str.isascii, texts)):
        texts = rewritten(texts, lambda joined, mark: joined.translate(_JOINED))
    return Tokens.found(texts, _KINDS)
