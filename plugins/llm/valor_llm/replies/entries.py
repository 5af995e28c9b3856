"""Entries: what a reply says of the numbered items of one list, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from valor_core.plugin import shown
from valor_llm.replies.keys import analysis_of, picked
from valor_llm.replies.reading import Verdict

_KEYS = ("id", "analysis", "verdict")
_DIGITS = re.compile("[0-9]{1,9}")


@define
class Entries:
    """What a reply says of the numbered items of one list.

    Numbers that cannot be right put all others of the list in doubt: a model that counts from 0,
    or anew from 1, would give verdicts to items that it did not mean. Then none is taken.

    Parameters
    ----------
    key : str
        What the reply calls the list.
    words : tuple of str
        The verdicts that there are.
    asked : sequence of int
        Ids that the reply is to have.
    count : int
        How many items there are.
    verdicts : dict of int to Verdict
        What was taken, by id.
    problems : list of str
        What is wrong.
    lenient : list of str
        What was overlooked.
    """

    key: str
    words: tuple[str, ...]
    asked: Sequence[int]
    count: int
    verdicts: dict[int, Verdict] = field(factory=dict)
    problems: list[str] = field(factory=list)
    lenient: list[str] = field(factory=list)

    def take(self, entries: Any, is_cut: bool = False) -> None:
        """Take the entries of a list.

        Parameters
        ----------
        entries : object
            What stands under the key.
        is_cut : bool
            Whether further entries are cut off. Complete ones are what the model said, and asking
            for all again would be cut off as well.
        """
        if not isinstance(entries, list):
            told = "is missing" if entries is None else f"must be a list, got {shown(entries)}"
            self.problems.append(f'"{self.key}" {told}')
            return
        rows: list[dict[str, Any]] = []
        for entry in entries:
            if not isinstance(entry, dict):
                self._refuse(f"must be a list of objects, got {shown(entry)}")
                return
            values, notes = picked(entry, _KEYS)
            self.lenient += notes
            rows.append(values)
        numbers = self._numbers([row.get("id") for row in rows], is_cut)
        by_number: dict[int, list[dict[str, Any]]] = {}
        for number, row in zip(numbers, rows, strict=False):
            by_number.setdefault(number, []).append(row)
        for number in self.asked:
            if number in by_number:
                self._take_one(number, by_number[number])

    def take_groups(self, groups: Mapping[str, Any], texts: Sequence[str]) -> None:
        """Take texts that are grouped by verdict; the rest has the one verdict without a group.

        Parameters
        ----------
        groups : mapping of str to object
            What stands under the key of each group, by verdict.
        texts : sequence of str
            The items. A group's text that is none of them stands for the first that is left: how
            many there are is said, and which is not.
        """
        rest = [word for word in self.words if word not in groups]
        told = sum(len(group) for group in groups.values() if isinstance(group, list))
        if len(self.asked) != self.count or len(rest) > 1:
            self._refuse("must be a list of verdicts with ids")
        elif not all(_are_texts(group) for group in groups.values()):
            self._refuse("must be told as lists of texts by verdict, or as verdicts with ids")
        elif told > self.count or (told < self.count and not rest):
            self._refuse(f"has {told} texts by verdict where there are {self.count} items")
        else:
            self.lenient.append("texts by verdict")
            words = _assigned(groups, texts, *rest)
            self.verdicts = {number: Verdict(number, word) for number, word in words.items()}

    def _refuse(self, problem: str) -> None:
        self.problems.append(f'"{self.key}" {problem}')

    def _numbers(self, told: Sequence[Any], is_cut: bool) -> Sequence[int]:
        """The entries' ids, or none where any cannot be right."""
        without = sum(one is None for one in told)
        if told and without == len(told):
            if len(told) == len(self.asked) and not is_cut:
                self.lenient.append("no ids")
                return self.asked
            self._refuse(f"has {without} entries without ids where {len(self.asked)} were asked")
            return ()
        if without:
            self._refuse(f"has {without} entries without an id beside others with one")
            return ()
        numbers = [self._number(one) for one in told]
        for number, one in zip(numbers, told, strict=True):
            if number is None:
                self._refuse(f"has the id {shown(one)} where there are ids 1 to {self.count}")
                return ()
        found = [number for number in numbers if number is not None]
        further = sorted(set(found).difference(self.asked))
        if further and not set(self.asked) <= set(found):
            self._refuse(f"has the id {further[0]}, which was not asked for")
            return ()
        self.lenient += ["not asked for"] * bool(further)
        return found

    def _number(self, told: Any) -> int | None:
        """An id, if it is one."""
        number = told
        is_digits = isinstance(told, str) and _DIGITS.fullmatch(told.strip())
        if is_digits or (isinstance(told, float) and told.is_integer()):
            number = int(told)
        if isinstance(number, bool) or not isinstance(number, int):
            return None
        if not 1 <= number <= self.count:
            return None
        self.lenient += ["other spelling"] * (type(told) is not int)
        return number

    def _take_one(self, number: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take what entries with one id say, if they say the same."""
        words = [self._word(row.get("verdict")) for row in rows]
        first = words[0]
        if None in words:
            told = shown(rows[words.index(None)].get("verdict"))
            expected = " or ".join(self.words)
            self.problems.append(
                f'"{self.key}": the verdict of {number} must be {expected}, got {told}'
            )
        elif len(set(words)) > 1:
            self.problems.append(f'"{self.key}": {number} has verdicts that differ')
        elif rows[0].get("analysis") is None:
            self.problems.append(f'"{self.key}": {number} has no analysis')
        elif first is not None:
            self.lenient += ["id twice"] * (len(rows) > 1)
            self.verdicts[number] = Verdict(number, first, analysis_of(rows[0]["analysis"]))

    def _word(self, told: Any) -> str | None:
        """A verdict, if it is one of the words."""
        if isinstance(told, str) and told in self.words:
            return told
        if isinstance(told, bool):
            told = "yes" if told else "no"
        if not isinstance(told, str):
            return None
        folded = told.strip().rstrip(".!").casefold()
        for word in self.words:
            if word.casefold() == folded:
                self.lenient.append("other spelling")
                return word
        return None


def _are_texts(group: Any) -> bool:
    return isinstance(group, list) and all(isinstance(one, str) for one in group)


def _assigned(groups: Mapping[str, list[str]], texts: Sequence[str], *rest: str) -> dict[int, str]:
    """The verdict of each item: by its text, then in the order of what is left."""
    free = {number: text.strip().casefold() for number, text in enumerate(texts, 1)}
    words: dict[int, str] = {}
    unknown: list[str] = []
    for word, group in groups.items():
        for text in group:
            same = (number for number, own in free.items() if own == text.strip().casefold())
            number = next(same, None)
            if number is None:
                unknown.append(word)
            else:
                words[number] = word
                del free[number]
    left = [*unknown, *rest * len(free)]
    return words | dict(zip(free, left, strict=False))
