"""What runs did beside what their reports score, as a table for each judge."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.cli.output import print_notes, print_table

if TYPE_CHECKING:
    from drretail.records.correlations import Correlation
    from drretail.records.score import Scores

BELIEVED = 0.05
"""Of p after Holm."""


def print_correlations(scores: "Scores") -> None:
    """Spearman's ρ inside systems on stdout; nothing where nothing was correlated."""
    for (judge, _, rules), group in groupby(sorted(scores.correlations, key=_bench), key=_bench):
        rows = list(group)
        by = "by code" if judge == "code" else f"judged by {judge}{'' if rules == 'default' else f', rules {rules}'}"
        columns = list(dict.fromkeys((row.metric, row.variant) for row in rows))
        measures = list(dict.fromkeys(row.process for row in rows))
        cells = {(row.process, row.metric, row.variant): row for row in rows}
        headings = [f"{variant} (n={_most(rows, metric, variant)})" for metric, variant in columns]
        lines = [[name, *(_cell(cells.get((name, *column))) for column in columns)] for name in measures]
        print_table(f"process × scores, {by}", ["", *headings], lines)
    if scores.correlations:
        told = (
            f"Spearman's ρ over reports of the same system; * p < {BELIEVED} after Holm over all "
            f"{len(scores.correlations)}. A correlation is no cause; none of this is a gate."
        )
        print_notes([told, ""])


def _bench(row: "Correlation") -> tuple[str, str, str]:
    return row.judge, row.judge_params, row.rules


def _most(rows: "Sequence[Correlation]", metric: str, variant: str) -> int:
    return max(row.n for row in rows if (row.metric, row.variant) == (metric, variant))


def _cell(row: "Correlation | None") -> str:
    return "" if row is None else f"{row.rho:+.2f}{'*' if row.p_holm < BELIEVED else ''}"
