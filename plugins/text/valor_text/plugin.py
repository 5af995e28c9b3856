"""Manifest of the text family."""

from __future__ import annotations

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    GallerySpec,
    MetricFamily,
    MetricSpec,
    ParameterAlias,
    Range,
    ReaderSpec,
    Reference,
    ResourceSpec,
    hookimpl,
)

SHARE = Range(0, 1)
PREPARATION = "valor_text.counting.preparation:summarize"
LIN = Reference(
    "Lin, 'ROUGE: a package for automatic evaluation of summaries', ACL workshop Text "
    "Summarization Branches Out, 2004",
    "sections 2 and 3",
)
LEVENSHTEIN = Reference(
    "Levenshtein, 'Binary codes capable of correcting deletions, insertions and reversals', "
    "Soviet Physics Doklady 10(8), 1966"
)
MORRIS = Reference(
    "Morris, Maier, Green, 'From WER and RIL to MER and WIL: improved evaluation measures for "
    "connected speech recognition', INTERSPEECH 2004",
    "section 2",
)
SNOVER = Reference(
    "Snover et al., 'A study of translation edit rate with targeted human annotation', AMTA 2006",
    "section 3",
)
SACREBLEU_TER = Reference("sacrebleu 2.6.0, metrics.TER", url="https://github.com/mjpost/sacrebleu")
JIWER = Reference("jiwer 4.0.0", url="https://github.com/jitsi/jiwer")
RAPIDFUZZ = Reference(
    "rapidfuzz 3.14, distance.Levenshtein", url="https://github.com/rapidfuzz/RapidFuzz"
)
SQUAD = Reference(
    "Rajpurkar et al., 'SQuAD: 100,000+ questions for machine comprehension of text', EMNLP 2016",
    "section 6.1",
)
SQUAD_2 = Reference(
    "Rajpurkar et al., 'Know what you don't know: unanswerable questions for SQuAD', ACL 2018",
    "section 5",
)
SQUAD_SCRIPTS = Reference(
    "SQuAD's evaluation scripts 1.1 and 2.0", url="https://rajpurkar.github.io/SQuAD-explorer/"
)
JSON = Reference("RFC 8259, The JavaScript Object Notation (JSON) data interchange format")
JSON_SCHEMA = Reference(
    "JSON Schema, draft 2020-12", "Validation", "https://json-schema.org/draft/2020-12"
)
HENDRYCKS = Reference(
    "Hendrycks et al., 'Measuring massive multitask language understanding', ICLR 2021", "section 3"
)
PYTHON_RE = Reference(
    "Python's module re", "Regular Expression Syntax", "https://docs.python.org/3/library/re.html"
)
PYTHON_IN = Reference(
    "Python's language reference",
    "6.10.2, Membership test operations",
    "https://docs.python.org/3/reference/expressions.html",
)
COBBE = Reference(
    "Cobbe et al., 'Training verifiers to solve math word problems', 2021", "section 2"
)
PEP_485 = Reference("PEP 485, A function for testing approximate equality")
LITE = Reference("valor-lite, classification evaluator", "examples")
CHEN = Reference(
    "Chen et al., 'Evaluating large language models trained on code', 2021", "section 2.1"
)
YAO = Reference(
    "Yao et al., 'tau-bench: a benchmark for tool-agent-user interaction in real-world domains', "
    "2024",
    "section 3",
)
ROUGE_SCORE = Reference(
    "rouge_score 0.1.2", url="https://github.com/google-research/google-research/tree/master/rouge"
)

