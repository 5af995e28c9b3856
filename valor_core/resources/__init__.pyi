from valor_core.resources.opening import Share, opened
from valor_core.states.state import Resources

__all__ = [
    "Resources",
    "Share",
    "opened",
]
