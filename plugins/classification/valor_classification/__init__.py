"""Classification metrics for Valor."""
