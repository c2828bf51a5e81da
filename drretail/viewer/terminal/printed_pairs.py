"""Pairwise judging and the agreement of judges on the terminal."""

from typing import TYPE_CHECKING

from drretail.viewer.output import print_notes, print_title
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.pairs import TITLE, WHOLE, Paired, paired
from drretail.viewer.terminal.printed_scores import print_grid

if TYPE_CHECKING:
    from drretail.records.score import Scores


def print_pairs(scores: "Scores") -> None:
    """The pairs of each judge on stdout, and strengths where three systems or more were compared."""
    import typer

    for table_key in paired(scores.pairs, scores.ranks):
        _print_pairs_table(table_key)
        typer.echo("")


def print_agreements(scores: "Scores") -> None:
    """How far every two judges agree, on stdout; nothing where there are no two."""
    import typer

    table = agreement_table(scores.agreements, scores.metrics)
    if table is not None:
        print_grid(table)
        print_notes(table.notes)
        typer.echo("")


def _print_pairs_table(table_key: Paired) -> None:
    title = f"{TITLE}, {table_key.by}"
    if table_key.hidden:
        print_notes([f"{title}: {table_key.hidden}", *table_key.lacking])
        return
    print_title(title)
    few = len(table_key.pairs) <= WHOLE or table_key.overall is None
    for table in table_key.pairs if few else filter(None, [table_key.overall]):
        print_grid(table)
    print_notes(table_key.notes)
    if not few:
        print_notes(
            [f"{len(table_key.pairs):,} pairs: the other six dimensions are in scores.json; --json prints them."]
        )
    if table_key.strengths is not None:
        print_grid(table_key.strengths)
        print_notes(table_key.strengths.notes)
    print_notes(table_key.lacking)
