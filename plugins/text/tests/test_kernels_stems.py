"""Stems equal those of nltk's Porter stemmer."""

from __future__ import annotations

import random
import subprocess
import sys

from nltk.stem.porter import PorterStemmer
from valor_text.normalisers.porter import stems

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


def made_up_words(count: int) -> list[str]:
    """Short roots with up to three suffixes of Porter's rules."""
    drawn = random.Random(1980)
    return [
        "".join(drawn.choices("abcdeiouylstzwx", k=drawn.randint(1, 6)))
        + "".join(drawn.choices(SUFFIXES, k=drawn.randint(0, 3)))
        for _ in range(count)
    ]


def test_100_000_made_up_words_have_the_stems_of_nltk() -> None:
    words = made_up_words(100_000)
    stemmer = PorterStemmer()
    assert stems(words) == [stemmer.stem(word) for word in words]


def test_unusual_words_have_the_stems_of_nltk() -> None:
    # Irregular and short words, letters beyond ASCII, capitals, and a suffix that is the name of
    # one of nltk's rules.
    words = "sky skies dying news howe by is ate yyyy syzygy Cats İng Aİ naïveness über漢s foo*ded"
    stemmer = PorterStemmer()
    found = ["", "y", *words.split()]
    assert stems(found) == [stemmer.stem(word) for word in found]


def test_words_of_the_paper_have_the_stems_of_the_paper() -> None:
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
        "from valor_text.kernels import KERNELS; "
        "assert KERNELS.library is None or 'nltk' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
