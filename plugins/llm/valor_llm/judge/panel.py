"""The panel: the judges that score every item, and how their scores become one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from valor_core.errors import ResourceError
from valor_core.resources.bound import WARNINGS, sum_usage
from valor_core.scoring import run_on_loop
from valor_llm.calibration.record import Record
from valor_llm.clients.protocol import Client
from valor_llm.judge.budget import CURRENT_ITEM, Budget
from valor_llm.judge.judge import CALLS_OF_ITEM, Judge
from valor_llm.parameters.judge import JudgeParameters


class Panel:
    """Judges that answer the same questions; often there is only one.

    Each has a separate client with the limits and capabilities of its endpoint; the budget is
    that of all.

    Parameters
    ----------
    parameters : JudgeParameters
        Parameters of the judges.
    client : sequence of Client
        The clients, one for each judge.

    Raises
    ------
    ResourceError
        If two of them are the same model of the same endpoint, or the record of a calibration
        cannot be read.

    Examples
    --------
    >>> from valor_llm.clients.lexical import Lexical, LexicalParameters
    >>> [judge.name for judge in Panel(JudgeParameters(), [Lexical(LexicalParameters())]).members]
    ['lexical rules, no language model']
    """

    judge: ClassVar[type[Judge]] = Judge
    """Class of the judges."""

    def __init__(self, parameters: JudgeParameters, client: Sequence[Client]) -> None:
        self.parameters = parameters
        if parameters.calibration is not None:
            Record.load(
                parameters.calibration
            )  # an unreadable record is reported before the first call
        if parameters.record is not None and len(client) > 1:
            raise ResourceError(
                f"judge.record: expected one client whose replies it keeps, found {len(client)}",
                "Record each of them in a separate run.",
            )
        for one in client:
            _check(one)
        names = _names(client)
        self._budget = budget = Budget(parameters, in_batch=parameters.mode == "batch")
        self.members = tuple(
            self.judge(parameters, one, name, budget)
            for one, name in zip(client, names, strict=True)
        )

    @property
    def width(self) -> int:
        """Maximum number of concurrent items."""
        return max(judge.width for judge in self.members)

    @asynccontextmanager
    async def turn(self, metric: str) -> AsyncIterator[None]:
        """Score one item of a metric in a block, which begins once the budget suffices for it.

        Items begin in order of arrival, so that a small budget is spent on complete items.
        """
        if not self._budget.is_limited or self.parameters.mode == "batch":
            yield
            return
        calls = CALLS_OF_ITEM * len(self.members) * self.parameters.repeats
        item = await run_on_loop(self._budget.enter(metric, calls))
        token = CURRENT_ITEM.set(item)
        try:
            yield
        finally:
            CURRENT_ITEM.reset(token)
            await run_on_loop(self._budget.leave(item))

    @property
    def stop(self) -> str | None:
        """Why no further call is made, or None."""
        return next((judge.stop for judge in self.members if judge.stop), None)

    def divided(self, wholes: Mapping[str, float | None], workers: int) -> None:
        """Store the limits of the config, of which this worker has a part."""
        self._budget.divided(wholes, workers)

    def facts(self) -> dict[str, Any]:
        """Return the facts for the report, summed over all judges."""
        each = [judge.facts() for judge in self.members]
        warnings = dict.fromkeys(text for facts in each for text in facts.get(WARNINGS, ()))
        facts_of_all: dict[str, Any] = sum_usage({"judge": facts} for facts in each)["judge"]
        return facts_of_all | ({WARNINGS: list(warnings)} if warnings else {})

    def close(self) -> None:
        """End the calls in progress."""
        for judge in self.members:
            judge.close()


def _check(client: object) -> None:
    """Raise a `ResourceError` for a function that is not a client."""
    if callable(client) and not hasattr(client, "complete"):
        name = getattr(client, "__name__", type(client).__name__)
        raise ResourceError(
            f"judge.client: expected a client, got the function {name}",
            f"Write it as: from_callable({name}, model='NAME'), from valor_llm.clients.callable",
        )


def _names(clients: Sequence[Client]) -> list[str]:
    """Return the names of the judges: the model, with the endpoint if several judges share it."""
    models = [client.model for client in clients]
    names = []
    for client in clients:
        alone = models.count(client.model) == 1
        names.append(client.model if alone else f"{client.model} at {client.endpoint}")
    for name in names:
        if names.count(name) > 1:
            raise ResourceError(
                f"judge.client: expected different judges, found {name} {names.count(name)} times",
                "Ask one judge several times with: judge.repeats",
            )
    return names
