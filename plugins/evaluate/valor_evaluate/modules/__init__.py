"""Modules of Hugging Face `evaluate` as metrics of Valor."""
