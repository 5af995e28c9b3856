"""Text benchmark: Valor side by side with the programs that define its metrics.

    python benchmarks/text.py --tasks rouge wer --cases short

Every implementation gets the same texts and a process of its own for each task and case. The
processes take turns, so that other work on the machine troubles all of them alike. Nobody warms
up: the call is the first one after imports. The whole process, timed from outside, reads a file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from text_data import CASES, file_of
from turns import (
    TITLES,
    Program,
    answer,
    call_and_process,
    head_of,
    installed,
    line_of,
    take_turns,
    versions,
)

Values = dict[str, NDArray[Any]]
Run = Callable[[list[str], list[str]], Values]

ROUGE_TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]

METRICS: Mapping[str, Any] = {
    "rouge": "ROUGE",
    "rouge_stem": {"name": "ROUGE", "use_stemmer": True},
    "bleu": "BLEU",
    "corpus_bleu": "CorpusBLEU",
    "sacre_bleu": {"name": "CorpusBLEU", "definition": "sacrebleu"},
    "chrf": "ChrF",
    "corpus_chrf": "CorpusChrF",
    "ter": "TER",
    "wer": {"name": "WER", "tokeniser": "jiwer"},
    "token_f1": "TokenF1",
}
"""What each task asks Valor for."""

PEERS: Mapping[str, tuple[str, ...]] = {
    "rouge": ("rouge-score", "rouge-score-rs", "torchmetrics"),
    "rouge_stem": ("rouge-score", "rouge-score-rs"),
    "bleu": ("nltk",),
    "corpus_bleu": ("nltk", "torchmetrics"),
    "sacre_bleu": ("sacrebleu", "torchmetrics"),
    "chrf": ("sacrebleu",),
    "corpus_chrf": ("sacrebleu", "torchmetrics"),
    "ter": ("sacrebleu",),
    "wer": ("jiwer", "rapidfuzz", "torchmetrics"),
    "token_f1": ("squad", "torchmetrics"),
}
DISTRIBUTIONS = (
    *("valor-text", "rouge-score", "rouge-score-rs", "nltk", "sacrebleu", "jiwer"),
    *("rapidfuzz", "torchmetrics"),
)
TOLERANCES = {"torchmetrics": 1e-4, "rouge-score-rs": 1e-9}
"""Greatest difference from Valor's numbers; torchmetrics works in float32. The others': 1e-12."""

LIMITS = {
    ("rouge", "long"): 60,
    ("rouge_stem", "long"): 60,
    ("ter", "short"): 200,
    ("ter", "long"): 2,
}
"""Pairs that a slow task is measured on, by everybody."""


# ---- Valor


def valor_run(task: str) -> Callable[[list[str], list[str]], Any]:
    from valor_core import evaluate
    from valor_core.schemas import Datums
    from valor_core.schemas.text import TextBatch

    def run(responses: list[str], references: list[str]) -> Any:
        count = len(responses)
        nothing: list[Any] = [None] * count
        contexts: list[Any] = [()] * count
        batch = TextBatch(
            Datums(np.arange(count)),
            nothing,
            responses,
            [(text,) for text in references],
            contexts,
            contexts,
        )
        return evaluate(batch, [METRICS[task]])

    return run


def valor_whole(task: str, path: Path) -> None:
    from valor_core import evaluate

    report = evaluate({"reader": "jsonl", "path": path}, [METRICS[task]], task="text")
    print(report.results[0].value)


def valor_values(task: str, report: Any) -> Values:
    value = report.results[0].value
    if isinstance(value, Mapping):
        return {name: np.array(number) for name, number in value.items()}
    return {"value": np.array(value)}


# ---- peers: each imports what it needs when it is asked


def rouge_score(task: str) -> Run:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(ROUGE_TYPES, use_stemmer=task == "rouge_stem")

    def run(responses: list[str], references: list[str]) -> Values:
        pairs = zip(references, responses, strict=True)
        found = [scorer.score(reference, response) for reference, response in pairs]
        return {name: np.mean([one[name].fmeasure for one in found]) for name in ROUGE_TYPES}

    return run


def rouge_score_rs(task: str) -> Run:
    from rouge_score_rs import RougeScorer

    scorer = RougeScorer(ROUGE_TYPES, use_stemmer=task == "rouge_stem")

    def run(responses: list[str], references: list[str]) -> Values:
        pairs = zip(references, responses, strict=True)
        found = [scorer.score(reference, response) for reference, response in pairs]
        return {name: np.mean([one[name].fmeasure for one in found]) for name in ROUGE_TYPES}

    return run


def nltk(task: str) -> Run:
    import re

    from nltk.translate.bleu_score import corpus_bleu, sentence_bleu

    # The tokens that Valor's documentation has.
    words = re.compile(r"\w+|\$[\d]+|[^\s\.]+").findall

    def run(responses: list[str], references: list[str]) -> Values:
        said, wanted = list(map(words, responses)), [[words(text)] for text in references]
        if task == "corpus_bleu":
            return {"value": np.array(corpus_bleu(wanted, said))}
        scores = [sentence_bleu(one, other) for one, other in zip(wanted, said, strict=True)]
        return {"value": np.mean([score if score >= 1e-9 else 0.0 for score in scores])}

    return run


def sacrebleu(task: str) -> Run:
    import sacrebleu as program

    def run(responses: list[str], references: list[str]) -> Values:
        if task == "sacre_bleu":
            return {"value": np.array(program.corpus_bleu(responses, [references]).score / 100)}
        if task == "corpus_chrf":
            return {"value": np.array(program.corpus_chrf(responses, [references]).score / 100)}
        metric = program.CHRF() if task == "chrf" else program.TER()
        pairs = zip(responses, references, strict=True)
        return {"value": np.mean([metric.sentence_score(a, [b]).score / 100 for a, b in pairs])}

    return run


def jiwer(task: str) -> Run:
    import jiwer as program

    def run(responses: list[str], references: list[str]) -> Values:
        return {"value": np.array(program.wer(references, responses))}

    return run


def rapidfuzz(task: str) -> Run:
    """Its edit distance alone, over words as jiwer cuts them."""
    import re

    from rapidfuzz.distance import Levenshtein

    def words(text: str) -> list[str]:
        return re.sub(r"\s\s+", " ", text).strip().split(" ")

    def run(responses: list[str], references: list[str]) -> Values:
        edits = total = 0
        for response, reference in zip(responses, references, strict=True):
            wanted = words(reference)
            edits += Levenshtein.distance(words(response), wanted)
            total += len(wanted)
        return {"value": np.array(edits / total)}

    return run


def squad(task: str) -> Run:
    # The definition that SQuAD's script has, and that Hugging Face evaluate calls.
    import re
    import string
    from collections import Counter

    def words(text: str) -> list[str]:
        text = "".join(one for one in text.lower() if one not in set(string.punctuation))
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    def f1(response: str, reference: str) -> float:
        said, wanted = words(response), words(reference)
        common = (Counter(said) & Counter(wanted)).total()
        if not common:
            return 0.0
        precision, recall = common / len(said), common / len(wanted)
        return 2 * precision * recall / (precision + recall)

    def run(responses: list[str], references: list[str]) -> Values:
        return {"value": np.mean(list(map(f1, responses, references)))}

    return run


def torchmetrics(task: str) -> Run:
    from torchmetrics.functional import text as program

    def run(responses: list[str], references: list[str]) -> Values:
        several = [[text] for text in references]
        if task == "rouge":
            # Its sum over lines needs nltk's data; the other three are measured.
            keys = ("rouge1", "rouge2", "rougeL")
            found = program.rouge.rouge_score(responses, references, rouge_keys=keys)
            return {key: np.array(float(found[f"{key}_fmeasure"])) for key in keys}
        if task == "token_f1":
            found = program.squad(
                [{"prediction_text": text, "id": str(i)} for i, text in enumerate(responses)],
                [
                    {"answers": {"answer_start": [0], "text": [text]}, "id": str(i)}
                    for i, text in enumerate(references)
                ],
            )
            return {"value": np.array(float(found["f1"]) / 100)}
        found = {
            "corpus_bleu": lambda: program.bleu_score(responses, several),
            "sacre_bleu": lambda: program.sacre_bleu_score(responses, several),
            "corpus_chrf": lambda: program.chrf_score(responses, several, n_word_order=0),
            "wer": lambda: program.word_error_rate(responses, references),
        }[task]()
        # It cuts texts at any white space: other numbers than those of nltk's and jiwer's words.
        is_other = task in ("corpus_bleu", "wer")
        return {} if is_other else {"value": np.array(float(found))}

    return run


RUNS: Mapping[str, Callable[[str], Any]] = {
    "valor": valor_run,
    "rouge-score": rouge_score,
    "rouge-score-rs": rouge_score_rs,
    "nltk": nltk,
    "sacrebleu": sacrebleu,
    "jiwer": jiwer,
    "rapidfuzz": rapidfuzz,
    "squad": squad,
    "torchmetrics": torchmetrics,
}


def is_there(name: str) -> bool:
    """Whether an implementation can run here; SQuAD's is written above."""
    return name == "squad" or installed(name)


