"""Stems of words by Porter's algorithm."""

import numpy as np

from valor_text.kernels.values import Characters, Codes, Ids


def stems(words: Characters) -> tuple[Codes, Ids]:
    """Code points of the stems, where the words were, and their lengths.

    Parameters
    ----------
    words : Characters
        Words in lowercase.
    """
    # From its module, and here: the package's top imports SciPy where that is installed.
    from nltk.stem.porter import PorterStemmer

    stemmer = PorterStemmer()
    codes, lengths = words.codes.copy(), np.empty(len(words.starts), np.int32)
    pairs = zip(words.starts.tolist(), words.stops.tolist(), strict=True)
    for number, (start, stop) in enumerate(pairs):
        word = "".join(map(chr, codes[start:stop].tolist()))
        stem = [*map(ord, stemmer.stem(word, to_lowercase=False))]
        codes[start : start + len(stem)] = stem
        lengths[number] = len(stem)
    return codes, lengths