PAPINENI = Reference(
    "Papineni, Roukos, Ward and Zhu, 'BLEU: a method for automatic evaluation of machine "
    "translation', ACL 2002",
    "section 2",
)
CHERRY = Reference(
    "Chen and Cherry, 'A systematic comparison of smoothing techniques for sentence-level BLEU', "
    "WMT 2014",
    "section 3",
)
WU = Reference(
    "Wu et al., 'Google's neural machine translation system', arXiv 1609.08144, 2016",
    "section 5.2",
)
POPOVIC = (
    Reference("Popović, 'chrF: character n-gram F-score for automatic MT evaluation', WMT 2015"),
    Reference("Popović, 'chrF++: words helping character n-grams', WMT 2017"),
)
LAVIE = Reference(
    "Lavie and Agarwal, 'METEOR: an automatic metric for MT evaluation with high levels of "
    "correlation with human judgments', WMT 2007",
    "section 2",
)
NLTK = Reference("nltk 3.10", "nltk.translate", "https://www.nltk.org/api/nltk.translate.html")
SACREBLEU = Reference("sacrebleu 2.6.0", url="https://github.com/mjpost/sacrebleu")

BLEU_RANGE = Range(0, 4 / 3)
"""The maximum is 1, except for two smoothings of nltk."""


_of_items = MetricFamily(
    "text",
    "valor_text",
    ItemMetricSpec,
    higher_is_better=True,
    range=SHARE,
    requires=("response", "references"),
    batched=True,
)
"""Metrics that score all items of a batch in one call."""


_of_corpus = MetricFamily(
    "text",
    "valor_text",
    higher_is_better=True,
    range=SHARE,
    requires=("response", "references"),
)
"""Metrics of all items together."""

_prepared = _of_items.having(summarize=PREPARATION)
"""Metrics that compare texts after normalization."""

_item_errors = _prepared.having(higher_is_better=False, range=Range(0))
_corpus_errors = _of_corpus.having(higher_is_better=False, range=Range(0))


OVERLAP = (
    _prepared(
        "ROUGE",
        "overlap.rouge:score",
        "Words and subsequences that a response shares with its best reference",
        "overlap:ROUGEParameters",
        references=(LIN, ROUGE_SCORE),
        parameter_aliases=tuple(
            ParameterAlias(name, {"rouge_types": [name]})
            for name in ("rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum")
        ),
    ),
    _prepared(
        "BLEU",
        "overlap.bleu:score",
        "Precision of n-grams that a response shares with its references, mean over items",
        "overlap:BLEUParameters",
        range=BLEU_RANGE,
        references=(PAPINENI, CHERRY, NLTK, SACREBLEU),
        aliases=("sentence_bleu",),
    ),
    _of_corpus(
        "CorpusBLEU",
        "overlap.bleu:corpus_bleu",
        "Precision of n-grams that responses share with their references, counted over all items",
        "overlap:BLEUParameters",
        range=BLEU_RANGE,
        references=(PAPINENI, CHERRY, NLTK, SACREBLEU),
        parameter_aliases=(ParameterAlias("sacrebleu", {"definition": "sacrebleu"}),),
    ),
    _prepared(
        "GLEU",
        "overlap.gleu:score",
        "Smaller of n-gram precision and recall, mean over items",
        "overlap:GLEUParameters",
        references=(WU, NLTK),
        aliases=("sentence_gleu",),
    ),
    _of_corpus(
        "CorpusGLEU",
        "overlap.gleu:corpus_gleu",
        "Smaller of n-gram precision and recall, counted over all items",
        "overlap:GLEUParameters",
        references=(WU, NLTK),
        aliases=("google_bleu",),
    ),
    _of_items(
        "ChrF",
        "overlap.chrf:score",
        "F-score of n-grams of characters, and of words for chrF++, mean over items",
        "overlap:ChrFParameters",
        references=(*POPOVIC, SACREBLEU),
        aliases=("sentence_chrf",),
        parameter_aliases=(ParameterAlias("chrf++", {"word_order": 2}),),
    ),
    _of_corpus(
        "CorpusChrF",
        "overlap.chrf:corpus_chrf",
        "F-score of n-grams of characters, and of words for chrF++, counted over all items",
        "overlap:ChrFParameters",
        references=(*POPOVIC, SACREBLEU),
    ),
    _prepared(
        "METEOR",
        "overlap.meteor:score",
        "Words aligned with the best reference by form, stem or synonym, in few chunks",
        "overlap:METEORParameters",
        references=(LAVIE, NLTK),
        resources=("wordnet",),
    ),
)