# ---- processes


def read(path: Path, most: int | None = None) -> tuple[list[str], list[str]]:
    """Responses and references of a file, as everybody reads JSON Lines."""
    with path.open(encoding="utf-8") as stream:
        items = [json.loads(line) for _, line in zip(range(most or 10**9), stream, strict=False)]
    return [item["response"] for item in items], [item["references"] for item in items]


def serve(name: str, task: str, path: Path, folder: Path) -> None:
    """Answer as a `Program`: the call, from lists of texts."""

    def save(found: Any) -> None:
        values = valor_values(task, found) if name.startswith("valor") else found
        np.savez(folder / f"{name}.npz", **values)

    answer(lambda: partial(RUNS[name](task), *read(path)), save)


def whole(name: str, task: str, path: Path) -> None:
    """Answer as a `Program`: the whole work of a process, imports, the file, the number."""

    def work() -> None:
        if name.startswith("valor"):
            valor_whole(task, path)
        else:
            print(RUNS[name](task)(*read(path)))

    answer(lambda: work, lambda _: None)


# ---- tables

HEADER = ("case", "", *TITLES, "CPU of the call, s", "extra MB", "difference")


def measured(task: str, case: str, folder: Path, repeat: int, patience: float) -> Iterator[str]:
    """The rows of a task and case."""
    path = file_of(case, folder)
    most = LIMITS.get((task, case))
    if most:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)[:most]
        path = folder / f"text_{case}_{most}.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
    names = ["valor", *(name for name in PEERS[task] if is_there(name))]
    calls = [
        Program(name, [__file__, "--serve", name, task, str(path), str(folder)]) for name in names
    ]
    wholes = [Program(name, [__file__, "--whole", name, task, str(path)]) for name in names]
    take_turns([*calls, *wholes], repeat, patience)
    for own, whole in zip(calls, wholes, strict=True):
        for answered, process in zip(own.answers, whole.all_of("process"), strict=False):
            answered["process"] = process
    expected = np.load(folder / "valor.npz")
    count = f"{case}, {most:,} pairs" if most else f"{case}, {CASES[case][0]:,} pairs"
    for own in calls:
        found = np.load(folder / f"{own.name}.npz")
        cells = [count, own.name, *call_and_process(own, calls[0]), f"{own.middle('cpu'):.4f}"]
        cells.append(f"{own.middle('extra') / 1e6:.0f}")
        cells.append(difference(own.name, expected, found))
        yield line_of(cells)


