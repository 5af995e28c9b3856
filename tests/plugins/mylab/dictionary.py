"""Dictionary: a resource that records what happens to it."""

import os


class Dictionary:
    """A list of words."""

    def __init__(self, parameters):
        if parameters.broken:
            raise OSError("no such dictionary")
        self.words = set(parameters.words)
        self.log = parameters.log
        self._record("open")

    def has(self, word):
        """Whether a word is in the dictionary."""
        self._record("has")
        return word in self.words

    def close(self):
        """Record the end."""
        self._record("close")

    def _record(self, what):
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{what} {os.getpid()}\n")
