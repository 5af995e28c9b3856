from valor_hosts.partitions import evaluate_partitions
from valor_hosts.reports import failures
from valor_hosts.scorers.inspect_ai_scorer import inspect_scorer
from valor_hosts.scorers.lm_eval import lm_eval_metric
from valor_hosts.scorers.mlflow_genai import mlflow_scorer
from valor_hosts.scorers.scikit_learn import Scorer, scorer
from valor_hosts.tracking.telemetry import emit_evaluation_events, evaluation_events
from valor_hosts.tracking.trackers import log_to_mlflow, log_to_tensorboard, log_to_wandb
from valor_hosts.training.torch_loop import gather, lightning_callback
from valor_hosts.training.transformers_trainer import compute_metrics

__all__ = [
    "Scorer",
    "compute_metrics",
    "emit_evaluation_events",
    "evaluate_partitions",
    "evaluation_events",
    "failures",
    "gather",
    "inspect_scorer",
    "lightning_callback",
    "lm_eval_metric",
    "log_to_mlflow",
    "log_to_tensorboard",
    "log_to_wandb",
    "mlflow_scorer",
    "scorer",
]
