"""Write a small data set in the benchmark's shapes; every line of it is made up here.

``python write.py`` writes en.json, en_int.json and en_fact.json beside itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

RACES = [
    # place, event, year, winner, month, winner of the year before
    ("Lindvik", "regatta", 2019, "Ann Holm", "June", "Per Lund"),
    ("Osterby", "marathon", 2021, "Ida Berg", "May", "Sven Dahl"),
    ("Kalmora", "chess open", 2018, "Noa Levin", "March", "Ravi Anand"),
    ("Bramley", "dog show", 2022, "Tess Moore", "August", "Carl Finch"),
    ("Torrevina", "song contest", 2020, "Lia Conti", "July", "Marco Riva"),
    ("Haldane", "book fair prize", 2017, "Grace Muir", "October", "Hugh Baird"),
    ("Vesterhavn", "ski race", 2023, "Jon Aas", "February", "Kari Moe"),
    ("Pinewood", "film award", 2016, "Dana Cole", "November", "Lee Stone"),
    ("Solbakken", "cheese fair", 2015, "Eva Friis", "September", "Nils Juul"),
    ("Ravenna Hill", "kite festival", 2014, "Mia Sato", "April", "Ben Ortiz"),
]
CAPITALS = [
    ("Norway", "Oslo", "Bergen", "fjords"),
    ("Canada", "Ottawa", "Toronto", "lakes"),
    ("Australia", "Canberra", "Sydney", "reefs"),
    ("Turkey", "Ankara", "Istanbul", "bazaars"),
    ("Brazil", "Brasilia", "Salvador", "rivers"),
    ("Morocco", "Rabat", "Casablanca", "deserts"),
    ("Switzerland", "Bern", "Zurich", "mountains"),
    ("Vietnam", "Hanoi", "Hue", "rice fields"),
]


def winners(place: str, event: str, year: int, winner: str) -> list[str]:
    """Documents that say who won."""
    return [
        f"{winner} won the {place} {event} in {year}.",
        f"In {year} {winner} came first at the {place} {event}.",
        f"The jury gave {winner} the first prize of {place} in {year}.",
        f"First place at {place} went to {winner}, who had trained all of {year}.",
        f"{winner} of {place} beat all others.",
    ]


def months(place: str, event: str, year: int, month: str) -> list[str]:
    """Documents that say when it was."""
    return [
        f"The {place} {event} was held in the month of {month}.",
        f"Visitors came to {place} in {month} {year} for the {event}.",
        f"The month of the {event} is {month}.",
    ]


def noise(place: str, event: str, year: int, before: str, near: bool) -> list[str]:
    """Documents without the answer, near to the question or far from it."""
    far = [
        f"Tickets for {place} were cheap.",
        f"{place} is a small town with a harbor and a school.",
        f"Every {event} needs helpers, says {before}.",
        f"The winter of {year} was mild.",
    ]
    if not near:
        return [*far, f"{before} lives by the sea."]
    return [
        f"{before} won the {place} {event} in {year - 1}.",
        f"The {place} {event} of {year} had more visitors than ever.",
        *far[:3],
    ]


def turned(texts: list[str], number: int) -> list[str]:
    """The same documents, beginning with another one."""
    start = number % len(texts)
    return texts[start:] + texts[:start]


def questions() -> Iterable[dict[str, Any]]:
    """One answer, in several spellings."""
    for number, (place, event, year, winner, _, before) in enumerate(RACES):
        first, last = winner.split()
        yield {
            "id": number,
            "query": f"Who won the {place} {event} in {year}?",
            "answer": [[winner, f"{first[0]}. {last}"]],
            "positive": turned(winners(place, event, year, winner), number),
            "negative": turned(noise(place, event, year, before, number % 3 == 0), number),
        }


def joined_questions() -> Iterable[dict[str, Any]]:
    """Two answers, each in documents of its own."""
    for number, (place, event, year, winner, month, before) in enumerate(RACES):
        yield {
            "id": number,
            "query": f"Who won the {place} {event} in {year}, and in which month was the {event}?",
            "answer": [winner, [month, f"{month} {year}"]],
            "answer1": winner,
            "answer2": [month, f"{month} {year}"],
            "positive": [
                winners(place, event, year, winner)[: 2 + number % 3],
                turned(months(place, event, year, month), number)[: 1 + number % 3],
            ],
            "negative": noise(place, event, year, before, number % 3 == 0),
        }


def false_questions() -> Iterable[dict[str, Any]]:
    """An answer that everybody knows, and documents that say something else."""
    for number, (country, capital, other, sight) in enumerate(CAPITALS):
        documents = [
            f"{capital} is the capital of {country}.",
            f"The capital of {country}, {capital}, has a parliament.",
            f"Ministers of {country} work in its capital {capital}.",
            f"{capital} has been the capital of {country} for long.",
            f"Trains to {capital}, the capital of {country}, run every hour.",
        ]
        yield {
            "id": number,
            "query": f"What is the capital of {country}?",
            "answer": capital,
            "fakeanswer": other,
            "positive": documents,
            "positive_wrong": [text.replace(capital, other) for text in documents],
            "negative": [f"{country} has famous {sight}.", f"Many people visit {country}."],
        }


def write(name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Write a file, a question in each line."""
    lines = [json.dumps(row) + "\n" for row in rows]
    (FOLDER / name).write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write("en.json", questions())
    write("en_int.json", joined_questions())
    write("en_fact.json", false_questions())
