from valor_core.states.derived import DerivedState, counted
from valor_core.states.state import RowsOf, State, StateContent, StateRequest
from valor_core.states.sums import ExactSum, ExactSums

__all__ = [
    "DerivedState",
    "ExactSum",
    "ExactSums",
    "RowsOf",
    "State",
    "StateContent",
    "StateRequest",
    "counted",
]
