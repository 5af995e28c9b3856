from valor_hosts.reports import failures
from valor_hosts.scikit_learn import Scorer, scorer

__all__ = [
    "Scorer",
    "failures",
    "scorer",
]
