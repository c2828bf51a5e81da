"""Pairwise judging and the agreement of judges on the terminal."""

from typing import TYPE_CHECKING

from drretail.viewer.output import print_table, print_text, print_title
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.pairs import TITLE, WHOLE, Paired, paired

if TYPE_CHECKING:
    from drretail.records.score import Scores


def print_pairs(scores: "Scores") -> None:
    """The pairs of each judge on stdout, and strengths where three systems or more were compared."""
    for of_judge in paired(scores.pairs, scores.ranks):
        _print_pairs(of_judge)


def print_agreements(scores: "Scores") -> None:
    """How far every two judges agree, on stdout; nothing where there are no two."""
    table = agreement_table(scores.agreements, scores.metrics)
    if table is not None:
        print_table(table)


def _print_pairs(of_judge: Paired) -> None:
    title = f"{TITLE}, {of_judge.by}"
    if of_judge.hidden:
        print_text(f"{title}: {of_judge.hidden}", *of_judge.lacking, "")
        return
    print_title(title)
    few = len(of_judge.pairs) <= WHOLE or of_judge.overall is None
    for table in of_judge.pairs if few else filter(None, [of_judge.overall]):
        print_table(table)
    count = f"{len(of_judge.pairs):,} pairs: the other six dimensions are in scores.json; --json prints them."
    print_text(*of_judge.notes, *([] if few else [count]), "")
    if of_judge.strengths is not None:
        print_table(of_judge.strengths)
    if of_judge.lacking:
        print_text(*of_judge.lacking, "")
