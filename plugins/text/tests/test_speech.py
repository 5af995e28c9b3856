"""Normalisers of speech."""

from __future__ import annotations

import pytest
from cases import for_each
from valor_text.normalisers import normalise

from valor_core import evaluate
from valor_core.schemas.text import Text

from .generated import ODD, pairs

NEUTRAL = [
    ("", ""),
    ("  Hello,   WORLD!  ", "hello world"),
    ("one\ttwo\nthree\u00a0four\u2028five", "one two three four five"),
    ("don't", "don t"),
    ("don\u2019t", "don t"),
    ("L'\u00c9t\u00e9", "l \u00e9t\u00e9"),
    ("cafe\u0301", "caf\u00e9"),
    ("STRASSE stra\u00dfe", "strasse strasse"),
    (
        "\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03cc\u03c2",
        "\u03bf\u03b4\u03bf\u03c3 \u03bf\u03b4\u03cc\u03c3",
    ),
    ("\uff21\uff22\uff23 \u2460 \ufb01n", "abc 1 fin"),
    ("3,5 kg = 100%", "3 5 kg 100"),
    ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
    (
        "\u0915\u094d\u0937\u092e\u093e \u0915\u0930\u0947\u0902\u0964",
        "\u0915\u094d\u0937\u092e\u093e \u0915\u0930\u0947\u0902",
    ),
    ("\u65e5\u672c\u8a9e\u3002\u30c6\u30b9\u30c8\uff01", "\u65e5\u672c\u8a9e \u30c6\u30b9\u30c8"),
    (
        "\u0437'\u0457\u0437\u0434 \u0437\u02bc\u0457\u0437\u0434",
        "\u0437 \u0457\u0437\u0434 \u0437 \u0457\u0437\u0434",
    ),
    ("good \U0001f600\ufe0f night", "good night"),
    ("\u0633\u0640\u0640\u0644\u0627\u0645", "\u0633\u0644\u0627\u0645"),  # tatweel
    ("\u0633\u064e\u0644", "\u0633\u064e\u0644"),  # vowel points are kept
    ("nul\x00in", "nulin"),
]
PLAIN = [
    ("caf\u00e9 na\u00efve \u00c5ngstr\u00f6m", "cafe naive angstrom"),
    ("\u0141\u00f3d\u017a K\u00f8benhavn \u0110\u00e0 N\u1eb5ng", "lodz kobenhavn da nang"),
    ("\u0130stanbul", "istanbul"),
    ("\u03bf\u03b4\u03cc\u03c2", "\u03bf\u03b4\u03bf\u03c3"),
    ("\u0915\u0930\u0947\u0902\u0964", "\u0915\u0930\u0947\u0902"),
    # Arabic with and without vowel points, shadda and tatweel
    (
        "\u0627\u0644\u0633\u0651\u064e\u0644\u064e\u0627\u0645\u064f "
        "\u0639\u064e\u0644\u064e\u064a\u0652\u0643\u064f\u0645",
        "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645",
    ),
    ("\u0631\u062d\u0640\u0640\u0645\u0670\u0646", "\u0631\u062d\u0645\u0646"),
    # forms of alif, and hamza on its carriers
    ("\u0622 \u0623 \u0625 \u0671 \u0627", "\u0622 \u0623 \u0625 \u0671 \u0627"),
    ("\u0627\u0654", "\u0623"),
    # Hebrew with points and cantillation, also in presentation forms; maqaf ends a word
    ("\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
    (
        "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05b4\u0596\u05d9\u05ea",
        "\u05d1\u05e8\u05d0\u05e9\u05d9\u05ea",
    ),
    ("\ufb2a\u05b8\ufb3c\u05d5\u05b9\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
    ("\u05d1\u05d9\u05ea\u05be\u05e1\u05e4\u05e8", "\u05d1\u05d9\u05ea \u05e1\u05e4\u05e8"),
    # vowel signs that are always written
    ("\u0d15\u0d3f\u0d33\u0d3f", "\u0d15\u0d3f\u0d33\u0d3f"),
    ("\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48", "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48"),
    ("\u078b\u07a8\u0788\u07ac\u0780\u07a8", "\u078b\u07a8\u0788\u07ac\u0780\u07a8"),
    ("\u304c\u304e \ud55c\uad6d\uc5b4", "\u304c\u304e \ud55c\uad6d\uc5b4"),
]
ENGLISH = [
    ("", ""),
    ("Hello,  World!", "hello world"),
    ("Caf\u00e9 na\u00efve", "cafe naive"),
    ("e-mail co-operation", "e mail co operation"),
    ("salt & pepper", "salt and pepper"),
    # words that are not spoken
    ("[laughter] well (inaudible) yes <noise>", "well yes"),
    ("[unfinished yes", "unfinished yes"),
    ("Um, I, uh, think so. Mhm, hmm.", "i think so"),
    # contractions
    ("I don't, won't, can't and shan't.", "i do not will not can not and shall not"),
    ("I\u2019m sure you\u2019ve said they\u2019ll go", "i am sure you have said they will go"),
    ("he'd, she's, it's, that's, let's", "he would she is it is that is let us"),
    ("shouldn't've", "should not have"),
    ("do n't they 're", "do not they are"),
    ("John's dogs' 'quoted' rock 'n' roll", "johns dogs quoted rock n roll"),
    ("gonna wanna gotta", "going to want to got to"),
    ("cannot", "can not"),
    # short forms
    (
        "Mr. Smith, Mrs. Jones and Dr. Brown Jr.",
        "mister smith missus jones and doctor brown junior",
    ),
    ("the U.S.A. at 5 p.m., e.g. today", "the usa at 5 pm eg today"),
    ("OK, okay, etc.", "okay okay et cetera"),
    # spelling
    ("The neighbour's favourite colours", "the neighbors favorite colors"),
    ("organisation, realised, analysing", "organization realized analyzing"),
    ("Centre, theatres, kilometres", "center theaters kilometers"),
    ("travelling counsellors cancelled", "traveling counselors canceled"),
    ("a grey aluminium aeroplane", "a gray aluminum airplane"),
    ("defence licences", "defense licenses"),
    ("paediatric oestrogen", "pediatric estrogen"),
    ("catalogue, programmes, cheque", "catalog programs check"),
    ("four hours, your tour, advise, exercise", "4 hours your tour advise exercise"),
    ("crisis analysis analyses", "crisis analysis analyses"),
    # numbers in words
    ("zero one twelve twenty", "0 1 12 20"),
    ("twenty-five", "25"),
    ("one hundred", "100"),
    ("a hundred and five", "105"),
    ("two hundred thirty four", "234"),
    ("twelve hundred", "1200"),
    ("one thousand two hundred and thirty-four", "1234"),
    ("two million five hundred thousand and one", "2500001"),
    ("a thousand", "1000"),
    ("two hundred and five thousand", "205000"),
    ("one hundred and two hundred", "100 and 200"),
    ("two thousand and three thousand", "2000 and 3000"),
    ("two thousand nineteen", "2019"),
    ("one two three", "1 2 3"),
    ("five twenty", "5 20"),
    ("three point one four", "3.14"),
    ("zero point oh five", "0.05"),
    ("the point is five", "the point is 5"),
    ("two and a half", "2.5"),
    ("two point five million", "2500000"),
    ("one and a half billion", "1500000000"),
    ("hundreds of thousands", "hundreds of thousands"),
    ("bread and five eggs", "bread and 5 eggs"),
    # ordinals
    ("first second third fourth twelfth", "1st 2nd 3rd 4th 12th"),
    ("twentieth twenty-first forty second", "20th 21st 42nd"),
    ("one hundred and eleventh", "111th"),
    ("hundredth thousandth two thousandth", "100th 1000th 2000th"),
    ("eleventh twelfth thirteenth hundred and first", "11th 12th 13th 101st"),
    # years
    ("nineteen ninety-nine", "1999"),
    ("twenty twenty five", "2025"),
    ("nineteen oh five", "1905"),
    ("nineteen hundred", "1900"),
    ("twenty five ten", "25 10"),
    ("eleven thirty", "11 30"),
    # numbers in digits
    ("1,000 10,000,000 1,00", "1000 10000000 1 00"),
    ("3.14 5. .5 10:30 1/2", "3.14 5 5 10 30 1 2"),
    ("5 million, 2.5 billion, 3 hundred", "5000000 2500000000 300"),
    ("the 1st of the 1990's", "the 1st of the 1990s"),
    # units
    ("five percent, 5 per cent, 5 %, 5%", "5% 5% 5% 5%"),
    ("twenty dollars, 20 dollars, $20, $ 20", "$20 $20 $20 $20"),
    ("five dollars and fifty cents", "$5.50"),
    ("5 dollars 5 cents", "$5.05"),
    ("ten pounds, \u00a310, one euro", "\u00a310 \u00a310 \u20ac1"),
    ("$5 million, five million dollars", "$5000000 $5000000"),
    ("percent, dollars, $, %", "percent dollars"),
    ("it costs 5 %. They do n't.", "it costs 5% they do not"),
]


@for_each(("text", "expected"), NEUTRAL)
def test_speech_in_any_language(text: str, expected: str) -> None:
    assert normalise([text], "speech") == [expected]


@for_each(("text", "expected"), PLAIN)
def test_speech_without_diacritics(text: str, expected: str) -> None:
    assert normalise([text], "speech_plain") == [expected]


@for_each(("text", "expected"), ENGLISH)
def test_english_speech(text: str, expected: str) -> None:
    assert normalise([text], "english_speech") == [expected]


@pytest.mark.parametrize("name", ["speech", "speech_plain", "english_speech"])
def test_column_equals_single_texts(name: str) -> None:
    written = [text for pair in pairs(60, seed=1) for text in pair]
    numbers = ["twenty", "five", "and a half", "[open", "close]", "$", "5", "%", "it", "'s"]
    texts = [*ODD, *written, *numbers, "all marks \x00\x01\x02\ufdd0\ufdd1\ufdd2"]

    found = normalise(texts, name)

    assert found == [normalise([text], name)[0] for text in texts]
    assert found[:-1] == normalise(texts[:-1], name)


@pytest.mark.parametrize("name", ["speech", "speech_plain"])
def test_speech_is_idempotent(name: str) -> None:
    texts = normalise(ODD, name)

    assert normalise(texts, name) == texts


@for_each("text", [expected for _, expected in ENGLISH])
def test_english_speech_is_idempotent(text: str) -> None:
    assert normalise([text], "english_speech") == [text]


def test_report_has_versions_of_speech_normalisers() -> None:
    items = [Text("q1", response="i can't pay twenty pounds", references="I cannot pay \u00a320.")]

    (result,) = evaluate(items, [{"name": "WER", "normaliser": "english_speech"}]).results

    assert (result.value, result.parameters["normaliser"]) == (0, "english_speech@2")
