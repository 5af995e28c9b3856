"""Compiled metrics of pinball for Valor."""
