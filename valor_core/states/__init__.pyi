from valor_core.states.derived import DerivedState, counted
from valor_core.states.memo import cached, forget, memoized
from valor_core.states.saved_columns import (
    check_same_length,
    saved_column,
    saved_labels,
    saved_number,
    saved_offsets,
    saved_positions,
    saved_uids,
)
from valor_core.states.state import Content, Resources, RowsOf, State, StateRequest
from valor_core.states.sums import ExactSum, ExactSums, saved_sums

__all__ = [
    "Content",
    "DerivedState",
    "ExactSum",
    "ExactSums",
    "Resources",
    "RowsOf",
    "State",
    "StateRequest",
    "cached",
    "check_same_length",
    "counted",
    "forget",
    "memoized",
    "saved_column",
    "saved_labels",
    "saved_number",
    "saved_offsets",
    "saved_positions",
    "saved_sums",
    "saved_uids",
]
