"""What low ratings are about, on the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drretail.lab.failing import MEANINGS, MODES
from drretail.tables.table import table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.lab.failing import Failures, LowRating

LONGEST = 220


def print_failures(found: "Failures", ratings: "Sequence[LowRating]") -> None:
    """A row a system with its counts by mode, what each mode is, and of each the first rationale."""
    rows = [
        (f"{it.system}, by {it.judge}", f"{it.n_low_reports}/{it.n_reports}", it.n_low, *(it.modes[m] for m in MODES))
        for it in found.systems
    ]
    heads = [mode.replace("_", " ") for mode in MODES]
    people, unsorted = sum(it.by_people for it in found.systems), sum(it.unsorted for it in found.systems)
    notes = [
        "Reports: with a low rating, of those rated. One rating may be about several modes.",
        *([f"Of {people:,} a person says what they are about."] if people else []),
        *([f"{unsorted:,} could not be sorted: --retry failed asks again."] if unsorted else []),
    ]
    columns = ["", "reports", "low ratings", *heads]
    print_table(table_of("Ratings below 4, and what they are about", columns, rows, notes=notes))
    for mode in MODES:
        said = next((it for it in ratings if mode in it.counted), None)
        if said is not None:
            quote = said.rationale if len(said.rationale) <= LONGEST else f"{said.rationale[:LONGEST]}…"
            where = f"{said.query}, {said.system}, {said.dimension.replace('_', ' ')}"
            print_text(f"{mode.replace('_', ' ')}: {MEANINGS[mode]}. As in: “{quote}” ({where})")
