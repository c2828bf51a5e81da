"""Sentences on judges: their numbers are never mixed, and it is said where they contradict each other."""

from collections.abc import Iterator
from typing import NamedTuple

from drretail.eval.compare.judges import Name
from drretail.eval.compare.wording import listed, name_of
from drretail.eval.pairwise.preference import preferred
from drretail.eval.panel import names_panel
from drretail.records.comparison import Comparison
from drretail.records.score import CODE


class _Said(NamedTuple):
    """One thing that a judge concluded: by rating each report, or side by side."""

    about: str
    judge: str
    higher: str
    """A or B."""


def contradictions(comparison: Comparison, name: Name) -> Iterator[str]:
    """Of judges alone: a panel is none of them, and code has no opinion."""
    tables = [table for table in comparison.tables if table.judge != CODE and not names_panel(table.judge)]
    judges = list(dict.fromkeys(map(name, tables)))
    if len(judges) > 1:
        yield (
            f"{len(judges)} judges are heard, each in a table of its own: {listed(judges)}. Their numbers are not "
            "comparable."
        )
    said = list(_said(comparison, name))
    for about in dict.fromkeys(it.about for it in said):
        sides = {
            side: listed(dict.fromkeys(it.judge for it in said if (it.about, it.higher) == (about, side)))
            for side in ("A", "B")
            if any((it.about, it.higher) == (about, side) for it in said)
        }
        if len(sides) > 1:
            by = f"A by {sides['A']}, B by {sides['B']}"
            yield f"Judges contradict each other in {about}: {by}. Conclude nothing there."


def _said(comparison: Comparison, name: Name) -> Iterator[_Said]:
    for table in comparison.tables:
        for row in table.rows:
            if row.outcome in ("higher", "lower") and not names_panel(table.judge):
                yield _Said(name_of(row), name(table), "A" if row.outcome == "higher" else "B")
    for row in comparison.pairs:
        winner = preferred(row)
        if winner is not None and not names_panel(row.judge):
            yield _Said(row.dimension, f"{name(row)} side by side", "A" if winner == comparison.a else "B")
