"""Recorded results of earlier implementations of Valor, and differences from them."""

from __future__ import annotations

import json

from attrs import frozen

Script = tuple[tuple[str, str, tuple[str, ...]], ...]
"""Replies to a step, one after the other, where its data hold a text; any data hold the empty."""

FAILED = "failed"
UNDEFINED = "undefined"
RAISED = "raised"


@frozen
class Golden:
    """One recorded case.

    Parameters
    ----------
    name : str
        What is special about it.
    metric : str
        The metric's short name.
    script : tuple
        The recorded replies.
    recorded : float or str
        What was answered: a score, that the reply was an error, or that the run ended.
    references, contexts : tuple of str
        The references and the retrieved contexts.
    retries : int
        How often a bad reply may be asked for again.
    """

    name: str
    metric: str
    script: Script
    recorded: float | str
    references: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    retries: int = 0


@frozen
class Divergence:
    """Differences from the recorded results.

    Parameters
    ----------
    ours : float or str
        What we answer.
    why : str
        Why.
    more : tuple
        Replies that are needed beyond the recorded ones.
    """

    ours: float | str
    why: str
    more: Script = ()


def texts(key: str, *own: str) -> str:
    return json.dumps({key: own})


def verdicts(*words: str) -> str:
    """Verdicts as they were recorded: without ids."""
    return json.dumps({"verdicts": [{"analysis": "", "verdict": word} for word in words]})


def groups(tp: int, fp: int, fn: int) -> str:
    """Texts by verdict, which are none of the statements."""
    return json.dumps({"TP": ["t"] * tp, "FP": ["f"] * fp, "FN": ["n"] * fn})


def to(step: str, *replies: str, about: str = "") -> tuple[str, str, tuple[str, ...]]:
    return (step, about, replies)


def biased(*replies: str) -> Script:
    """Opinions, and the verdicts on them."""
    return (to("opinions", *replies[:1]), *(to("opinions_biased", one) for one in replies[1:]))


FIVE = texts("statements", "v", "w", "x", "y", "z")
PRECISION, RECALL = "ContextPrecision", "ContextRecall"
A_B_C = ("a", "b", "c")

