"""Stems of English words by Porter's algorithm, with the additions of nltk.

Porter, 'An algorithm for suffix stripping', Program 14(3), 1980. nltk's `PorterStemmer`, which
ROUGE and METEOR use, adds irregular words and a few rules, and leaves words of two letters.
"""

import numpy as np

from valor_text.kernels.values import Characters, Codes, Ids

_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

_DOUBLE_SUFFIXES = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "fulli": "ful",
    "logi": "log",
}
_FURTHER_SUFFIXES = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_SINGLE_SUFFIXES = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)
"""Longer suffixes before their own endings; ``ion`` is removed only after s or t."""


def stems(words: Characters) -> tuple[Codes, Ids]:
    """Code points of the stems, at the offsets of the words, and their lengths.

    Parameters
    ----------
    words : Characters
        Words in lowercase.
    """
    codes, lengths = words.codes.copy(), np.empty(len(words.starts), np.int32)
    pairs = zip(words.starts.tolist(), words.stops.tolist(), strict=True)
    for number, (start, stop) in enumerate(pairs):
        stem = [*map(ord, _stem("".join(map(chr, codes[start:stop].tolist()))))]
        codes[start : start + len(stem)] = stem
        lengths[number] = len(stem)
    return codes, lengths


def _stem(word: str) -> str:
    if word in _IRREGULAR or len(word) <= 2:
        return _IRREGULAR.get(word, word)
    word = _past_and_participle(_plural(word))
    if word.endswith("y") and len(word) > 2 and _is_consonant(word, len(word) - 2):
        word = f"{word[:-1]}i"
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    word = _replaced(word, _DOUBLE_SUFFIXES)
    word = _replaced(word, _FURTHER_SUFFIXES)
    return _last_letters(_without_suffix(word))


def _is_consonant(word: str, at: int) -> bool:
    """A `y` is a consonant unless a consonant precedes it."""
    if word[at] == "y":
        return at == 0 or not _is_consonant(word, at - 1)
    return word[at] not in "aeiou"


def _form(word: str) -> str:
    """Consonants as ``c`` and vowels as ``v``."""
    form = ""
    for letter in word:
        is_vowel = form[-1:] == "c" if letter == "y" else letter in "aeiou"
        form += "v" if is_vowel else "c"
    return form


def _measure(word: str) -> int:
    """Porter's m: how often a consonant follows a vowel."""
    return _form(word).count("vc")


def _ends_in_double_consonant(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _form(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Return True if consonant, vowel and consonant end the word (hop), or it is like *at*."""
    form = _form(word)
    return (form.endswith("cvc") and word[-1] not in "wxy") or form == "vc"


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_participle(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    stem = next((word.removesuffix(one) for one in ("ed", "ing") if word.endswith(one)), word)
    if stem == word or "v" not in _form(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if _ends_in_double_consonant(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    if stem.endswith("*d"):  # nltk also uses the name of its rule as a suffix
        return f"{stem[:-2]}d"
    return f"{stem}e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replaced(word: str, suffixes: dict[str, str]) -> str:
    """Replace the first suffix that matches if Porter's m of the rest is positive."""
    for suffix, ending in suffixes.items():
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            # m of "logi" is that of the stem and the l: nltk follows Porter's own program.
            is_long = _measure(stem + "l" if suffix == "logi" else stem) > 0
            return stem + ending if is_long else word
    return word


def _without_suffix(word: str) -> str:
    suffix = next(filter(word.endswith, _SINGLE_SUFFIXES), None)
    if suffix is None:
        return word
    removed = "ion" if suffix in ("sion", "tion") else suffix
    stem = word.removesuffix(removed)
    return stem if _measure(stem) > 1 else word


def _last_letters(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
