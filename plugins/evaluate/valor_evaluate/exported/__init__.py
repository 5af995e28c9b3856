"""Metrics of Valor as modules of Hugging Face `evaluate`."""
