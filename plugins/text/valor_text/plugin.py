"""Manifest of the text family."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.parameters import NoParameters
from valor_core.spec import MetricSpec, Range, Reference

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
SNOVER = Reference(
    "Snover et al., 'A study of translation edit rate with targeted human annotation', AMTA 2006",
    "section 3",
)
SACREBLEU_TER = Reference("sacrebleu 2.6.0, metrics.TER", url="https://github.com/mjpost/sacrebleu")
JIWER = Reference("jiwer 4.0.0", url="https://pypi.org/project/jiwer/")
RAPIDFUZZ = Reference(
    "rapidfuzz 3.14, distance.Levenshtein", url="https://pypi.org/project/rapidfuzz/"
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
        per_item=True,
        many=True,
        reads=reads,
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
    _of_items(
        "TER",
        "edits.ter:score",
        "Mean of the items' translation edit rates: edits and shifts for each word",
        "edits:TERParameters",
        better=False,
        range=Range(0),
        references=(SNOVER, SACREBLEU_TER),
        aliases=("translation_edit_rate",),
    ),
    _of_corpus(
        "CorpusTER",
        "edits.ter:CorpusTER",
        "Translation edit rate of all items together",
        "edits:TERParameters",
        range=Range(0),
        references=(SNOVER, SACREBLEU_TER),
        aliases=("corpus_translation_edit_rate",),
    ),
)


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return OVERLAP + EDITS


@hookimpl
def valor_kernels() -> str:
    """Where the compiled kernels are."""
    return "valor_text.kernels:KERNELS"
