"""Manifest of the LLM-guided family."""

from __future__ import annotations

from attrs import evolve

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (
    CommandSpec,
    GallerySpec,
    MetricFamily,
    MetricSpec,
    Range,
    Reference,
    ResourceKindSpec,
    ResourceSpec,
    hookimpl,
)

SHARE = Range(0, 1)
GRADE = Range(1, 5)
RAGAS = Reference(
    "Es, James, Espinosa-Anke and Schockaert, 'RAGAS: Automated Evaluation of Retrieval Augmented "
    "Generation'",
    "section 3",
    "https://arxiv.org/abs/2309.15217",
)
G_EVAL = Reference(
    "Liu, Iter, Xu, Wang, Xu and Zhu, 'G-Eval: NLG Evaluation using GPT-4 with Better Human "
    "Alignment'",
    "appendix A",
    "https://arxiv.org/abs/2303.16634",
)


def _documented(name: str) -> Reference:
    """The part of Valor's documentation that defines a metric."""
    return Reference("valor-lite, Text Generation Metrics", name)


def _deepeval(name: str) -> Reference:
    return Reference("DeepEval, Metrics", name, f"https://deepeval.com/docs/metrics-{name}")


_judged = MetricFamily(
    "llm",
    "valor_llm",
    ItemMetricSpec,
    task="text",
    higher_is_better=True,
    range=SHARE,
    resources=("judge",),
    summarize="valor_llm.item_details:summarize",
)
"""Metrics that ask the judge about one item each."""


def _client(name: str, cls: str, summary: str) -> ResourceKindSpec:
    """Declare the client of an endpoint. Keys and credentials are not part of its identity."""
    identity = ("base_url", "model", "extra", "routing")
    return ResourceKindSpec(
        name=f"llm.{name}",
        resource="llm.judge",
        summary=summary,
        parameters=f"valor_llm.parameters.clients:{cls}Parameters",
        implementation=f"valor_llm.clients.{name}:{name}_endpoint",
        identity=(*identity, "version") if name == "anthropic" else identity,
    )


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return (
        _judged(
            "AnswerCorrectness",
            "answers:correctness",
            "F1 of the statements that a response shares with its best reference",
            requires=("response", "references"),
            references=(_documented("Answer Correctness"),),
        ),
        _judged(
            "AnswerRelevance",
            "answers:relevance",
            "Share of a response's statements that are relevant to the query",
            requires=("query", "response"),
            parameters="metrics:AnswerRelevanceParameters",
            references=(_documented("Answer Relevance"), _deepeval("answer-relevancy")),
        ),
        _judged(
            "Faithfulness",
            "faithfulness:faithfulness",
            "Share of a response's claims that the contexts support",
            requires=("response",),
            uses=("contexts",),
            version=2,
            parameters="metrics:FaithfulnessParameters",
            references=(_documented("Faithfulness"), RAGAS),
        ),
        _judged(
            "Hallucination",
            "faithfulness:hallucination",
            "Share of contexts that a response contradicts",
            requires=("response", "contexts"),
            higher_is_better=False,
            references=(_documented("Hallucination"), _deepeval("hallucination")),
        ),
        _judged(
            "ContextPrecision",
            "contexts:precision",
            "Mean precision at the ranks of contexts that are useful for a reference",
            requires=("query",),
            uses=("contexts", "references"),
            version=2,
            parameters="metrics:RetrievalParameters",
            references=(_documented("Context Precision"), _deepeval("contextual-precision")),
            aliases=("contextual_precision",),
        ),
        _judged(
            "ContextRecall",
            "contexts:recall",
            "Share of the best reference's statements that the contexts hold",
            requires=(),
            uses=("contexts", "references"),
            version=2,
            parameters="metrics:RetrievalParameters",
            references=(_documented("Context Recall"), _deepeval("contextual-recall")),
            aliases=("contextual_recall",),
        ),
        _judged(
            "ContextRelevance",
            "contexts:relevance",
            "Share of contexts that are relevant to the query",
            parameters="metrics:ContextsParameters",
            requires=("query",),
            uses=("contexts",),
            version=2,
            references=(_documented("Context Relevance"),),
        ),
        _judged(
            "Bias",
            "responses:bias",
            "Share of a response's opinions that are biased",
            requires=("response",),
            higher_is_better=False,
            references=(_documented("Bias"), _deepeval("bias")),
        ),
        _judged(
            "Toxicity",
            "responses:toxicity",
            "Share of a response's opinions that are toxic",
            requires=("response",),
            higher_is_better=False,
            references=(_documented("Toxicity"), _deepeval("toxicity")),
        ),
        _judged(
            "SummaryCoherence",
            "responses:summary_coherence",
            "Rating of a summary's coherence and coverage, given its source as the query",
            requires=("query", "response"),
            range=GRADE,
            references=(_documented("Summary Coherence"), G_EVAL),
        ),
        _judged(
            "Coherence",
            "responses:coherence",
            "Rating of a response's coherence, the text alone",
            requires=("response",),
            range=GRADE,
            references=(
                Reference("Valor, text generation metrics of August 2024", "Coherence"),
                G_EVAL,
            ),
        ),
        _judged(
            "Rubric",
            "rubric:score",
            "Grade by custom criteria, scaled to 0 to 1",
            requires=(),
            uses=("query", "response", "references", "contexts"),
            parameters="metrics:RubricParameters",
            references=(evolve(G_EVAL, section="section 2"),),
            aliases=("GEval",),
        ),
    )


