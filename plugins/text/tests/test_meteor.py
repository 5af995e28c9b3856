"""METEOR: computed by hand, and compared with nltk with a WordNet of a few words."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import nltk.data
import pytest
from nltk.translate.meteor_score import meteor_score
from valor_text.metrics.overlap import meteor
from valor_text.metrics.overlap.meteor import WordNet
from valor_text.parameters.overlap import METEORParameters, WordNetParameters

from valor_core import evaluate
from valor_core.errors import MissingExtraError, ResourceError

from . import tiny_wordnet
from .generated import Items, arrays_only, batch_of, several

score = arrays_only(meteor.score)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(nltk.data, "path", [*nltk.data.path])
    return tiny_wordnet.write(tmp_path)


@pytest.fixture
def wordnet(folder: Path) -> Iterator[WordNet]:
    with closing(WordNet(WordNetParameters(folder=folder))) as opened:
        yield opened


def meteor(items: Items, wordnet: WordNet, **chosen: Any) -> list[float]:
    parameters = METEORParameters(**{"tokeniser": "words"} | chosen)
    return score(batch_of(items), parameters, {"wordnet": wordnet}).tolist()


def of_nltk(items: Items, wordnet: WordNet, **chosen: float) -> list[float]:
    return [
        meteor_score(
            [one.split() for one in references],
            response.split(),
            wordnet=wordnet._reader,
            **chosen,
        )
        for response, references in items
    ]


def vehicles(count: int) -> Items:
    """Generate texts with few distinct words, so that words, stems and synonyms often match."""
    source = random.Random(3)
    words = [
        *("car", "Cars", "auto", "autos", "automobile", "selfie", "cat", "feline", "felines"),
        *("big", "large", "quick", "quickly", "fast", "speedy", "the", "a", "running", "runs"),
    ]

    def text() -> str:
        return " ".join(source.choices(words, k=source.randint(0, 14)))

    return [(text(), [text() for _ in range(source.randint(1, 3))]) for _ in range(count)]


def test_by_hand(wordnet: WordNet) -> None:
    # response:  The cats saw a big automobile  (6 words)
    # reference: the cat saw one large car today (7 words)
    # equal: the, saw; same stem: cats, cat; synonyms: big and larg(e), automobil is in no set
    # 4 aligned: precision 4/6, recall 4/7, mean P R / (0.9 P + 0.1 R)
    # chunks: "the cats saw", "big": 2; penalty 0.5 (2/4)^3 = 1/16
    items = [("The cats saw a big automobile", ["the cat saw one large car today"])]
    precision, recall = 4 / 6, 4 / 7
    mean = precision * recall / (0.9 * precision + 0.1 * recall)

    assert meteor(items, wordnet) == [pytest.approx(mean * 15 / 16, abs=1e-15)]


def test_synonym_by_hand(wordnet: WordNet) -> None:
    # auto is in a set with car: all aligned, one chunk of 2: penalty 0.5 (1/2)^3 = 1/16
    assert meteor([("big auto", ["larg car"])], wordnet) == [15 / 16]


@pytest.mark.parametrize("chosen", [{}, {"alpha": 0.5, "beta": 2.0, "gamma": 0.25}], ids=str)
def test_equal_to_nltk(wordnet: WordNet, chosen: dict[str, float]) -> None:
    items = several(100) + vehicles(400)

    assert meteor(items, wordnet, **chosen) == of_nltk(items, wordnet, **chosen)


def test_nothing_in_common_is_zero(wordnet: WordNet) -> None:
    assert meteor([("a", ["b"]), ("", ["b"]), ("a", [""]), ("", [""])], wordnet) == [0, 0, 0, 0]


def test_config_section_sets_folder(folder: Path) -> None:
    items = batch_of([("a big auto", ["a larg car"])])

    report = evaluate(items, ["METEOR"], resources={"wordnet": {"folder": str(folder)}})

    # 3 words in one chunk: penalty 0.5 (1/3)^3 = 1/54
    assert report["METEOR"].value == pytest.approx(53 / 54, abs=1e-15)


def test_missing_data_have_download_command(tmp_path: Path) -> None:
    items = batch_of([("a", ["a"])])

    with pytest.raises(ResourceError, match="wordnet: expected WordNet's data of nltk in one of"):
        evaluate(items, ["METEOR"], resources={"wordnet": {"folder": str(tmp_path)}})


class _NoSynonyms:
    """WordNet without synonym sets, for nltk."""

    def synsets(self, word: str) -> list[Any]:
        return []


@pytest.mark.parametrize("chosen", [{}, {"alpha": 0.5, "beta": 2.0, "gamma": 0.25}], ids=str)
def test_without_synonyms_equal_to_nltk_with_an_empty_wordnet(chosen: dict[str, float]) -> None:
    items = several(100) + vehicles(400)
    parameters = METEORParameters(tokeniser="words", synonyms="none", **chosen)
    expected = [
        meteor_score(
            [one.split() for one in references], said.split(), wordnet=_NoSynonyms(), **chosen
        )
        for said, references in items
    ]

    assert score(batch_of(items), parameters, {}).tolist() == expected


def test_without_synonyms_no_data_of_wordnet_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nltk.data, "path", [])
    items = batch_of([("a big auto", ["a larg car"])])

    report = evaluate(items, [{"name": "METEOR", "synonyms": "none", "tokeniser": "words"}])

    # a and big/larg: the stem of big is big, so only a is aligned; P = R = 1/3, one chunk of one
    # word: penalty 0.5
    assert report["METEOR"].value == pytest.approx(1 / 6, abs=1e-15)


def test_synonyms_without_nltk_raise_with_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)

    with pytest.raises(
        MissingExtraError, match=r"wordnet: reading synonyms needs nltk(.|\n)*nltk\]"
    ):
        WordNet(WordNetParameters())