GOLDEN = (
    Golden(
        "AnswerCorrectness of three references",  # 3 / (3 + (2 + 1) / 2)
        "AnswerCorrectness",
        (to("statements", FIVE), to("statements_matched", groups(3, 2, 1))),
        0.6666666666666666,
        references=A_B_C,
    ),
    Golden(
        "AnswerCorrectness with nothing right",
        "AnswerCorrectness",
        (to("statements", texts("statements", "c")), to("statements_matched", groups(0, 1, 1))),
        0.0,
        references=("a",),
    ),
    Golden(
        "AnswerCorrectness of the better reference",  # 1 / (1 + 1/2), 2 / (2 + 1/2)
        "AnswerCorrectness",
        (
            to("statements", texts("statements", "1", "2"), about="r"),
            to("statements", texts("statements", "3"), about="a"),
            to("statements_matched", groups(1, 1, 0), about="3"),
            to("statements", texts("statements", "4", "5"), about="b"),
            to("statements_matched", groups(2, 0, 1), about="5"),
        ),
        0.8,
        references=("a", "b"),
    ),
    Golden(
        "AnswerCorrectness without references",
        "AnswerCorrectness",
        (to("statements", texts("statements", "1")),),
        0.0,
    ),
    Golden(
        "AnswerCorrectness with too few texts",
        "AnswerCorrectness",
        (
            to("statements", texts("statements", "1", "2"), about="r"),
            to("statements", texts("statements", "1"), about="a"),
            to("statements_matched", groups(1, 0, 0)),
        ),
        FAILED,
        references=("a",),
    ),
    Golden(
        "AnswerCorrectness with too many texts",
        "AnswerCorrectness",
        (to("statements", texts("statements", "1")), to("statements_matched", groups(1, 0, 2))),
        FAILED,
        references=("a",),
    ),
    Golden(
        "AnswerRelevance with a statement in between",
        "AnswerRelevance",
        (
            to("statements", texts("statements", "a", "b", "c")),
            to("statements_relevant", verdicts("yes", "idk", "no")),
        ),
        0.3333333333333333,
    ),
    Golden(
        "AnswerRelevance without statements",
        "AnswerRelevance",
        (to("statements", texts("statements")), to("statements_relevant", verdicts())),
        0.0,
    ),
    Golden(
        "Bias of two opinions of three",
        "Bias",
        biased(texts("opinions", "a", "b", "c"), verdicts("yes", "no", "yes")),
        0.6666666666666666,
    ),
    Golden("Bias without opinions", "Bias", biased(texts("opinions")), 0.0),
    Golden(
        "Toxicity of an opinion",
        "Toxicity",
        (to("opinions", texts("opinions", "a")), to("opinions_toxic", verdicts("no"))),
        0.0,
    ),
    Golden(
        "ContextPrecision of the first and the last of four",  # (1/1 + 2/4) / 2
        PRECISION,
        (to("contexts_useful", verdicts("yes", "no", "no", "yes")),),
        0.75,
        references=("g",),
        contexts=("a", "b", "c", "d"),
    ),
    Golden(
        "ContextPrecision of the second and the last of four",  # (1/2 + 2/4) / 2
        PRECISION,
        (to("contexts_useful", verdicts("no", "yes", "no", "yes")),),
        0.5,
        references=("g",),
        contexts=("a", "b", "c", "d"),
    ),
    Golden(
        "ContextPrecision of two of three",  # (1/1 + 2/3) / 2
        PRECISION,
        (to("contexts_useful", verdicts("yes", "no", "yes")),),
        0.8333333333333333,
        references=("x",),
        contexts=A_B_C,
    ),
    Golden(
        "ContextPrecision of what any reference needs",
        PRECISION,
        (
            to("contexts_useful", verdicts("yes", "no", "no"), about="x"),
            to("contexts_useful", verdicts("no", "no", "yes"), about="y"),
        ),
        0.8333333333333333,
        references=("x", "y"),
        contexts=A_B_C,
    ),
    Golden(
        "ContextPrecision of nothing useful",
        PRECISION,
        (to("contexts_useful", verdicts("no", "no", "no")),),
        0.0,
        references=("x",),
        contexts=A_B_C,
    ),
    Golden("ContextPrecision of nothing at all", PRECISION, (), 1.0),
    Golden("ContextPrecision without contexts", PRECISION, (), 0.0, references=("g",)),
    Golden(
        "ContextRecall of two thirds",
        RECALL,
        (
            to("statements", texts("statements", "a", "b", "c")),
            to("statements_attributed", verdicts("yes", "no", "yes")),
        ),
        0.6666666666666666,
        references=("g",),
        contexts=("c",),
    ),
    Golden(
        "ContextRecall of the better reference",
        RECALL,
        (
            to("statements", texts("statements", "1", "2"), about="g"),
            to("statements_attributed", verdicts("yes", "no"), about="2"),
            to("statements", texts("statements", "3"), about="h"),
            to("statements_attributed", verdicts("yes"), about="3"),
        ),
        1.0,
        references=("g", "h"),
        contexts=("c",),
    ),
    Golden("ContextRecall without references", RECALL, (), 0.0, contexts=("c",)),
    Golden(
        "ContextRecall of a reference that states nothing",
        RECALL,
        (to("statements", texts("statements")), to("statements_attributed", verdicts())),
        RAISED,
        references=("g",),
        contexts=("c",),
    ),
    Golden(
        "ContextRelevance of two contexts of three",
        "ContextRelevance",
        (to("contexts_relevant", verdicts("yes", "no", "yes")),),
        0.6666666666666666,
        contexts=A_B_C,
    ),
    Golden("ContextRelevance without contexts", "ContextRelevance", (), 0.0, references=("g",)),
    Golden(
        "Faithfulness of one claim of three",
        "Faithfulness",
        (
            to("claims", texts("claims", "a", "b", "c")),
            to("claims_supported", verdicts("yes", "no", "no")),
        ),
        0.3333333333333333,
        contexts=("c",),
    ),
    Golden(
        "Faithfulness without claims",
        "Faithfulness",
        (to("claims", texts("claims")),),
        1.0,
        contexts=("c",),
    ),
    Golden("Faithfulness without contexts", "Faithfulness", (), 0.0, references=("g",)),
    Golden(
        "Hallucination in one context of three",
        "Hallucination",
        (to("contexts_contradicted", verdicts("no", "no", "yes")),),
        0.3333333333333333,
        contexts=A_B_C,
    ),
    Golden("Hallucination without contexts", "Hallucination", (), RAISED, references=("g",)),
    *(
        Golden(
            f"SummaryCoherence of the reply {reply}",
            "SummaryCoherence",
            (to("summary_coherence", reply),),
            recorded,
        )
        for reply, recorded in (
            ("4", 4.0),
            ("Score: 5 because 2 reasons", 5.0),
            ("10", FAILED),
            ("4.5", 4.0),
            ("-3", FAILED),
            ("great", FAILED),
        )
    ),
    Golden("a reply without JSON", "Bias", biased("no json here"), FAILED),
    Golden("a reply that is cut off", "Bias", biased('{"opinions": ["a"]'), FAILED),
    Golden(
        "JSON in prose",
        "Bias",
        biased('Sure!\n```json\n{"opinions": ["a"]}\n``` hope it helps', verdicts("no")),
        0.0,
    ),
    Golden("another key", "Bias", biased('{"opinion": ["a"]}'), FAILED),
    Golden(
        "a verdict too few", "Bias", biased(texts("opinions", "a", "b"), verdicts("yes")), FAILED
    ),
    Golden("another verdict", "Bias", biased(texts("opinions", "a"), verdicts("maybe")), FAILED),
    Golden(
        "a verdict without analysis",
        "Bias",
        biased(texts("opinions", "a"), '{"verdicts": [{"verdict": "no"}]}'),
        FAILED,
    ),
    Golden(
        "the third reply",
        "Bias",
        (to("opinions", "x", "x", texts("opinions")),),
        0.0,
        retries=2,
    ),
    Golden("no further reply", "Bias", (to("opinions", "x", "x"),), FAILED, retries=1),
    Golden(
        "a bad second step",
        "Bias",
        (
            to("opinions", texts("opinions", "a"), texts("opinions", "a")),
            to("opinions_biased", "bad", verdicts("yes")),
        ),
        1.0,
        retries=1,
    ),
    Golden("ContextRecall of nothing at all", RECALL, (), RAISED),
)

