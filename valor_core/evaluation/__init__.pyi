from valor_core.evaluation.bound_metric import BoundMetric, MetricChoice
from valor_core.evaluation.evaluator import Evaluator
from valor_core.evaluation.plan import Plan
from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.saved import load_state, save_state
from valor_core.evaluation.slices import Slices
from valor_core.evaluation.state import EvaluationState

__all__ = [
    "BoundMetric",
    "Evaluation",
    "EvaluationState",
    "Evaluator",
    "MetricChoice",
    "Plan",
    "Slices",
    "load_state",
    "save_state",
]