ANSWERS = (
    _prepared(
        "ExactMatch",
        "answers.matching:exact_match",
        "Equality of a response with one of its references",
        "answers:ExactMatchParameters",
        references=(SQUAD, SQUAD_2, SQUAD_SCRIPTS),
        aliases=("exact_match_accuracy",),
        requires=("response",),
        uses=("references",),
    ),
    _prepared(
        "TokenF1",
        "answers.token_f1:score",
        "Words that a response shares with its best reference, as in SQuAD",
        "answers:TokenF1Parameters",
        references=(SQUAD, SQUAD_2, SQUAD_SCRIPTS),
        aliases=("squad_f1",),
        requires=("response",),
        uses=("references",),
    ),
    _of_items(
        "Contains",
        "answers.matching:contains",
        "Occurrence of any, or all, of the given texts in a response",
        "answers:ContainsParameters",
        references=(PYTHON_IN,),
        requires=("response",),
        uses=("references",),
        version=2,
    ),
    _of_items(
        "Regex",
        "answers.matching:regex",
        "Match of a response by any, or all, of the given regular expressions",
        "answers:RegexParameters",
        references=(PYTHON_RE,),
        requires=("response",),
        uses=("references",),
    ),
    _of_items(
        "NumericMatch",
        "answers.numeric_match:score",
        "Equality of the number in a response with that of a reference, within a tolerance",
        "answers:NumericMatchParameters",
        references=(COBBE, PEP_485),
        version=2,
    ),
    _of_items(
        "JSONMatch",
        "answers.json_match:json_match",
        "Equality of a JSON response with a reference, and F1 of its fields",
        "answers:JSONMatchParameters",
        references=(JSON,),
        version=2,
    ),
    _of_items(
        "JSONValid",
        "answers.json_match:json_valid",
        "Validity of a response as JSON",
        "answers:JSONValidParameters",
        references=(JSON,),
        requires=("response",),
    ),
    _of_items(
        "JSONSchema",
        "answers.json_match:json_schema",
        "Validity of a JSON response against a schema",
        "answers:JSONSchemaParameters",
        references=(JSON, JSON_SCHEMA),
        requires=("response",),
        extra="schema",
    ),
    _of_items(
        "ChoiceMatch",
        "answers.choice_match:score",
        "Equality of the letter that a response chooses with that of a reference",
        "answers:ChoiceMatchParameters",
        references=(HENDRYCKS,),
        aliases=("multiple_choice",),
    ),
    _of_items(
        "PassAtK",
        "answers.pass_at_k:score",
        "Probability that one, or all, of k recorded attempts at an item pass",
        "answers:PassAtKParameters",
        references=(CHEN, YAO),
        aliases=("code_eval",),
        requires=("outcomes",),
    ),
    _of_corpus(
        "JSONFields",
        "answers.json_match:JSONFields",
        "F1 of each field of JSON references",
        "answers:JSONMatchParameters",
        references=(JSON,),
        version=2,
    ),
)


EXAMPLES = (
    MetricSpec(
        name="text.Examples",
        task="text",
        summary="Worst items by a metric, with their texts",
        parameters="valor_text.parameters.gallery:ExamplesParameters",
        implementation="valor_text.metrics.answers.examples:Examples",
        higher_is_better=None,
        range=Range(),
        references=(LITE,),
        uses=("response", "references"),
    ),
)


