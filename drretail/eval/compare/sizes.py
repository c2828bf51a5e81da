"""Sentences on size: how many queries what was seen would take, and what so many queries would have shown."""

from collections.abc import Iterator, Sequence

from drretail.eval.compare.headlines import COUNTS
from drretail.eval.compare.judges import Name
from drretail.eval.compare.wording import name_of, queries, signed, span
from drretail.eval.compare.wording import number as said
from drretail.records.comparison import ComparedRow, Comparison


def sizes(comparison: Comparison, name: Name) -> Iterator[str]:
    """Both sentences, of the rows of which nothing could be concluded; each judge's numbers are named as its."""
    open_rows = {
        name(table): [row for row in table.rows if row.outcome in ("undecided", "too_few")]
        for table in comparison.tables
    }
    taken = [f"{found} by {judge}" for judge, rows in open_rows.items() if (found := _needed(rows))]
    if taken:
        rough = any(row.outcome == "too_few" for rows in open_rows.values() for row in rows)
        roughly = "; so few queries tell this only roughly" if rough else ""
        yield f"To show differences as large as were seen would take {'; '.join(taken)}{roughly}."
    undecided = {judge: [row for row in rows if row.outcome == "undecided"] for judge, rows in open_rows.items()}
    shown = [f"{found} by {judge}" for judge, rows in undecided.items() if (found := _shown(rows))]
    if shown:
        halves = [row.power_of_half for rows in undecided.values() for row in rows if row.power_of_half is not None]
        yield (
            "True differences of this size would be shown in about 4 of 5 such experiments, tested as strictly as Holm "
            f"may ask, and half of them in {_of_ten(halves)}: {'; '.join(shown)}."
        )


def _needed(rows: Sequence[ComparedRow]) -> str:
    """The fewest and the most that any row would take."""
    found = sorted((row.queries_needed, name_of(row), row) for row in rows if row.queries_needed is not None)
    ends = [(queries(count), f"{it}, {signed(row.difference or 0)}") for count, it, row in found]
    return span(ends) if ends else ""


def _shown(rows: Sequence[ComparedRow]) -> str:
    """Of rows on a scale: counts, each in a unit of its own, have theirs in the tables."""
    scaled = [row for row in rows if row.variant not in COUNTS] or rows
    found = sorted((row.detectable, name_of(row)) for row in scaled if row.detectable)
    return span([(said(size), it) for size, it in found]) if found else ""


def _of_ten(halves: Sequence[float]) -> str:
    """ "3 of 10", "2 to 3 of 10"."""
    low, high = round(10 * min(halves)), round(10 * max(halves))
    return f"{low} of 10" if low == high else f"{low} to {high} of 10"
