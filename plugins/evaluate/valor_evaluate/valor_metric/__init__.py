"""Folder for ``evaluate.load``, which requires a script with the name of its folder."""
