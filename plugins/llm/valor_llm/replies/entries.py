"""Entries of a reply's list of verdicts, checked one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from valor_core.errors import short_repr
from valor_llm.replies.keys import ALIASES, analysis_of, picked, revised
from valor_llm.replies.reading import Verdict

_KEYS = ("id", "analysis", "verdict")
_LONG = 12  # characters from which a further text of an entry names an item, as "high" does not
_DIGITS = re.compile("[0-9]{1,9}")


@define
class VerdictEntries:
    """Verdicts of a reply on the numbered items of one list.

    A wrong number invalidates the entire list: a model that counts from 0 or restarts at 1 would
    give verdicts to the wrong items.

    Parameters
    ----------
    key : str
        Name of the list in the reply.
    words : tuple of str
        Possible verdicts.
    asked : sequence of int
        Ids that the reply is to have.
    items : sequence of str
        Texts of the items.
    verdicts : dict of int to Verdict
        Accepted verdicts by id.
    problems : list of str
        Faults of the reply.
    lenient : list of str
        Tolerated mistakes.
    """

    key: str
    words: tuple[str, ...]
    asked: Sequence[int]
    items: Sequence[str]
    verdicts: dict[int, Verdict] = field(factory=dict)
    problems: list[str] = field(factory=list)
    lenient: list[str] = field(factory=list)

    def take(self, entries: Any, is_cut: bool = False) -> None:
        """Accept the entries of a list.

        Parameters
        ----------
        entries : object
            Value of the key.
        is_cut : bool
            Whether further entries are cut off. Complete ones are accepted, since asking
            for all again would be cut off as well.
        """
        if not isinstance(entries, list):
            problem = (
                "is missing" if entries is None else f"must be a list, got {short_repr(entries)}"
            )
            self.problems.append(f'"{self.key}" {problem}')
            return
        rows: list[dict[str, Any]] = []
        for entry in entries:
            if not isinstance(entry, dict):
                self._refuse(f"must be a list of objects, got {short_repr(entry)}")
                return
            if (name := revised(entry, ["verdict"])) is not None:
                self._refuse(f'has a "{name}" that contradicts its verdict')
                return
            values, notes = picked(entry, _KEYS)
            self.lenient += notes
            rows.append(values)
        ids = [row.get("id") for row in rows]
        if not any(one is not None for one in ids) and _is_other_order(entries, self.asked):
            self._refuse("has numbers in another order, and no ids")
            return
        numbers = self._by_text(entries, rows) or self._numbers(ids, is_cut)
        if self.problems:
            return
        by_number: dict[int, list[dict[str, Any]]] = {}
        for number, row in zip(numbers, rows, strict=False):
            by_number.setdefault(number, []).append(row)
        for number in self.asked:
            if number in by_number:
                self._take_one(number, by_number[number])

    @property
    def count(self) -> int:
        """Number of items."""
        return len(self.items)

    def take_groups(self, groups: Mapping[str, Any]) -> None:
        """Accept texts grouped by verdict; the rest gets the only verdict without a group.

        Parameters
        ----------
        groups : mapping of str to object
            Value of each group's key, by verdict. A text that is none of the items
            counts as the first item that is left.
        """
        rest = [word for word in self.words if word not in groups]
        count = sum(len(group) for group in groups.values() if isinstance(group, list))
        if len(self.asked) != self.count or len(rest) > 1:
            self._refuse("must be a list of verdicts with ids")
        elif not all(_are_texts(group) for group in groups.values()):
            self._refuse("must be lists of texts by verdict, or verdicts with ids")
        elif count > self.count or (count < self.count and not rest):
            self._refuse(f"has {count} texts by verdict where there are {self.count} items")
        elif twice := _more_often(groups, self.items):
            self._refuse(f"has the text {short_repr(twice)} more often than there are such items")
        else:
            self.lenient.append("texts by verdict")
            words = _assigned(groups, self.items, *rest)
            self.verdicts = {number: Verdict(number, word) for number, word in words.items()}

    def _refuse(self, problem: str) -> None:
        self.problems.append(f'"{self.key}" {problem}')

    def _by_text(
        self, entries: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
    ) -> Sequence[int]:
        """Return the ids of entries that repeat the judged texts instead of ids.

        With ids, a text of another item is a contradiction. Without, each entry needs the text of
        a different item.
        """
        numbers: dict[str, list[int]] = {}
        for number, item in enumerate(self.items, 1):
            numbers.setdefault(_folded(item), []).append(number)
        texts_of_entries = [
            [
                text
                for name, text in _other_texts(entry)
                if _folded(text) in numbers or len(text) >= _LONG or _is_item(name, text)
            ]
            for entry in entries
        ]
        meant = [
            [n for text in texts for n in numbers.get(_folded(text), ())]
            for texts in texts_of_entries
        ]
        ids = [row.get("id") for row in rows]
        if any(one is not None for one in ids):
            for one, possible in zip(ids, meant, strict=True):
                if possible and self._number(one, noted=False) not in (None, *possible):
                    self._refuse(f"has the id {short_repr(one)} beside the text of {possible[0]}")
            return ()
        if not any(texts_of_entries):
            return ()
        found: list[int] = []
        for texts, possible in zip(texts_of_entries, meant, strict=True):
            free = [number for number in possible if number not in found]
            if not free:
                what = short_repr(texts[0]) if texts else "no text and no id"
                self._refuse(f"has an entry of {what} where it names the items by their texts")
                return ()
            found.append(free[0])
        further = set(found).difference(self.asked)
        self.lenient += ["texts for ids"] + ["not asked for"] * bool(further)
        return found

    def _numbers(self, ids: Sequence[Any], is_cut: bool) -> Sequence[int]:
        """Return the entries' ids, or none if one of them is wrong."""
        without = sum(one is None for one in ids)
        if ids and without == len(ids):
            if len(ids) == len(self.asked) and not is_cut:
                self.lenient.append("no ids")
                return self.asked
            self._refuse(f"has {without} entries without ids where {len(self.asked)} were asked")
            return ()
        if without:
            self._refuse(f"has {without} entries without an id beside others with one")
            return ()
        numbers = [self._number(one) for one in ids]
        for number, one in zip(numbers, ids, strict=True):
            if number is None:
                self._refuse(f"has the id {short_repr(one)} where there are ids 1 to {self.count}")
                return ()
        found = [number for number in numbers if number is not None]
        further = sorted(set(found).difference(self.asked))
        if further and not set(self.asked) <= set(found):
            self._refuse(f"has the id {further[0]}, which was not asked for")
            return ()
        self.lenient += ["not asked for"] * bool(further)
        return found

    def _number(self, value: Any, noted: bool = True) -> int | None:
        """An id, if it is one."""
        number = value
        is_digits = isinstance(value, str) and _DIGITS.fullmatch(value.strip())
        if is_digits or (isinstance(value, float) and value.is_integer()):
            number = int(value)
        if isinstance(number, bool) or not isinstance(number, int):
            return None
        if not 1 <= number <= self.count:
            return None
        self.lenient += ["other spelling"] * (noted and type(value) is not int)
        return number

    def _take_one(self, number: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Accept duplicate entries of an id if they agree."""
        words = [self._word(row.get("verdict")) for row in rows]
        first = words[0]
        if None in words:
            wrong = short_repr(rows[words.index(None)].get("verdict"))
            expected = " or ".join(self.words)
            self.problems.append(
                f'"{self.key}": the verdict of {number} must be {expected}, got {wrong}'
            )
        elif len(set(words)) > 1:
            self.problems.append(f'"{self.key}": {number} has verdicts that differ')
        elif rows[0].get("analysis") is None:
            self.problems.append(f'"{self.key}": {number} has no analysis')
        elif first is not None:
            self.lenient += ["id twice"] * (len(rows) > 1)
            self.verdicts[number] = Verdict(number, first, analysis_of(rows[0]["analysis"]))

    def _word(self, value: Any) -> str | None:
        """A verdict, if it is one of the words."""
        if isinstance(value, str) and value in self.words:
            return value
        if isinstance(value, bool):
            value = "yes" if value else "no"
        if not isinstance(value, str):
            return None
        folded = value.strip().rstrip(".!").casefold()
        for word in self.words:
            if word.casefold() == folded:
                self.lenient.append("other spelling")
                return word
        return None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold().strip("\"'.")


_OF_A_VERDICT = frozenset().union(
    *(ALIASES[name] | {name} for name in ("id", "analysis", "verdict"))
)


_OF_AN_ITEM = frozenset(
    {"claim", "statement", "sentence", "text", "question", "context", "opinion", "fact", "item"}
    | {"content", "passage", "chunk", "document", "quote"}
)


def _is_item(name: str, text: str) -> bool:
    """Return whether a text of an entry names the item, even a short one."""
    is_named = name.casefold().removesuffix("s") in _OF_AN_ITEM
    return is_named and bool(text.strip()) and not _DIGITS.fullmatch(text.strip())


def _is_other_order(entries: Sequence[Mapping[str, Any]], asked: Sequence[int]) -> bool:
    """Return whether numbers of the entries, under a key that is no id, have another order.

    Examples
    --------
    >>> _is_other_order([{"index": 2}, {"index": 1}], (1, 2))
    True
    >>> _is_other_order([{"index": 0}, {"index": 1}], (1, 2))
    False
    """
    for name in entries[0] if entries else ():
        digits = [str(entry.get(name)).strip() for entry in entries]
        if name.casefold() in _OF_A_VERDICT or not all(map(_DIGITS.fullmatch, digits)):
            continue
        numbers = [int(one) for one in digits]
        counts = (list(asked), [number - 1 for number in asked])
        if sorted(numbers) in counts and numbers != sorted(numbers):
            return True
    return False


def _other_texts(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return other texts of an entry than its id, analysis and verdict, with their keys."""
    return [
        (name, value)
        for name, value in entry.items()
        if isinstance(value, str) and name.casefold() not in _OF_A_VERDICT
    ]


def _more_often(groups: Mapping[str, Any], items: Sequence[str]) -> str | None:
    """Return an item's text that occurs in the groups more often than among the items."""
    there = Counter(map(_folded, items))
    counts = Counter(_folded(text) for group in groups.values() for text in group)
    return next((text for text, count in counts.items() if 0 < there[text] < count), None)


def _are_texts(group: Any) -> bool:
    return isinstance(group, list) and all(isinstance(one, str) for one in group)


def _assigned(groups: Mapping[str, list[str]], texts: Sequence[str], *rest: str) -> dict[int, str]:
    """Return the verdict of each item: by its text, then in the order of the remaining items."""
    free = {number: _folded(text) for number, text in enumerate(texts, 1)}
    words: dict[int, str] = {}
    unknown: list[str] = []
    for word, group in groups.items():
        for text in group:
            same = (
                number for number, verdict_text in free.items() if verdict_text == _folded(text)
            )
            number = next(same, None)
            if number is None:
                unknown.append(word)
            else:
                words[number] = word
                del free[number]
    left = [*unknown, *rest * len(free)]
    return words | dict(zip(free, left, strict=False))
