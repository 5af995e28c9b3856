"""Speech in any language: letters, digits and combining marks, in one case.

Our definitions, in the style of the basic normaliser of Whisper. Whisper replaces marks by blanks,
which splits words of Hindi, Tamil or Thai; these definitions keep them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from valor_text.normalisers.characters import rewritten

_DIACRITICS = (
    *range(0x0300, 0x0370),
    *range(0x1AB0, 0x1B00),
    *range(0x1DC0, 0x1E00),
    *range(0x20D0, 0x2100),
    *range(0xFE20, 0xFE30),
)
"""Blocks of combining marks that belong to no script."""

_OPTIONAL_POINTS = (
    # Hebrew: cantillation and vowel points, without punctuation
    *(*range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7),
    # Arabic: vowels and Koranic marks; madda and hamza (0653 to 0655) belong to letters
    *(*range(0x0610, 0x061B), *range(0x064B, 0x0653), *range(0x0656, 0x0660), 0x0670),
    *(*range(0x06D6, 0x06DD), *range(0x06DF, 0x06E5), 0x06E7, 0x06E8, *range(0x06EA, 0x06EE)),
    *(*range(0x0898, 0x08A0), *range(0x08CA, 0x08E2), *range(0x08E3, 0x0900)),
    # Syriac: vowels and other points
    *(0x0711, *range(0x0730, 0x074B)),
)
"""Points that are usually omitted in writing."""

_TATWEEL = "\u0640"
"""Arabic stroke that lengthens a word without changing it."""

_WITHOUT_DIACRITICS = dict.fromkeys((*_DIACRITICS, *_OPTIONAL_POINTS), "") | {
    ord(letter): plain
    for letter, plain in {
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ħ": "h",
        "ŧ": "t",
        "\u0131": "i",
    }.items()
}
_VARIATION_SELECTORS = map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
_REMOVED = frozenset((*_VARIATION_SELECTORS, _TATWEEL))
_LETTER_APOSTROPHE = "\u02bc"


def with_diacritics(texts: Sequence[str]) -> list[str]:
    """Letters, marks and digits in one case, with one blank between words.

    Compatibility forms are replaced (NFKC), case is folded, and punctuation and symbols, including
    apostrophes, become blanks. Invisible characters and the Arabic tatweel are removed.

    Examples
    --------
    >>> with_diacritics(["L'Été, c'est   BIEN!", "हिन्दी में।"])
    ['l été c est bien', 'हिन्दी में']
    """
    return _folded(rewritten(texts, lambda joined, mark: without_symbols(one_case(joined), mark)))


def without_diacritics(texts: Sequence[str]) -> list[str]:
    """Like `with_diacritics`, but without accents, other diacritics, and optional points.

    Optional points are the vowel points of Arabic, Hebrew and Syriac. Vowel signs that other
    scripts always write, and forms of alif, are kept.

    Examples
    --------
    >>> without_diacritics(["L'Été, Łódź", "हिन्दी में।", "السَّلَامُ"])
    ['l ete lodz', 'हिन्दी में', 'السلام']
    """
    return _folded(
        rewritten(
            texts, lambda joined, mark: without_symbols(plain_letters(one_case(joined)), mark)
        )
    )


def one_case(text: str) -> str:
    """Fold the case and compatibility forms of a text.

    Examples
    --------
    >>> one_case("STRAẞE ﬁn ①")
    'strasse fin 1'
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def plain_letters(text: str) -> str:
    """Remove diacritics of letters and optional points from a case-folded text.

    Examples
    --------
    >>> plain_letters("smørrebrød à la façon")
    'smorrebrod a la facon'
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text).translate(_WITHOUT_DIACRITICS)
    return unicodedata.normalize("NFKC", decomposed)


def without_symbols(text: str, mark: str, but: str = "") -> str:
    """Replace punctuation, symbols and white space by blanks, and remove invisible characters.

    Parameters
    ----------
    text : str
        Text.
    mark : str
        Character that is kept everywhere; empty for none.
    but : str
        Further characters that are kept.

    Examples
    --------
    >>> without_symbols("3.5 €/kg\u200b", "", but=".")
    '3.5   kg'
    """
    stay = frozenset(mark + but)
    return text.translate({ord(one): _seen(one) for one in set(text) - stay})


def _seen(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] in "PSZ" or character.isspace() or character == _LETTER_APOSTROPHE:
        return " "
    if category[0] == "C" or category == "Me" or character in _REMOVED:
        return ""
    return character


def _folded(texts: Sequence[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts]
