"""Metrics as scorers of scikit-learn, lm-evaluation-harness, inspect_ai and MLflow."""
