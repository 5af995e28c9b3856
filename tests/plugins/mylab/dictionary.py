"""Resource that logs its calls."""

import os


class Dictionary:
    """Set of words."""

    def __init__(self, parameters):
        if parameters.broken:
            raise OSError("no such dictionary")
        self.words = set(parameters.words)
        self.log = parameters.log
        self._record("open")

    def has(self, word):
        """Return True if a word is in the dictionary."""
        self._record("has")
        return word in self.words

    def close(self):
        """Log that the resource is closed."""
        self._record("close")

    def _record(self, what):
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{what} {os.getpid()}\n")
