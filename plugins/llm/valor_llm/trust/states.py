"""States: how many items ended in each of the four ways that there are."""

from __future__ import annotations

from attrs import asdict, frozen

from valor_core.results import Failed, NotRun, Numbers, Undefined


@frozen
class States:
    """How many items of a metric ended how.

    Parameters
    ----------
    scored : int
        They have a score.
    undefined : int
        They cannot have one, such as a response without a claim.
    failed : int
        The judge's reply could not be used, or there was none.
    not_run : int
        Nobody asked: a budget was spent, or the run was stopped.

    Examples
    --------
    >>> States.of(Numbers.of([0.5, Failed("no reply"), Undefined("no references")])).told()
    {'scored': 1, 'undefined': 1, 'failed': 1, 'not_run': 0}
    """

    scored: int
    undefined: int
    failed: int
    not_run: int

    @classmethod
    def of(cls, numbers: Numbers) -> States:
        """The states of some items."""
        undefined, failed, not_run = (
            int(numbers.have(kind).sum()) for kind in (Undefined, Failed, NotRun)
        )
        return cls(len(numbers.present), undefined, failed, not_run)

    def told(self) -> dict[str, int]:
        """The counts as reports have them."""
        return asdict(self)
