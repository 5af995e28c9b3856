from valor_core.states.by_label_key import ByLabelKey
from valor_core.states.derived import DerivedState, counted
from valor_core.states.label_rows import MOST_COUNTED, LabelRows, check_total
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
    "MOST_COUNTED",
    "ByLabelKey",
    "Content",
    "DerivedState",
    "ExactSum",
    "ExactSums",
    "LabelRows",
    "Resources",
    "RowsOf",
    "State",
    "StateRequest",
    "cached",
    "check_same_length",
    "check_total",
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
