"""Lists of predictions as flat columns, without an object for each label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from operator import itemgetter
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.schemas import DEFAULT_KEY, Codes, Floats, Vocabulary, kept_label

_Flat = tuple[list[Any], list[Any], list[Any] | None]
"""Labels, scores and, where they differ, label keys of all entries."""


@frozen(eq=False)
class Listing:
    """The entries of all items' lists, one behind the other.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Position of the item of each entry.
    names : list of str or int
        Label of each.
    keys : list of str, optional
        Label key of each; the default one unless given.
    scores : ndarray of float64, shape (n,)
        Score of each.
    """

    rows: Codes
    names: list[Any]
    keys: list[Any] | None
    scores: Floats

    @classmethod
    def of(cls, cells: Sequence[Any], beside: Sequence[Any] | None) -> Listing | None:
        """The entries of cells that are all written in one plain way; nothing if they are not.

        Parameters
        ----------
        cells : sequence
            For each item a table of scores by label, a list of labels, of pairs or of tables.
        beside : sequence, optional
            For each item a list of scores, where its list has the labels alone.

        Examples
        --------
        >>> listing = Listing.of([{"dog": 0.75, "cat": 0.25}, {"cat": 1}], None)
        >>> listing.rows, listing.names, listing.scores
        (array([0, 0, 1]), ['dog', 'cat', 'cat'], array([0.75, 0.25, 1.  ]))
        >>> Listing.of([{"dog": "high"}], None) is None
        True
        """
        flat = _flattened(cells, beside)
        if flat is None:
            return None
        names, scores, keys = flat
        are_plain = set(map(type, names)) <= {str, int} and set(map(type, scores)) <= {int, float}
        if not are_plain or not set(map(type, keys or ())) <= {str}:
            return None
        try:
            values = np.array(scores, dtype=np.float64)
        except OverflowError:
            return None
        if not np.isfinite(values).all():
            return None
        return cls(np.repeat(np.arange(len(cells)), list(map(len, cells))), names, keys, values)

    def codes(self, vocabulary: Vocabulary) -> Codes:
        """Label codes of the entries; each distinct label is made once.

        Raises
        ------
        SchemaError
            If a label is no label, as empty text is.
        """
        if self.keys is None:
            known: dict[Any, int] = {
                name: vocabulary.code(kept_label(DEFAULT_KEY, str(name)))
                for name in dict.fromkeys(self.names)
            }
            return np.fromiter(map(known.__getitem__, self.names), np.int64, len(self.names))
        pairs = list(zip(self.keys, self.names, strict=True))
        known = {
            pair: vocabulary.code(kept_label(pair[0], str(pair[1])))
            for pair in dict.fromkeys(pairs)
        }
        return np.fromiter(map(known.__getitem__, pairs), np.int64, len(pairs))


def _flattened(cells: Sequence[Any], beside: Sequence[Any] | None) -> _Flat | None:
    kinds = set(map(type, cells))
    if kinds == {dict}:
        scores = list(chain.from_iterable(map(dict.values, cells)))
        return list(chain.from_iterable(cells)), scores, None
    if kinds != {list}:
        return None
    entries = list(chain.from_iterable(cells))
    if beside is not None:
        return _side_by_side(cells, entries, beside)
    kinds = set(map(type, entries))
    if kinds == {list}:
        return _of_pairs(entries)
    return _of_tables(entries) if kinds == {dict} else None


def _side_by_side(
    cells: Sequence[list[Any]], entries: list[Any], beside: Sequence[Any]
) -> _Flat | None:
    if set(map(type, beside)) != {list} or list(map(len, cells)) != list(map(len, beside)):
        return None
    return entries, list(chain.from_iterable(beside)), None


def _of_pairs(entries: list[list[Any]]) -> _Flat | None:
    if set(map(len, entries)) != {2}:
        return None
    return list(map(itemgetter(0), entries)), list(map(itemgetter(1), entries)), None


def _of_tables(entries: list[dict[str, Any]]) -> _Flat | None:
    try:
        names = list(map(itemgetter("label"), entries))
        scores = list(map(itemgetter("score"), entries))
    except KeyError:
        return None
    has_keys = any(map(dict.__contains__, entries, repeat("key")))
    keys = [entry.get("key", DEFAULT_KEY) for entry in entries] if has_keys else None
    return names, scores, keys
