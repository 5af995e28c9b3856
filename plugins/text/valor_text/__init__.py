"""Text comparison metrics for Valor."""
