"""METEOR: words aligned by form, stem and synonym, in few chunks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ResourceError, short_repr
from valor_core.packages import import_extra
from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.pairs import Pairs
from valor_text.kernels import functions as kernels
from valor_text.kernels.values import Ids, Positions
from valor_text.normalisers import normalise, tokenise
from valor_text.normalisers.rouge import stems as stems_of
from valor_text.normalisers.tokens import Tokens
from valor_text.parameters.overlap import METEORParameters, WordNetParameters

_FOLDERS = ("corpora/wordnet", "corpora/wordnet.zip/wordnet/")


def score(batch: TextBatch, parameters: METEORParameters, resources: Mapping[str, Any]) -> Any:
    """METEOR of every item, with its best reference.

    Equal to nltk's `meteor_score` of the same tokens.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : METEORParameters
        Weights and preparation.
    resources : mapping
        ``wordnet``, for synonyms, unless ``synonyms: none``.

    Returns
    -------
    ndarray of float64 or ItemRows
        In [0, 1]; 0 without aligned words.
    """
    pairs = Pairs.of(batch)
    texts = normalise(pairs.texts, parameters.normaliser)
    words = tokenise(texts, parameters.tokeniser).renamed(lambda words: map(str.lower, words))
    stems = words.renamed(stems_of)
    responses, references = pairs.responses, pairs.references
    aligned, chunks = kernels.alignments(
        *(words.ids, stems.ids, words.starts, max(words.word_count, stems.word_count)),
        *_synonyms(stems, pairs.items, resources.get("wordnet")),
        *(responses, references),
    )
    counts = words.counts
    values = _meteor(aligned, chunks, counts[responses], counts[references], parameters)
    codes = preparation.faults(pairs, counts, parameters.normaliser, parameters.tokeniser)
    return preparation.rows(batch, values[pairs.best(values)], codes)


def _synonyms(stems: Tokens, responses: int, wordnet: WordNet | None) -> tuple[Ids, Positions]:
    """Return synonyms of the responses' stems among all stems, and offsets by stem."""
    if wordnet is None:
        return np.empty(0, np.int32), np.zeros(stems.word_count + 1, np.int64)
    asked = np.zeros(stems.word_count, bool)
    asked[stems.ids[: stems.starts[responses]]] = True
    names = stems.words
    numbers = {name: number for number, name in enumerate(names)}
    found = [
        sorted(numbers[one] for one in wordnet.synonyms(name) if one in numbers) if wanted else []
        for name, wanted in zip(names, asked.tolist(), strict=True)
    ]
    starts = np.cumsum([0, *map(len, found)], dtype=np.int64)
    return np.array([one for each in found for one in each], np.int32), starts


def _meteor(
    aligned: Positions,
    chunks: Positions,
    response: Positions,
    reference: Positions,
    parameters: METEORParameters,
) -> NDArray[np.float64]:
    alpha = parameters.alpha
    # Without aligned words, the value is 0 for any divisor.
    precision = aligned / np.maximum(response, 1)
    recall = aligned / np.maximum(reference, 1)
    weighted = alpha * precision + (1 - alpha) * recall
    mean = np.divide(precision * recall, weighted, out=np.zeros(len(aligned)), where=weighted > 0)
    broken = (chunks / np.maximum(aligned, 1)).tolist()
    penalty = parameters.gamma * np.array([share**parameters.beta for share in broken])
    values: NDArray[np.float64] = (1 - penalty) * mean
    return values


class WordNet:
    """Resource with synonyms of English words, from the WordNet data of nltk on this machine.

    Parameters
    ----------
    parameters : WordNetParameters
        Folder of the data.

    Raises
    ------
    MissingExtraError
        If nltk is not installed.
    ResourceError
        If the data are missing. Nothing is downloaded.
    """

    def __init__(self, parameters: WordNetParameters) -> None:
        self._reader = _reader(parameters)
        self._lock = Lock()
        self._known = cache(self._found)

    def synonyms(self, word: str) -> frozenset[str]:
        """Single words in all synonym sets that contain a word."""
        # The reader has one offset in its files, which all threads share.
        with self._lock:
            return self._known(word)

    def close(self) -> None:
        """Close the files, which the reader of nltk leaves open."""
        for file in self._reader._data_file_map.values():
            file.close()

    def _found(self, word: str) -> frozenset[str]:
        sets = self._reader.synsets(word)
        names = (lemma.name() for one in sets for lemma in one.lemmas())
        return frozenset(name for name in names if "_" not in name)


def _reader(parameters: WordNetParameters) -> Any:
    # The module itself: the top of nltk imports SciPy if that is installed.
    data = import_extra("nltk.data", "wordnet: reading synonyms", "valor-text[nltk]")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = parameters.folder
    if folder is not None and str(folder) not in data.path:
        data.path.append(str(folder))  # nltk opens only files in its folders
    folders = [str(folder)] if folder is not None else [*map(str, data.path)]
    for name in _FOLDERS:
        try:
            root = data.find(name, folders)
        except LookupError:
            continue
        with warnings.catch_warnings():
            # It warns about missing data of other languages.
            warnings.simplefilter("ignore")
            return WordNetCorpusReader(root, None)
    target = f"-d {folder} " if folder is not None else ""
    raise ResourceError(
        f"wordnet: expected WordNet's data of nltk in one of {short_repr(folders)}, found none",
        f"Install them with: python -m nltk.downloader {target}wordnet",
    )
