"""Evaluation state: metric states by slice, uids and usage, mergeable in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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
    "To compare two models, evaluate each with its own report (-o a.json, -o b.json), then run "
    "valor compare a.json b.json, or in Python: valor_core.compare(a, b)"
)


@define(repr=False)
class EvaluationState:
    """Everything counted so far.

    Parameters
    ----------
    states : dict of slice key to list of states
        States by slice, in the order of the plan's requests.
    sizes : Counter of slice key
        Number of counted datums by slice.
    uids : list of ndarray
        Uids of the counted datums, unique within each array. Empty if datums have no uid.
    sliced_uids : dict of slice key to list of ndarray
        Uids of the counted datums by values of the sliced fields, if the report lists items.
    read, skipped : int
        Number of counted datums, and of datums that the filter excluded.
    done : list of str
        Identities of the finished partitions.
    fields : set of str
        Metadata fields found in the data.
    left_out : dict of str to int
        Records that readers skipped, as a description with a count.
    first_left_out : dict of str to (str, int)
        File and row of the first skipped record, if the reader reports it.
    labels : set of Label
        Labels before the label map. Collected only if there is a label map.
    sides : set of str
        ``groundtruths`` and ``predictions`` as found, and ``both`` if an item has both.
    label_sides : LabelSides
        Labels of the ground truths and of the predictions.
    outside : int
        Number of datums counted by `Evaluator.update` instead of from a partition.
    is_weighted : bool
        Whether an item has a weight above 0.
    facts : dict of str to (int, Facts)
        Latest usage figures of each opened resource, with a sequence number.
    stopped : str, optional
        Reason of an early stop.
    interrupted : bool
        Whether the user stopped the run.
    damaged_rows : set of int
        Invalid lines of the journal.
    runs : set of str
        Names of the runs of a config.
    missing : dict of str to str
        Partitions that failed, with the reason.
    unfinished : int
        Number of partitions that saved runs have not counted yet.
    """

    states: dict[SliceKey, list[Any]] = field(factory=dict)
    sizes: Counter[SliceKey] = field(factory=Counter)
    uids: list[Uids] = field(factory=list)
    sliced_uids: dict[SliceKey, list[Uids]] = field(factory=dict)
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
    is_weighted: bool = False
    facts: dict[str, tuple[int, Facts]] = field(factory=dict)
    damaged_rows: set[int] = field(factory=set)
    stopped: str | None = None
    interrupted: bool = False
    runs: set[str] = field(factory=set)
    missing: dict[str, str] = field(factory=dict)
    unfinished: int = 0

    @property
    def is_final(self) -> bool:
        """True if counting the same data again would change nothing."""
        return self.stopped is None and all(
            not isinstance(state, FailedState) and state.is_final
            for states in self.states.values()
            for state in states
        )

    @property
    def still_to_count(self) -> str | None:
        """Message about partitions that saved runs have not counted yet, or None."""
        if not self.unfinished:
            return None
        count = f"{self.unfinished:,} partition{'' if self.unfinished == 1 else 's'}"
        return f"{count} of the saved runs not counted yet"

    def merge(self, other: EvaluationState, plan: Plan) -> None:
        """Add the counts of another state of the same plan, which stays unchanged."""
        for key in other.states:
            if key not in self.states:
                self.states[key] = plan.new_states()
        self.absorb(other)

    def absorb(self, other: EvaluationState) -> None:
        """Merge in place, reusing the metric states of `other`: do not use it afterwards."""
        for key, states in other.states.items():
            existing = self.states.setdefault(key, states)
            if existing is not states:
                merge(existing, states)
        self.sizes.update(other.sizes)
        self.uids.extend(other.uids)
        for key, uids in other.sliced_uids.items():
            self.sliced_uids.setdefault(key, []).extend(uids)
        self.read += other.read
        self.skipped += other.skipped
        self.done.extend(other.done)
        self.fields |= other.fields
        self.left_out += other.left_out
        self.first_left_out = first_places([self.first_left_out, other.first_left_out])
        self.labels |= other.labels
        self.runs |= other.runs
        self.sides |= other.sides
        self.label_sides.join(other.label_sides)
        self.outside += other.outside
        self.is_weighted |= other.is_weighted
        self.unfinished += other.unfinished
        self.stopped = self.stopped or other.stopped
        self.missing |= other.missing
        self.absorb_facts(other)

    def absorb_facts(self, other: EvaluationState) -> None:
        """Keep the newer usage figures of each opened resource."""
        for opening, facts in other.facts.items():
            if opening not in self.facts or self.facts[opening][0] < facts[0]:
                self.facts[opening] = facts
        self.damaged_rows |= other.damaged_rows

    def warnings(self) -> Iterator[str]:
        """Yield warnings about the data that was read."""
        if self.read == 0:
            excluded = f", the filter excluded {self.skipped:,}"
            yield f"no datums were counted{excluded if self.skipped else ''}"
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
                "no item has both a ground truth and a prediction; check that both sides use "
                "the same uids"
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
                f"uids: expected uids for all items or none, found {count:,} of {self.read:,}",
                "Pass uids with every batch.",
            )
        if len(named) > 1:
            try:
                check_unique(np.concatenate(named))
            except SchemaError as error:
                files = {name_in(one).partition(", ")[0] for one in self.done}
                raise SchemaError(error.message, _TWO_MODELS if len(files) > 1 else None) from None

    def items(self, keys: Iterable[SliceKey]) -> int | None:
        """Return the number of datums of slices, or None if an older saved state lacks it."""
        is_complete = self.sizes.total() == self.read
        return sum(self.sizes[key] for key in keys) if is_complete else None

    def merged(self, keys: list[SliceKey], plan: Plan) -> list[Any]:
        """Return the merged states of several slices."""
        if len(keys) == 1:
            return self.states[keys[0]]
        total = plan.new_states()
        for key in keys:
            merge(total, self.states[key])
        return total


def _counted(count: int, what: str) -> str:
    """Format a count with a description that starts with a plural.

    Examples
    --------
    >>> _counted(1, "predictions left out: empty"), _counted(2, "predictions left out: empty")
    ('1 prediction left out: empty', '2 predictions left out: empty')
    """
    noun, space, rest = what.partition(" ")
    if count == 1 and noun.endswith("s") and not noun.endswith("ss"):
        noun = noun[:-1]
    return f"{count:,} {noun}{space}{rest}"
