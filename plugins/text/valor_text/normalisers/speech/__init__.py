"""Normalisation of recognized speech, so that different spellings of the same words are equal."""
