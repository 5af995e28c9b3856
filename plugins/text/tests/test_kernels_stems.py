"""Stems of words, compared with the Porter stemmer of nltk."""

from __future__ import annotations

import random
import subprocess
import sys

from nltk.stem.porter import PorterStemmer
from valor_text.kernels import functions as kernels
from valor_text.kernels.reference import functions as reference
from valor_text.normalisers.characters import characters
from valor_text.normalisers.rouge import stems

SUFFIXES = [
    "s",
    "es",
    "ed",
    "ing",
    "ies",
    "ied",
    "eed",
    "y",
    "ly",
    "ational",
    "tional",
    "enci",
    "anci",
    "izer",
    "bli",
    "abli",
    "alli",
    "entli",
    "eli",
    "ousli",
    "ization",
    "ation",
    "ator",
    "alism",
    "iveness",
    "fulness",
    "ousness",
    "aliti",
    "iviti",
    "biliti",
    "fulli",
    "logi",
    "icate",
    "ative",
    "alize",
    "iciti",
    "ical",
    "ful",
    "ness",
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "sion",
    "tion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
    "e",
    "ll",
    "at",
    "bl",
    "iz",
    "ded",
    "ss",
    "sses",
]


UNUSUAL = ["", "y"]
UNUSUAL += [
    "sky",
    "skies",
    "dying",
    "news",
    "howe",
    "by",
    "is",
    "ate",
    "yyyy",
    "syzygy",
    "Cats",
    "İng",
    "Aİ",
    "naïveness",
    "über漢s",
]
UNUSUAL += ["foo*ded"]
"""Irregular, short, capitalized and accented words, and a suffix named like a rule of nltk."""


def made_up_words(count: int) -> list[str]:
    """Generate short roots with up to three suffixes of Porter's rules."""
    drawn = random.Random(1980)
    return [
        "".join(drawn.choices("abcdeiouylstzwx", k=drawn.randint(1, 6)))
        + "".join(drawn.choices(SUFFIXES, k=drawn.randint(0, 3)))
        for _ in range(count)
    ]


def test_stems_of_100_000_generated_words_equal_nltk() -> None:
    words = made_up_words(100_000)
    stemmer = PorterStemmer()
    assert stems(words) == [stemmer.stem(word) for word in words]


def test_python_and_compiled_stems_of_english_words_are_equal() -> None:
    words = sorted({*made_up_words(20_000), *UNUSUAL})
    column = characters([word.lower() for word in words])

    found, expected = (
        [codes[start : start + n].tolist() for start, n in zip(column.starts, lengths, strict=True)]
        for codes, lengths in (kernels.stems(column), reference.stems(column))
    )
    assert found == expected


def test_stems_of_unusual_words_equal_nltk() -> None:
    stemmer = PorterStemmer()
    assert stems(UNUSUAL) == [stemmer.stem(word) for word in UNUSUAL]


def test_stems_of_examples_in_paper() -> None:
    paper = {
        "caresses": "caress",
        "plastered": "plaster",
        "hopping": "hop",
        "falling": "fall",
        "filing": "file",
        "vietnamization": "vietnam",
        "electriciti": "electr",
        "adoption": "adopt",
        "controll": "control",
    }
    assert stems(list(paper)) == list(paper.values())


def test_rouge_with_stemmer_does_not_import_nltk() -> None:
    program = (
        "import sys; from valor_core import evaluate; "
        "evaluate(['cats'], ['cat'], [{'name': 'ROUGE', 'use_stemmer': True}], 'text'); "
        "assert 'nltk' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
