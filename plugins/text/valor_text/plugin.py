"""Manifest of the text family."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.parameters import NoParameters
from valor_core.spec import GallerySpec, MetricSpec, Range, ReaderSpec, Reference

SHARE = Range(0, 1)
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
JIWER = Reference("jiwer 4.0.0", url="https://pypi.org/project/jiwer/")
RAPIDFUZZ = Reference(
    "rapidfuzz 3.14, distance.Levenshtein", url="https://pypi.org/project/rapidfuzz/"
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
ROUGE_SCORE = Reference("rouge_score 0.1.2", url="https://pypi.org/project/rouge-score/")


def _of_items(
    name: str,
    implementation: str,
    summary: str,
    parameters: str | None,
    *,
    better: bool | None = True,
    range: Range = SHARE,
    references: tuple[Reference, ...],
    aliases: tuple[str, ...] = (),
    reads: tuple[str, ...] = ("response", "references"),
) -> MetricSpec:
    """A metric that scores the items of a batch in one call."""
    return MetricSpec(
        name=f"text.{name}",
        task="text",
        summary=summary,
        parameters=f"valor_text.parameters.{parameters}" if parameters else NoParameters,
        implementation=f"valor_text.metrics.{implementation}",
        higher_is_better=better,
        range=range,
        references=references,
        aliases=aliases,
        reads=reads,
        per_item=True,
        many=True,
    )


OVERLAP = (
    _of_items(
        "ROUGE",
        "overlap.rouge:score",
        "Words and subsequences that a response shares with its best reference",
        "overlap:ROUGEParameters",
        references=(LIN, ROUGE_SCORE),
    ),
)

ANSWERS = (
    _of_items(
        "ExactMatch",
        "answers.exact_match:score",
        "Whether a response is one of its references",
        "answers:ExactMatchParameters",
        references=(SQUAD, SQUAD_2, SQUAD_SCRIPTS),
        aliases=("exact_match_accuracy",),
        reads=("response",),
    ),
    _of_items(
        "TokenF1",
        "answers.token_f1:score",
        "Words that a response shares with its best reference, as SQuAD counts them",
        "answers:TokenF1Parameters",
        references=(SQUAD, SQUAD_2, SQUAD_SCRIPTS),
        aliases=("squad_f1",),
        reads=("response",),
    ),
    _of_items(
        "Contains",
        "answers.contains:score",
        "Whether a response contains any, or all, of some texts",
        "answers:ContainsParameters",
        references=(PYTHON_IN,),
        reads=("response",),
    ),
    _of_items(
        "Regex",
        "answers.regex:score",
        "Whether any, or all, of some regular expressions match a response",
        "answers:RegexParameters",
        references=(PYTHON_RE,),
        reads=("response",),
    ),
    _of_items(
        "NumericMatch",
        "answers.numeric_match:score",
        "Whether the number in a response is that of a reference",
        "answers:NumericMatchParameters",
        references=(COBBE, PEP_485),
    ),
    _of_items(
        "JSONMatch",
        "answers.json_match:score",
        "Whether a response is the JSON value of a reference, and F1 of its fields",
        "answers:JSONMatchParameters",
        references=(JSON,),
    ),
    _of_items(
        "PassAtK",
        "answers.pass_at_k:score",
        "The chance that one, or all, of k recorded attempts at an item pass",
        "answers:PassAtKParameters",
        references=(CHEN, YAO),
        aliases=("code_eval",),
        reads=("outcomes",),
    ),
)


EXAMPLES = (
    MetricSpec(
        name="text.JSONFields",
        task="text",
        summary="F1 of each field of JSON references",
        parameters="valor_text.parameters.answers:JSONMatchParameters",
        implementation="valor_text.metrics.answers.json_fields:JSONFields",
        higher_is_better=True,
        range=SHARE,
        references=(JSON,),
        reads=("response", "references"),
    ),
    MetricSpec(
        name="text.Examples",
        task="text",
        summary="The worst items by some metric, with their texts",
        parameters="valor_text.parameters.answers:ExamplesParameters",
        implementation="valor_text.metrics.answers.examples:Examples",
        higher_is_better=None,
        range=Range(),
        references=(LITE,),
    ),
)


def _of_corpus(
    name: str,
    implementation: str,
    summary: str,
    parameters: str,
    *,
    better: bool | None = False,
    range: Range = SHARE,
    references: tuple[Reference, ...],
    aliases: tuple[str, ...] = (),
) -> MetricSpec:
    """A metric of all items together."""
    return MetricSpec(
        name=f"text.{name}",
        task="text",
        summary=summary,
        parameters=f"valor_text.parameters.{parameters}",
        implementation=f"valor_text.metrics.{implementation}",
        higher_is_better=better,
        range=range,
        references=references,
        aliases=aliases,
        reads=("response", "references"),
    )


EDITS = (
    _of_corpus(
        "WER",
        "edits.corpus_rates:WER",
        "Word error rate of all items together: edits for each word of the references",
        "edits:WordRateParameters",
        range=Range(0),
        references=(LEVENSHTEIN, JIWER),
        aliases=("word_error_rate",),
    ),
    _of_corpus(
        "CER",
        "edits.corpus_rates:CER",
        "Character error rate of all items together",
        "edits:CharacterRateParameters",
        range=Range(0),
        references=(LEVENSHTEIN, JIWER),
        aliases=("character_error_rate", "char_error_rate"),
    ),
    _of_corpus(
        "MER",
        "edits.corpus_rates:MER",
        "Match error rate of all items together: edits among hits and edits",
        "edits:WordRateParameters",
        references=(MORRIS, JIWER),
        aliases=("match_error_rate",),
    ),
    _of_corpus(
        "WIL",
        "edits.corpus_rates:WIL",
        "Word information lost, of all items together",
        "edits:WordRateParameters",
        references=(MORRIS, JIWER),
        aliases=("word_information_lost",),
    ),
    _of_items(
        "MeanWER",
        "edits.item_rates:wer",
        "Mean of the items' word error rates",
        "edits:WordRateParameters",
        better=False,
        range=Range(0),
        references=(LEVENSHTEIN, JIWER),
    ),
    _of_items(
        "MeanCER",
        "edits.item_rates:cer",
        "Mean of the items' character error rates",
        "edits:CharacterRateParameters",
        better=False,
        range=Range(0),
        references=(LEVENSHTEIN, JIWER),
    ),
    _of_items(
        "MeanMER",
        "edits.item_rates:mer",
        "Mean of the items' match error rates",
        "edits:WordRateParameters",
        better=False,
        references=(MORRIS, JIWER),
    ),
    _of_items(
        "MeanWIL",
        "edits.item_rates:wil",
        "Mean of the items' word information lost",
        "edits:WordRateParameters",
        better=False,
        references=(MORRIS, JIWER),
    ),
    _of_corpus(
        "WordErrors",
        "edits.word_errors:WordErrors",
        "Words that were substituted, deleted and inserted, and the worst items word by word",
        "edits:WordErrorsParameters",
        better=None,
        range=Range(0),
        references=(LEVENSHTEIN, JIWER),
    ),
    _of_items(
        "EditDistance",
        "edits.edit_distance:score",
        "Levenshtein's distance of a response from its nearest reference, in characters or words",
        "edits:EditDistanceParameters",
        better=False,
        range=Range(0),
        references=(LEVENSHTEIN, RAPIDFUZZ),
        aliases=("levenshtein", "levenshtein_distance"),
    ),
)


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return OVERLAP + EDITS + ANSWERS + EXAMPLES


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the reader of plain files."""
    return (
        ReaderSpec(
            name="text.lines",
            task="text",
            summary="Plain files with a response and its references in each line",
            parameters="valor_text.parameters.lines:LinesParameters",
            implementation="valor_text.readers.lines:LinesReader",
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
        ),
    )


@hookimpl
def valor_kernels() -> str:
    """Where the compiled kernels are."""
    return "valor_text.kernels:KERNELS"
