"""State of an evaluation: states by slice, uids and usage, merged in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define, field

from valor_core.errors import SchemaError
from valor_core.evaluation.plan import Plan
from valor_core.evaluation.slices import SliceKey
from valor_core.readers.partition import name_in
from valor_core.resources.bound import Facts
from valor_core.schemas import Label
from valor_core.schemas.batch import FileRow, first_places
from valor_core.schemas.datum import Uids, check_unique
from valor_core.schemas.pairing import BOTH, LabelSides
from valor_core.states.state import FailedState, merge

_TWO_MODELS = (
    "If these are the files of two models, run each by itself, with -o a.json and with -o b.json, "
    "and compare the reports: valor compare a.json b.json"
)


@define(repr=False)
class EvaluationState:
    """What has been counted so far: states by slice, and the datums that were read.

    Parameters
    ----------
    states : dict of slice key to list of states
        In the order of the plan's requests.
    uids : list of ndarray
        Uids of the datums that took part, no uid twice in one array; empty where datums have no
        names of their own.
    read, skipped : int
        Datums that took part, and datums that the filter left out.
    done : list of str
        Names of the finished partitions.
    fields : set of str
        Metadata fields that some datum has.
    left_out : dict of str to int
        What readers left out of the data, and how often.
    first_left_out : dict of str to (str, int)
        File and row in which they met it first, where they say it.
    labels : set of Label
        Labels of the data before the label map; kept only where there is one.
    sides : set of str
        Which sides there are: ``groundtruths`` and ``predictions``, or ``both`` once an item has
        both.
    label_sides : LabelSides
        Labels of the ground truths, and labels of the predictions.
    outside : int
        Datums that were counted in no partition, but handed over one batch after another.
    facts : dict of str to (int, Facts)
        What resources tell of themselves, the latest of each opening.
    stopped : str, optional
        Why the counting ended before its time.
    interrupted : bool
        Whether it was the user who ended it.
    damaged_rows : set of int
        Lines of the journal that could not be used.
    missing : dict of str to str
        Partitions that could not be counted, and why.
    unfinished : int
        Partitions of saved runs that are still to be counted.
    """

    states: dict[SliceKey, list[Any]] = field(factory=dict)
    uids: list[Uids] = field(factory=list)
    read: int = 0
    skipped: int = 0
    done: list[str] = field(factory=list)
    fields: set[str] = field(factory=set)
    left_out: Counter[str] = field(factory=Counter)
    first_left_out: dict[str, FileRow] = field(factory=dict)
    labels: set[Label] = field(factory=set)
    sides: set[str] = field(factory=set)
    label_sides: LabelSides = field(factory=LabelSides)
    outside: int = 0
    facts: dict[str, tuple[int, Facts]] = field(factory=dict)
    damaged_rows: set[int] = field(factory=set)
    stopped: str | None = None
    interrupted: bool = False
    missing: dict[str, str] = field(factory=dict)
    unfinished: int = 0

    @property
    def is_final(self) -> bool:
        """Whether counting the same data once more would be of no use."""
        return self.stopped is None and all(
            not isinstance(state, FailedState) and state.is_final
            for states in self.states.values()
            for state in states
        )

    @property
    def still_to_count(self) -> str | None:
        """What the report of saved runs lacks that were not at their end."""
        if not self.unfinished:
            return None
        several = f"{self.unfinished:,} partition{' is' if self.unfinished == 1 else 's are'}"
        return f"{several} still to be counted by the runs whose states these are"

    def merge(self, other: EvaluationState, plan: Plan) -> None:
        """Count what another tally of the same plan counted, without writing to it."""
        for key in other.states:
            if key not in self.states:
                self.states[key] = plan.new_states()
        self.absorb(other)

    def absorb(self, other: EvaluationState) -> None:
        """As `merge`, of a tally that nobody uses any more: its states may become states here."""
        for key, states in other.states.items():
            mine = self.states.setdefault(key, states)
            if mine is not states:
                merge(mine, states)
        self.uids.extend(other.uids)
        self.read += other.read
        self.skipped += other.skipped
        self.done.extend(other.done)
        self.fields |= other.fields
        self.left_out += other.left_out
        self.first_left_out = first_places([self.first_left_out, other.first_left_out])
        self.labels |= other.labels
        self.sides |= other.sides
        self.label_sides.join(other.label_sides)
        self.outside += other.outside
        self.unfinished += other.unfinished
        self.stopped = self.stopped or other.stopped
        self.missing |= other.missing
        self.absorb_facts(other)

    def absorb_facts(self, other: EvaluationState) -> None:
        """What resources told another state, where it is newer."""
        for opening, told in other.facts.items():
            if opening not in self.facts or self.facts[opening][0] < told[0]:
                self.facts[opening] = told
        self.damaged_rows |= other.damaged_rows

    def warnings(self) -> Iterator[str]:
        """What is worth knowing about what was read."""
        if self.read == 0:
            left_out = f", {self.skipped:,} were left out by the filter"
            yield f"no datums took part{left_out if self.skipped else ''}"
        for name, reason in sorted(self.missing.items()):
            yield f"{name} could not be counted, {reason}"
        if self.damaged_rows:
            count, first = len(self.damaged_rows), min(self.damaged_rows)
            rows = "row" if count == 1 else "rows"
            yield (
                f"the journal beside the state: {count:,} {rows} damaged, "
                f"out of range or contradictory (first: line {first}), scored again"
            )
        for what, count in sorted(self.left_out.items()):
            file, row = self.first_left_out.get(what, ("", 0))
            yield _counted(count, what) + (f" (first: {file}:{row})" if file else "")
        if len(self.sides) == 2 and BOTH not in self.sides:
            yield (
                "no item has both a ground truth and a prediction; are the uids of both sides "
                "written alike?"
            )
        elif self.label_sides.warning is not None:
            yield self.label_sides.warning

    def check_uids(self) -> None:
        """Raise a `SchemaError` if an item was read twice."""
        named = [uids for uids in self.uids if len(uids)]
        kinds = {uids.dtype.kind.replace("S", "U") for uids in named}
        if len(kinds) > 1:
            raise SchemaError("uids: expected all strings or all whole numbers, found both")
        count = sum(map(len, named))
        if 0 < count < self.read:
            raise SchemaError(
                f"uids: expected all items to have one, or none, found {count:,} of {self.read:,}",
                "Pass uids with every batch.",
            )
        if len(named) > 1:
            try:
                check_unique(np.concatenate(named))
            except SchemaError as error:
                files = {name_in(one).partition(", ")[0] for one in self.done}
                raise SchemaError(error.message, _TWO_MODELS if len(files) > 1 else None) from None

    def merged(self, keys: list[SliceKey], plan: Plan) -> list[Any]:
        """States of several slices together."""
        if len(keys) == 1:
            return self.states[keys[0]]
        whole = plan.new_states()
        for key in keys:
            merge(whole, self.states[key])
        return whole


def _counted(count: int, what: str) -> str:
    """A number and what it counts, whose first word is a plural.

    Examples
    --------
    >>> _counted(1, "predictions left out: empty"), _counted(2, "predictions left out: empty")
    ('1 prediction left out: empty', '2 predictions left out: empty')
    """
    noun, space, rest = what.partition(" ")
    if count == 1 and noun.endswith("s") and not noun.endswith("ss"):
        noun = noun[:-1]
    return f"{count:,} {noun}{space}{rest}"
