"""What repeats of runs and of judgements tell, as a table below that of its judge."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from drretail.cli.cells import figure, row_name, share
from drretail.cli.grid import print_grid

if TYPE_CHECKING:
    from drretail.records.comparison import Comparison, JudgeTable, Reliability

SPREADS = {
    "queries": "between queries",
    "agent": "between repeats of the agent, the judge's noise taken out",
    "judge": "between repeats of the judge on one report",
    "agent+judge": "between repeats of the agent where each report was judged once: its noise and the judge's together",
}


def print_steadiness(table: "JudgeTable", comparison: "Comparison") -> None:
    """Standard deviations, pass^k and worst of k of both sides; nothing where nothing was repeated."""
    if not table.reliability:
        return
    sides = {comparison.a: "A", comparison.b: "B"}
    several = len({row.metric for row in table.rows}) > 1
    k = max(it.k for it in table.reliability)
    columns = ["", "side", *SPREADS, *([] if k < 2 else ["pass^1", f"pass^{k}", "mean", f"worst of {k}"])]
    lines = [
        [row_name(it.metric, it.variant, several=several), sides[it.system], *_steady(it)][: len(columns)]
        for it in table.reliability
    ]
    told = [at for at, column in enumerate(columns) if column not in SPREADS or any(line[at] != "–" for line in lines)]
    kept = [columns[at] for at in told]
    print_grid(
        "Noise (standard deviations) and repeats",
        kept,
        [[line[at] for at in told] for line in lines],
        ("mean", f"worst of {k}", "pass^1"),
    )


def _steady(it: "Reliability") -> list[str]:
    spreads = [figure(value) for value in (it.sd_queries, it.sd_agent, it.sd_judge, it.sd_repeats)]
    return [*spreads, share(it.pass_1), share(it.pass_k), figure(it.mean), figure(it.worst_of_k)]


def steadiness_legend(comparison: "Comparison") -> Iterable[str]:
    """What the columns of all these tables mean."""
    rows = [it for table in comparison.tables for it in table.reliability]
    if not rows:
        return
    told = [name for at, name in enumerate(SPREADS) if any(_steady(it)[at] != "–" for it in rows)]
    meanings = "; ".join(f"{name}: {SPREADS[name]}" for name in told)
    yield f"{meanings}. Estimates from so few repeats are rough."
    k = max(it.k for it in rows)
    bars = ", ".join(f"{bar:g}" for bar in sorted({it.bar for it in rows if it.bar is not None}))
    if k > 1 and bars:
        yield (
            f"pass^1, pass^{k}: how likely one run, and all {k} runs of a query, reach the bar ({bars}); a run without "
            f"a report does not. mean, worst of {k}: of a query's runs, and of the lowest of them."
        )
