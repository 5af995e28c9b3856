"""Probe: responses that try to command the judge, and what becomes of its verdicts."""
