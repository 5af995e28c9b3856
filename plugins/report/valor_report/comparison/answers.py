"""Sentences that answer which report is better, and whether that is chance."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from valor_report.comparison.changes import Change
from valor_report.comparison.main_numbers import main_changes, short_names
from valor_report.tables.text_table import Tone


@frozen
class Answer:
    """Sentence with its meaning.

    Parameters
    ----------
    text : str
        The sentence.
    tone : {"", "good", "bad", "faint"}
        Meaning, for outputs with color.
    """

    text: str
    tone: Tone = ""

    def __str__(self) -> str:
        return self.text


def answer_of_two(
    changes: Sequence[Change], names: tuple[str, str], incomparable: Sequence[str]
) -> Answer:
    """Say in how many main numbers the second report is better or worse beyond chance.

    Parameters
    ----------
    changes : sequence of Change
        Numbers in both reports.
    names : (str, str)
        Names of the reports.
    incomparable : sequence of str
        Reasons why the reports are not comparable.

    Examples
    --------
    >>> answer_of_two([], ("a.json", "b.json"), ["data: 10 items, then 12"]).text
    'a and b are not comparable: data: 10 items, then 12.'
    """
    first, second = short_names(names)
    if incomparable:
        return Answer(f"{first} and {second} are not comparable: {incomparable[0]}.", "bad")
    main = main_changes(changes)
    if not main:
        return Answer("The 2 reports have no main number with a direction in common.", "faint")
    of_main = _answer_of_main(main, first, second)
    others = [one for one in changes if not any(one is each for each in main)]
    more = _answer_of_others(others)
    return Answer(f"{of_main.text} {more}".rstrip(), of_main.tone)


def _answer_of_main(main: Sequence[Change], first: str, second: str) -> Answer:
    count = len(main)
    numbers = f"{count:,} main number{'' if count == 1 else 's'}"
    if all(one.verdict == "same" for one in main):
        return Answer(f"{second} has the same {numbers} as {first}.", "faint")
    better, worse = ([one for one in main if one.verdict == way] for way in ("better", "worse"))
    up, down = (sum(one.is_tested for one in way) for way in (better, worse))
    untested = len(better) + len(worse) - up - down
    if not any(one.is_tested for one in main):
        ways = _ways(len(better), len(worse), first, second, numbers)
        sentences = [f"{ways}; no test says whether that is chance." if untested else ""]
    else:
        sentences = [f"{_ways(up, down, first, second, numbers, ' beyond chance')}."]
        if not (up or down):
            end = "." if count == 1 else f": none of {numbers} is clearly better or worse."
            sentences = [f"{second} and {first} may differ by chance alone{end}"]
        more = "differs" if untested == 1 else "differ"
        sentences += [f"{untested:,} more {more} without a test."] if untested else []
    vanished = sum(one.verdict == "vanished" for one in main)
    verb = "number has" if vanished == 1 else "numbers have"
    sentences += [f"{vanished:,} main {verb} no value in {second}."] if vanished else []
    tone: Tone = "bad" if down or vanished else "good" if up else ""
    return Answer(" ".join(filter(None, sentences)), tone)


def _ways(better: int, worse: int, first: str, second: str, numbers: str, beyond: str = "") -> str:
    """Say in how many numbers the second report is better or worse, better first if in any."""
    ways = [(better, "better"), (worse, "worse")]
    (most, way), (least, other) = ways if better else ways[::-1]
    text = f"{second} is {way} than {first} in {most:,} of {numbers}{beyond}"
    return f"{text}, {other} in {_count(least)}"


def _answer_of_others(others: Sequence[Change]) -> str:
    """Say how many numbers of labels and slices are clearly better or worse."""
    tested = [one for one in others if one.is_tested and one.higher_is_better is not None]
    if not tested:
        return ""
    better, worse = (sum(one.verdict == way for one in tested) for way in ("better", "worse"))
    return (
        f"Of {len(tested):,} number{'' if len(tested) == 1 else 's'} of labels, slices and "
        f"averages, {_count(better)} {'is' if better == 1 else 'are'} better and "
        f"{_count(worse)} worse beyond chance."
    )


def _count(number: int) -> str:
    return f"{number:,}" if number else "none"
