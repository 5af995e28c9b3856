"""Page of the table of faults: outcomes as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llm_fault_kinds import OF_IDS, SHARES


@dataclass(frozen=True)
class Outcome:
    """What a program made of a fault.

    Parameters
    ----------
    right, none, wrong : int
        Samples with the right score, without any, and with another.
    calls, faults : int
        Calls that the endpoint got, and how many of them met the fault.
    seconds : float or None
        What the run took; None if it had to be ended.
    """

    right: int
    none: int
    wrong: int
    calls: int
    faults: int
    seconds: float | None

    @property
    def scores(self) -> str:
        """How many samples of each kind."""
        wrong = f"**{self.wrong}**" if self.wrong else "0"
        return f"{self.right} / {self.none} / {wrong}" + (" †" if self.seconds is None else "")

    @property
    def cost(self) -> str:
        """Calls and seconds."""
        return f"{self.calls}, {'†' if self.seconds is None else f'{self.seconds:.1f} s'}"


@dataclass(frozen=True)
class Row:
    """A fault, its words in the table, and what each program made of it, if it met it."""

    fault: str
    words: str
    outcomes: Mapping[str, Outcome]

    def cell(self, peer: str, attribute: str) -> str:
        """What stands in a program's column."""
        found = self.outcomes.get(peer)
        if found is None:
            return "n/a" if self.fault in OF_IDS else "-"
        if self.fault and not found.faults:
            return "n/a"
        return str(getattr(found, attribute))


_BEGINNING = """\
# Faults of endpoints and replies

<!-- Made by benchmarks/llm_faults.py: change that, and run it again. -->

{kinds} kinds of fault, one at a time. {samples} samples with expected scores are scored by each
program over the same mock endpoint. A cell has the numbers of samples with **the right score / no
score / a wrong score without a warning**. The table has faults of endpoints and of replies, and a
few right replies that must be accepted. Valor was measured with all kinds. The columns of the other
programs are of an earlier run of a part of them: - is a kind that was not measured, n/a a kind that
does not apply.

| program | kinds with a silently wrong score | right | no score | silently wrong |
| --- | --- | --- | --- | --- |
{totals}

In Valor, a sample without a score has a reason in the report, and the bounds of the mean show the
possible effect of failed samples. A wrong key, a missing permission or an unknown model stops the
run: the remaining samples are *not run*, and a later run scores them.

## Method

The endpoint answers after {latency:.0f} ms, {width} calls at a time, and a call may take
{timeout:.0f} s. A claim is supported if a context has its last word, so every score is
known. A seed and the question decide if a call meets the fault: a retry may meet it again.
Faults that do not apply, such as a list of verdicts in a reply without any, leave the reply
unchanged. A list of claims without one of them is not among the faults, since it looks like a right
one. A reply that is copied from an example of the prompt is detected, as long as the example
mentions its data; the examples of Valor do.

One kind gives Valor wrong scores: a second, contrary answer that arrives after the next call has
begun on the same connection. HTTP/1.1 does not mark the call of an answer.

In quoted replies, … is an answer that contradicts the right one, and ✓ is the right one. Ratings
are those of SummaryCoherence; the last table has those of Rubric.

Valor runs with its default retries and no cache; ragas with the Faithfulness of its
collections; deepeval with FaithfulnessMetric, without a reason and ignoring errors; valor-lite
from threads. Their verdicts have no ids, so that most faults of ids are n/a, and
so is an example that they do not send. A run that took longer than {patience:.0f} s was ended: †.

`python benchmarks/llm_faults.py` creates this page; `benchmarks/README.md` lists its requirements.
"""
_ENDING = """
## Calls and time

Numbers of calls to the endpoint, and duration of the run, on a busy machine.
"""


def page(
    groups: Mapping[str, Sequence[Row]], titles: Mapping[str, str], settings: Mapping[str, float]
) -> str:
    """The page.

    Parameters
    ----------
    groups : mapping of str to sequence of Row
        The rows below each heading.
    titles : mapping of str to str
        What the programs are called.
    settings : mapping of str to float
        ``samples``, ``latency`` in milliseconds, ``width``, ``timeout`` and ``patience``.
    """
    rows = [row for group in groups.values() for row in group]
    kinds = sum(bool(row.fault) for row in rows)
    totals = "\n".join(_total(peer, title, rows) for peer, title in titles.items())
    parts = [_BEGINNING.format(kinds=kinds, totals=totals, **settings)]
    parts += [
        f"\n## {name}\n\n{_table(group, titles, 'scores')}\n" for name, group in groups.items()
    ]
    parts += [_ENDING]
    parts += [
        f"\n### {name}: cost\n\n{_table(group, titles, 'cost')}\n" for name, group in groups.items()
    ]
    return "".join(parts)


def _total(peer: str, title: str, rows: Sequence[Row]) -> str:
    found = [row.outcomes[peer] for row in rows if peer in row.outcomes]
    own = [one for one in found if one.faults]
    wrong = sum(one.wrong > 0 for one in own)
    sums = [sum(getattr(one, name) for one in own) for name in ("right", "none", "wrong")]
    cells = [title, f"{wrong} of {len(own)}", *(f"{total:,}" for total in sums)]
    return f"| {' | '.join(cells)} |"


def _table(rows: Sequence[Row], titles: Mapping[str, str], attribute: str) -> str:
    peers = [peer for peer in titles if any(peer in row.outcomes for row in rows)]
    lines = [f"| fault | share | {' | '.join(titles[peer] for peer in peers)} |"]
    lines += [f"|{' --- |' * (2 + len(peers))}"]
    for row in rows:
        share = f"{100 * SHARES.get(row.fault, 0.2):.0f} %" if row.fault else ""
        cells = [row.cell(peer, attribute) for peer in peers]
        lines.append(f"| {row.words} | {share} | {' | '.join(cells)} |")
    return "\n".join(lines)
