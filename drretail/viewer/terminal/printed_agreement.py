"""Agreement of people and judges on the terminal."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.viewer.output import print_notes, print_table

if TYPE_CHECKING:
    from drretail.eval.lab.people_findings import Agreed, Agreement

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
        print_notes(["No two raters said something of the same thing."])
        return
    for title, rows in groupby(made.pairs, key=lambda row: _asked(row.scale, row.dimension)):
        _print_pairs(title, list(rows))
    shown = [name for name in STATISTICS if any(getattr(row, name) is not None for row in made.pairs)]
    print_notes(["; ".join(MEANINGS[name] for name in shown if name in MEANINGS) + ". " + N_AND_INTERVAL])
    if made.people:
        rows = [
            (_asked(it.scale, it.dimension), it.n_people, it.n_items, it.level, _number(it.alpha)) for it in made.people
        ]
        print_table("All people (Krippendorff's α)", ["", "people", "items", "level", "α"], rows)
    if made.alignments:
        rows = [
            (
                f"{it.judge}, {it.dimension.replace('_', ' ')}",
                it.n_reports,
                _number(it.mean_absolute_deviation),
                _number(it.pairwise_comparison_accuracy),
                _number(it.ranking_agreement),
            )
            for it in made.alignments
        ]
        print_table("Judges beside the mean of people", ["", "reports", "MAD", "PCA", "same order"], rows)
        print_notes(
            ["MAD: points off; PCA: pairs of reports in people's order; same order: queries with all systems in it."]
        )


def _print_pairs(title: str, rows: "Sequence[Agreed]") -> None:
    shown = [name for name in STATISTICS if any(getattr(row, name) is not None for row in rows)]
    cells = [
        (f"{row.first}, {row.second}", row.n, *(_number(getattr(row, name)) for name in shown), _ends(row))
        for row in rows
    ]
    print_table(title, ["", "n", *(STATISTICS[name] for name in shown), "95 %"], cells)


def _ends(row: "Agreed") -> str:
    return "–" if row.low is None or row.high is None else f"{row.low:.2f} to {row.high:.2f}"


def _asked(scale: str, dimension: str) -> str:
    return f"{scale}: {dimension.replace('_', ' ')}" if dimension else scale


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