@hookimpl
def valor_resources() -> tuple[ResourceSpec, ...]:
    """Declare the judge."""
    return (
        ResourceSpec(
            name="llm.judge",
            summary="A language model that is asked step by step, with every reply checked",
            parameters="valor_llm.parameters.judge:JudgeParameters",
            implementation="valor_llm.judge.panel:Panel",
            identity=(
                "temperature",
                "seed",
                "reply_tokens",
                "language",
                "prompts",
                "scoring",
                "repeats",
                "combine",
            ),
            divided=("max_calls", "max_tokens", "max_cost"),
            kinds="client",
            several_kinds=True,
        ),
    )


@hookimpl
def valor_resource_kinds() -> tuple[ResourceKindSpec, ...]:
    """Declare the clients of the judge."""
    return (
        _client("openai", "OpenAI", "Any chat endpoint that speaks as OpenAI's does"),
        _client("anthropic", "Anthropic", "Anthropic's endpoint for messages"),
        _client("ollama", "Ollama", "Ollama's own chat endpoint"),
        ResourceKindSpec(
            name="llm.lexical",
            resource="llm.judge",
            summary="Rules over shared words, for trying things out: no language model",
            parameters="valor_llm.parameters.clients:LexicalParameters",
            implementation="valor_llm.clients.lexical:Lexical",
        ),
        ResourceKindSpec(
            name="llm.recorded",
            resource="llm.judge",
            summary="Replays the replies of a file",
            parameters="valor_llm.parameters.clients:RecordedParameters",
            implementation="valor_llm.clients.recorded:Recorded",
        ),
    )


@hookimpl
def valor_commands() -> tuple[CommandSpec, ...]:
    """Declare the commands."""
    return (
        CommandSpec(
            name="llm.judge",
            summary="What a judge costs, and how far it can be trusted.",
            implementation="valor_llm.commands:judge",
        ),
    )


@hookimpl
def valor_galleries() -> tuple[GallerySpec, ...]:
    """Declare the gallery."""
    return (
        GallerySpec(
            name="llm.Verdicts",
            task="text",
            summary="Texts, verdicts and analyses of each judged item",
            parameters="valor_llm.parameters.metrics:VerdictsParameters",
            implementation="valor_llm.gallery.verdicts:VerdictGallery",
            extra="gallery",
        ),
    )
