"""Sentences on noise: what more repeats would be worth, and whether the agent's can be told from the judge's."""

from collections.abc import Iterator, Mapping, Sequence

from drretail.eval.compare.judges import Name, alike
from drretail.eval.compare.shares import narrower
from drretail.eval.compare.wording import listed, name_of, shares
from drretail.eval.stats.tests import LEVEL
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable

DOUBLED = narrower(1.0)
"""What doubling the queries takes off an interval's width."""


def noise_sentences(comparison: Comparison, name: Name) -> Iterator[str]:
    """One sentence on repeats of all judges, one on whose noise it is."""
    worth = [found for table in comparison.tables if (found := _worth(table.rows, name(table)))]
    if worth:
        yield (
            f"Twice the queries would narrow every interval by {100 * DOUBLED:.0f} %. As far as so few repeats tell, "
            f"it would narrow by {'; by '.join(worth)}."
        )
    yield from _agents(comparison, name)


def _worth(rows: Sequence[ComparedRow], judge: str) -> str:
    """Of rows that noise of repeats has a part in."""
    runs = [narrower(row.repeat_share) for row in rows if row.repeat_share is not None]
    judged = [narrower(row.judge_share) for row in rows if row.judge_share is not None]
    said = [(runs, "twice the runs of each query"), (judged, "twice the judgements alone")]
    told = [f"{shares(found)} with {what}" for found, what in said if any(found)]
    return f"{' and '.join(told)} (by {judge})" if told else ""


def _agents(comparison: Comparison, name: Name) -> Iterator[str]:
    """Only where runs and judgements were repeated: what code says never differs, and all noise is the agent's."""
    sides = {comparison.a: "A", comparison.b: "B"}
    tested = [table for table in comparison.tables if any(row.p_agent is not None for row in table.reliability)]
    for judges, found in alike((name(table), _louder(table, sides)) for table in tested):
        for louder in found:
            yield (
                f"By {listed(judges)}, runs of one query differ by more than the judge's own noise in {louder}."
                if louder
                else f"By {listed(judges)}, the agent's noise can't be told from the judge's in anything: runs of one "
                "query differ no more than judgements of one report may."
            )


def _louder(table: JudgeTable, sides: Mapping[str, str]) -> str:
    """ "depth of A and clarity of B"."""
    found = [row for row in table.reliability if row.p_agent is not None and row.p_agent <= LEVEL]
    return listed(f"{name_of(row)} of {sides[row.system]}" for row in found) if found else ""
