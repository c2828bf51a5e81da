"""Agreement of people and judges on the terminal."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.tables.figures import interval
from drretail.tables.table import Table, table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.lab.people_findings import Agreed, Agreement

STATISTICS = {
    "percent": "same",
    "kappa": "κ",
    "kappa_linear": "κ lin",
    "kappa_quadratic": "κ quad",
    "kappa_without_ties": "no ties",
    "soft_disagreement": "soft",
    "pearson": "r",
    "spearman": "ρ",
    "kendall": "τ",
}
MEANINGS = {
    "percent": "same: share of equal answers",
    "kappa": "κ: Cohen's, agreement beyond chance",
    "kappa_linear": "κ lin, κ quad: of ordered answers, a miss weighted by how far it is off",
    "kappa_without_ties": "no ties: κ where neither said tie",
    "soft_disagreement": "soft: of disagreements, those in which one said tie",
    "pearson": "r, ρ, τ: Pearson, Spearman, Kendall τ_b",
}


N_AND_INTERVAL = "n: items that both rated. 95 %: over queries, of linear κ, else of ρ, else of κ; none below five."


def print_agreement(made: "Agreement") -> None:
    """A table a question on stdout, then α of all people, and how far judges are from their mean."""
    if not made.pairs:
        print_text("No two raters said something of the same thing.")
        return
    for title, rows in groupby(made.pairs, key=lambda row: _asked(row.scale, row.dimension)):
        print_table(_pairs(title, list(rows)))
    shown = [name for name in STATISTICS if any(getattr(row, name) is not None for row in made.pairs)]
    print_text("; ".join(MEANINGS[name] for name in shown if name in MEANINGS) + ". " + N_AND_INTERVAL, "")
    if made.people:
        rows = [(_asked(it.scale, it.dimension), it.n_people, it.n_items, it.level, it.alpha) for it in made.people]
        print_table(table_of("All people (Krippendorff's α)", ["", "people", "items", "level", "α"], rows))
    if made.alignments:
        rows = [
            (
                f"{it.judge}, {it.dimension.replace('_', ' ')}",
                it.n_reports,
                it.mean_absolute_deviation,
                it.pairwise_comparison_accuracy,
                it.ranking_agreement,
            )
            for it in made.alignments
        ]
        note = "MAD: points off; PCA: pairs of reports in people's order; same order: queries with all systems in it."
        columns = ["", "reports", "MAD", "PCA", "same order"]
        print_table(table_of("Judges beside the mean of people", columns, rows, notes=[note]))


def _pairs(title: str, rows: "Sequence[Agreed]") -> Table:
    shown = [name for name in STATISTICS if any(getattr(row, name) is not None for row in rows)]
    cells = [
        (
            f"{row.first}, {row.second}",
            row.n,
            *(getattr(row, name) for name in shown),
            interval(row.low, row.high) or None,
        )
        for row in rows
    ]
    return table_of(title, ["", "n", *(STATISTICS[name] for name in shown), "95 %"], cells)


def _asked(scale: str, dimension: str) -> str:
    return f"{scale}: {dimension.replace('_', ' ')}" if dimension else scale
