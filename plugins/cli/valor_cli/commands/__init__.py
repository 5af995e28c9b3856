"""Commands of ``valor``, one per module."""
