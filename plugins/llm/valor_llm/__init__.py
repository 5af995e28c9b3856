"""Metrics that ask a language model, chosen by name through `valor_core`."""
