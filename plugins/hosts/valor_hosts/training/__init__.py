"""Metrics during training: torch, Lightning and the Trainer of transformers."""
