"""Retries: how often a call is made again, and after how long."""

from __future__ import annotations

import random
from collections.abc import Callable

from attrs import field, frozen

from valor_llm.clients.protocol import Passing


@frozen
class Retries:
    """Exponential back-off with full jitter, that leaves an endpoint alone for as long as it asks.

    Parameters
    ----------
    most : int
        How often a call is made again.
    first : float
        Seconds that the first pause lasts at the most; each further one may be twice as long.
    longest : float
        Seconds that a pause lasts at the most, unless the endpoint asks for more.
    patience : float
        Seconds that an endpoint may ask to be left alone; if it asks for more, the call has failed.
    draw : callable
        A random number between two.

    Examples
    --------
    >>> retries = Retries(4, draw=lambda low, high: high)
    >>> [retries.pause(failed, Passing("503")) for failed in (1, 2, 3, 4, 5)]
    [0.5, 1.0, 2.0, 4.0, None]
    >>> retries.pause(1, Passing("429", after=20))
    20.5
    """

    most: int
    first: float = 0.5
    longest: float = 30.0
    patience: float = 600.0
    draw: Callable[[float, float], float] = field(default=random.uniform)

    def pause(self, failed: int, error: Passing) -> float | None:
        """Seconds until the call is made again, or None where it is not.

        Parameters
        ----------
        failed : int
            How often it has failed, with this time.
        error : Passing
            Why it has failed this time.
        """
        if failed > self.most or not self.is_patient(error):
            return None
        after = error.after or 0.0
        # Drawn from 0, so that calls that failed together do not come back together.
        return after + self.draw(0.0, min(self.longest, self.first * 2.0 ** (failed - 1)))

    def is_patient(self, error: Passing) -> bool:
        """Whether an endpoint is left alone for as long as it asks.

        Examples
        --------
        >>> [Retries(4).is_patient(Passing("429", after=seconds)) for seconds in (60, 86_400)]
        [True, False]
        """
        return (error.after or 0.0) <= self.patience