def difference(name: str, expected: Any, found: Any) -> str:
    """The greatest difference from Valor's numbers, or in words that they are others."""
    both = set(expected.files) & set(found.files)
    if not both:
        return "other tokens"
    most = max(float(np.max(np.abs(expected[key] - found[key]))) for key in both)
    return f"{most:.1g}" if most <= TOLERANCES.get(name, 1e-12) else f"DIFFERENT by {most:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", choices=METRICS, default=list(METRICS))
    parser.add_argument("--cases", nargs="+", choices=CASES, default=["short", "long"])
    parser.add_argument("--repeat", type=int, default=5, help="turns of every implementation")
    parser.add_argument(
        "--patience", type=float, default=20.0, help="seconds after which one gets no more turns"
    )
    parser.add_argument("--data", type=Path, help="folder where texts are kept")
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--whole", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        name, task, path, folder = chosen.serve
        serve(name, task, Path(path), Path(folder))
        return
    if chosen.whole:
        name, task, path = chosen.whole
        whole(name, task, Path(path))
        return
    print(versions(DISTRIBUTIONS), flush=True)
    with tempfile.TemporaryDirectory() as own:
        folder = chosen.data or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        for task in chosen.tasks:
            print(f"\n{task}\n\n{head_of(HEADER)}", flush=True)
            for case in chosen.cases:
                for row in measured(task, case, folder, chosen.repeat, chosen.patience):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
