"""Answer the prompts with a small reader of documents, so that the example needs no model.

For each part of a question it repeats the document that shares most words with it, and refuses
where none shares enough. It remembers a few capitals, and contradicts documents that say otherwise.

    valor rgb prompts config.yaml -o prompts.jsonl
    python answer.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parent
ENOUGH = 0.5
PASSED_OVER = frozenset({"who", "what", "which", "the", "in", "is", "was", "of", "and", "a"})
MEMORY = {"norway": "Oslo", "canada": "Ottawa", "turkey": "Ankara", "vietnam": "Hanoi"}
REFUSAL = "I can not answer the question because of the insufficient information in documents."
CONTRADICTION = "There are factual errors in the provided documents. The answer should be"


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - PASSED_OVER


def remembered(question: str) -> str | None:
    return next((MEMORY[word] for word in words(question) if word in MEMORY), None)


def from_documents(question: str, documents: list[str]) -> str:
    said = []
    for part in re.split(r", and ", question):
        wanted = words(part)
        shares = [len(wanted & words(text)) / len(wanted) for text in documents]
        best = max(range(len(documents)), key=shares.__getitem__)
        if shares[best] < ENOUGH:
            return REFUSAL
        said.append(documents[best])
    return " ".join(dict.fromkeys(said))


def answer(messages: list[dict[str, str]]) -> str:
    content = messages[-1]["content"]
    documents, _, question = content.rpartition("\n\nQuestion: ")
    known = remembered(question or content)
    if not documents:
        return f"It is {known}." if known else "I do not know."
    found = from_documents(question, documents.removeprefix("Documents:\n").split("\n"))
    if known and found != REFUSAL and known not in found:
        return f"{CONTRADICTION} {known}."
    return found


if __name__ == "__main__":
    prompts = (FOLDER / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in prompts]
    lines = [
        json.dumps({"uid": row["uid"], "response": answer(row["messages"])}) + "\n" for row in rows
    ]
    (FOLDER / "responses.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