EDITS = (
    _corpus_errors(
        "WER",
        "edits.error_rates:corpus_wer",
        "Word error rate of all items together: edits per word of the references",
        "edits:WordRateParameters",
        references=(LEVENSHTEIN, JIWER),
        aliases=("word_error_rate",),
    ),
    _corpus_errors(
        "CER",
        "edits.error_rates:corpus_cer",
        "Character error rate of all items together",
        "edits:CharacterRateParameters",
        references=(LEVENSHTEIN, JIWER),
        aliases=("character_error_rate", "char_error_rate"),
    ),
    _corpus_errors(
        "MER",
        "edits.error_rates:corpus_mer",
        "Match error rate of all items together: edits among hits and edits",
        "edits:WordRateParameters",
        range=SHARE,
        references=(MORRIS, JIWER),
        aliases=("match_error_rate",),
    ),
    _corpus_errors(
        "WIL",
        "edits.error_rates:corpus_wil",
        "Word information lost of all items together",
        "edits:WordRateParameters",
        range=SHARE,
        references=(MORRIS, JIWER),
        aliases=("word_information_lost",),
    ),
    _item_errors(
        "MeanWER",
        "edits.error_rates:mean_wer",
        "Mean of the items' word error rates",
        "edits:WordRateParameters",
        references=(LEVENSHTEIN, JIWER),
    ),
    _item_errors(
        "MeanCER",
        "edits.error_rates:mean_cer",
        "Mean of the items' character error rates",
        "edits:CharacterRateParameters",
        references=(LEVENSHTEIN, JIWER),
    ),
    _item_errors(
        "MeanMER",
        "edits.error_rates:mean_mer",
        "Mean of the items' match error rates",
        "edits:WordRateParameters",
        range=SHARE,
        references=(MORRIS, JIWER),
    ),
    _item_errors(
        "MeanWIL",
        "edits.error_rates:mean_wil",
        "Mean of the items' word information lost",
        "edits:WordRateParameters",
        range=SHARE,
        references=(MORRIS, JIWER),
    ),
    _corpus_errors(
        "WordErrors",
        "edits.error_rates:WordErrors",
        "Numbers of substituted, deleted and inserted words, and the worst items word by word",
        "edits:WordErrorsParameters",
        higher_is_better=None,
        references=(LEVENSHTEIN, JIWER),
    ),
    _item_errors(
        "EditDistance",
        "edits.edit_distance:score",
        "Levenshtein distance of a response to its nearest reference, in characters or words",
        "edits:EditDistanceParameters",
        references=(LEVENSHTEIN, RAPIDFUZZ),
        aliases=("levenshtein", "levenshtein_distance"),
    ),
    _item_errors(
        "TER",
        "edits.ter:score",
        "Mean of the items' translation edit rates: edits and shifts per word",
        "edits:TERParameters",
        references=(SNOVER, SACREBLEU_TER),
        aliases=("translation_edit_rate",),
    ),
    _corpus_errors(
        "CorpusTER",
        "edits.ter:corpus_ter",
        "Translation edit rate of all items together",
        "edits:TERParameters",
        references=(SNOVER, SACREBLEU_TER),
        aliases=("corpus_translation_edit_rate",),
    ),
)


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return OVERLAP + EDITS + ANSWERS + EXAMPLES


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the reader of plain text files."""
    return (
        _of_items.reader(
            "lines",
            "Plain text files with a response and its references in each line",
            detect=None,
        ),
    )


@hookimpl
def valor_galleries() -> tuple[GallerySpec, ...]:
    """Declare the gallery of texts."""
    return (
        GallerySpec(
            name="text.Gallery",
            task="text",
            summary="Response and reference side by side, with their differences marked",
            parameters="valor_text.parameters.gallery:GalleryParameters",
            implementation="valor_text.gallery.texts:TextGallery",
            extra="gallery",
        ),
    )


@hookimpl
def valor_resources() -> tuple[ResourceSpec, ...]:
    """Declare the resources."""
    return (
        ResourceSpec(
            name="text.wordnet",
            summary="Synonyms of English words, from nltk's data on this machine",
            parameters="valor_text.parameters.overlap:WordNetParameters",
            implementation="valor_text.metrics.overlap.meteor:WordNet",
            identity=(),
        ),
    )


@hookimpl
def valor_kernels() -> str:
    """Return the import string of the compiled kernels."""
    return "valor_text.kernels:KERNELS"
