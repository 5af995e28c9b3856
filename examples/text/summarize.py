"""Summarize the articles by two of their sentences each, and write the summaries.

The first sentence of an article is taken, and the one whose long words are most frequent in it. The
file beside this script was made by it: ``python summarize.py``.
"""

import json
import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent


def summary(article: str) -> str:
    """The first sentence, and the one of the others that says most of what is said often."""
    sentences = re.split(r"(?<=[.!?]) ", article)
    frequency = Counter(long_words(article))

    def weight(sentence: str) -> float:
        own = long_words(sentence)
        return sum(frequency[word] for word in own) / max(len(own), 1)

    return " ".join([sentences[0], max(sentences[1:], key=weight)])


def long_words(text: str) -> list[str]:
    """The words of more than three letters, which are seldom in every text."""
    return re.findall(r"\w{4,}", text.lower())


def main() -> None:
    lines = (HERE / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    with (HERE / "summaries.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for article in map(json.loads, lines):
            row = {
                "uid": article["uid"],
                "topic": article["topic"],
                "query": article["query"],
                "response": summary(article["query"]),
                "references": article["references"],
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
