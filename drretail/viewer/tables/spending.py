"""What runs and judging took."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drretail.eval.judging.spending import JudgingCost
from drretail.eval.registry import PAIRWISE
from drretail.llm.usage import estimated_note
from drretail.records.tables.figures import counted, dollars
from drretail.records.tables.table import Cell, Table, table_of

if TYPE_CHECKING:  # which brings agents along, and with them LangChain: scoring by code needs none
    from drretail.agents.running.spending import Spending

RUN_COLUMNS = ["", "done", "calls", "input tokens", "output tokens", "words", "$ a run", "$ in all", "cache read"]
# Left out in a narrow terminal, the first one first.
SPARE_RUN_COLUMNS = ["cache read", "done", "output tokens", "words", "$ in all", "input tokens"]
JUDGING_COLUMNS = ["metric", "judge", "judged", "calls", "input tokens", "output tokens", "cache read", "dollars"]


def spending_table(rows: "Sequence[Spending]") -> Table:
    """What a run took, as mean ± standard deviation, and what all took."""
    notes = [
        *estimated_note(row.total.usage for row in rows),
        *(f"{row.label}: {counted(row.unknown, 'run does', 'runs do')} not tell usage." for row in rows if row.unknown),
    ]
    cells = [
        [
            row.label,
            row.done,
            *(
                Cell(spread.mean, "mean", deviation=spread.sd)
                for spread in (row.calls, row.input, row.output, row.words)
            ),
            Cell("–") if not row.done else _dollars(row.dollars.mean),
            _dollars(row.total.dollars if row.is_known else None),
            Cell(row.cache_read, "percent"),
        ]
        for row in rows
    ]
    title = "What a run took (mean ± standard deviation)"
    return table_of(title, RUN_COLUMNS, cells, notes=notes, spare=SPARE_RUN_COLUMNS).filled


def judging_table(costs: Sequence[JudgingCost]) -> Table:
    """All judging of an experiment so far, by metric and judge."""
    rows: list[list[object]] = []
    for cost in costs:
        judged = counted(cost.reports, "pair" if cost.metric == PAIRWISE else "report")
        used, cached = cost.cost.usage, Cell(cost.cache_read, "percent")
        took = (used.calls, used.total - used.output, used.output, cached, _dollars(cost.cost.dollars))
        rows.append([cost.metric, cost.judge, judged, *took])
    notes = estimated_note(cost.cost.usage for cost in costs)
    return table_of("What judging took, in all", JUDGING_COLUMNS, rows, notes=notes).filled


def judging_in_short(costs: Sequence[JudgingCost]) -> str:
    """One sentence on all judging so far; blank if no judge was asked."""
    calls = sum(each.cost.usage.calls for each in costs)
    if not calls:
        return ""
    tokens = sum(each.cost.usage.total for each in costs)
    known = [each.cost.dollars for each in costs]
    spent = None if None in known else sum(value for value in known if value is not None)
    cost = "a price unknown" if spent is None else f"${dollars(spent)}" if spent else "at no cost"
    notes = estimated_note(each.cost.usage for each in costs)
    return " ".join((f"Judging took {counted(calls, 'call')}, {tokens:,} tokens, {cost}.", *notes))


def _dollars(value: float | None) -> Cell:
    """A cell of dollars: "unknown" for None, and a dash for 0."""
    return Cell("unknown" if value is None else value or "–", "dollars")
