"""A folder for ``evaluate.load``, which asks for a script called like its folder."""
