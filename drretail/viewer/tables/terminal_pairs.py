"""Pairwise judging and the agreement of judges on the terminal."""

from typing import TYPE_CHECKING

from drretail.viewer.output import print_notes, print_title
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.pairs import TITLE, WHOLE, Paired, paired
from drretail.viewer.tables.terminal_scores import print_grid

if TYPE_CHECKING:
    from drretail.records.score import Scores


def print_pairs(scores: "Scores") -> None:
    """The pairs of each judge on stdout, and strengths where three systems or more were compared."""
    import typer

    for bench in paired(scores.pairs, scores.ranks):
        _print_bench(bench)
        typer.echo("")


def print_agreements(scores: "Scores") -> None:
    """How far every two judges agree, on stdout; nothing where there are no two."""
    import typer

    table = agreement_table(scores.agreements)
    if table is not None:
        print_grid(table)
        print_notes(table.notes)
        typer.echo("")


def _print_bench(bench: Paired) -> None:
    title = f"{TITLE}, {bench.by}"
    if bench.hidden:
        print_notes([f"{title}: {bench.hidden}", *bench.lacking])
        return
    print_title(title)
    few = len(bench.pairs) <= WHOLE or bench.overall is None
    for table in bench.pairs if few else filter(None, [bench.overall]):
        print_grid(table)
    print_notes(bench.notes)
    if not few:
        print_notes([f"{len(bench.pairs):,} pairs: the other six dimensions are in scores.json; --json prints them."])
    if bench.strengths is not None:
        print_grid(bench.strengths)
        print_notes(bench.strengths.notes)
    print_notes(bench.lacking)
