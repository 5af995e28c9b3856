"""WordNet: synonyms of English words, from data of nltk that are installed on this machine."""

from __future__ import annotations

import warnings
from functools import cache
from threading import Lock
from typing import Any

from valor_core.errors import ResourceError, shown
from valor_text.parameters.overlap import WordNetParameters

_PLACES = ("corpora/wordnet", "corpora/wordnet.zip/wordnet/")


class WordNet:
    """The resource: what METEOR asks for synonyms.

    Parameters
    ----------
    parameters : WordNetParameters
        Where the data are.

    Raises
    ------
    ResourceError
        If they are not there. Nothing is downloaded.
    """

    def __init__(self, parameters: WordNetParameters) -> None:
        self._reader = _reader(parameters)
        self._lock = Lock()
        self._known = cache(self._found)

    def synonyms(self, word: str) -> frozenset[str]:
        """Names of one word in all sets of synonyms that have the word."""
        # The reader has one place in its files, whoever reads.
        with self._lock:
            return self._known(word)

    def close(self) -> None:
        """Close the files, which nltk's reader leaves open."""
        for file in self._reader._data_file_map.values():
            file.close()

    def _found(self, word: str) -> frozenset[str]:
        sets = self._reader.synsets(word)
        names = (lemma.name() for one in sets for lemma in one.lemmas())
        return frozenset(name for name in names if "_" not in name)


def _reader(parameters: WordNetParameters) -> Any:
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = parameters.folder
    if folder is not None and str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))  # nltk opens no file beside its folders
    folders = [str(folder)] if folder is not None else [*map(str, nltk.data.path)]
    for place in _PLACES:
        try:
            root = nltk.data.find(place, folders)
        except LookupError:
            continue
        with warnings.catch_warnings():
            # Of what it has not: other languages.
            warnings.simplefilter("ignore")
            return WordNetCorpusReader(root, None)
    target = f"-d {folder} " if folder is not None else ""
    raise ResourceError(
        f"wordnet: expected WordNet's data of nltk in one of {shown(folders)}, found none",
        f"Install them with: python -m nltk.downloader {target}wordnet",
    )