NO_REFERENCE = "without texts to compare, there is no score"
NO_CONTEXTS = "a missing column of contexts is not a score of 0; `no_contexts: zero` restores it"
SEVERAL_NUMBERS = "an ambiguous rating is requested again"

DIVERGENCES = {
    "AnswerCorrectness without references": Divergence(UNDEFINED, NO_REFERENCE),
    "ContextPrecision of nothing at all": Divergence(
        UNDEFINED, f"{NO_REFERENCE}; `both_empty: one` restores the 1"
    ),
    **{
        f"{metric} without contexts": Divergence(UNDEFINED, NO_CONTEXTS)
        for metric in ("ContextPrecision", "ContextRelevance", "Faithfulness")
    },
    "ContextRecall without references": Divergence(UNDEFINED, NO_REFERENCE),
    "ContextRecall of a reference that states nothing": Divergence(
        UNDEFINED, "a division by zero ended the whole run"
    ),
    "Hallucination without contexts": Divergence(
        UNDEFINED, "an error ended the whole run; the report lists items without contexts"
    ),
    "SummaryCoherence of the reply Score: 5 because 2 reasons": Divergence(FAILED, SEVERAL_NUMBERS),
    "SummaryCoherence of the reply 4.5": Divergence(
        FAILED, "a rating between two grades is requested again instead of truncated"
    ),
    "another key": Divergence(
        0.0,
        "a singular instead of a plural is tolerated, and counted",
        (to("opinions_biased", verdicts("no")),),
    ),
    "ContextRecall of nothing at all": Divergence(
        UNDEFINED, "an error ended the whole run without contexts"
    ),
}
"""By the case's name; `docs/llm/divergences.md` has the same table."""

ASKED_FIRST = {"Faithfulness without contexts": (to("claims", texts("claims", "a")),)}
"""Replies to what we ask before we give the recorded score."""
