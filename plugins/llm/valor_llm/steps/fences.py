"""Fences: the lines around what a judge is asked about, which nobody who wrote it can know."""

from __future__ import annotations

import hashlib
import secrets

from attrs import field, frozen

_SECRET = secrets.token_bytes(16)


@frozen
class Fences:
    """The fences of one call: one that is new for it, and one for what other calls ask as well.

    An endpoint reuses what it made of a former call as far as the two begin alike, so what several
    calls share must not stand behind a line that is new. Its fence is a hash under a secret of this
    process: alike for equal texts, and as unknown to who wrote them as a random one.

    Parameters
    ----------
    item : str
        The fence of the item, random for every call.
    secret : bytes, optional
        What the fence of a shared text is made with; none makes it alike for every text.

    Examples
    --------
    >>> first, second = Fences(), Fences()
    >>> first.item == second.item, first.shared("a") == second.shared("a")
    (False, True)
    """

    item: str = field(factory=lambda: f"DATA-{secrets.token_hex(8)}")
    secret: bytes | None = _SECRET

    def shared(self, text: str) -> str:
        """The fence of a text that several calls share.

        Parameters
        ----------
        text : str
            The text that it stands around.
        """
        if self.secret is None:
            return "DATA"
        return f"DATA-{hashlib.blake2b(text.encode(), key=self.secret, digest_size=8).hexdigest()}"


PLACEHOLDERS = Fences("DATA", None)
"""Stand in the places of the fences where a call is told apart from others."""
