"""Clients: who answers for the judge, one module each."""
