"""Corrected scores on the terminal."""

from typing import TYPE_CHECKING

from drretail.lab.people_findings import SHARES
from drretail.tables.figures import with_interval
from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_table, print_text
from drretail.viewer.tables.scores import notes_on, system_names

if TYPE_CHECKING:
    from drretail.lab.people_findings import CorrectedValue, Correction, Separation

COLUMNS = ["", "labels", "of", "judge alone", "corrected", "labels alone", "gain"]
MEANINGS = (
    "Corrected: what people would say of all claims, with a 95 % interval over users that holds however good the judge "
    "is. Gain: as many times the labels that labels alone would need for an interval of this width."
)
FR_IS_NOT = (
    "FR is not corrected: nobody was asked which claims are any, and have a source; drretail lab sample --uncited asks."
)
FR_IS = (
    "FR: of what the judge took for claims, and people do too, the share with a source. Claims that the judge passed "
    "over are in neither, so it stays conditional on the extraction."
)


def print_correction(made: "Correction") -> None:
    """Every value with and without the verdicts, then what would tell systems apart, then what must be known."""
    labels = [it.system for it in made.values]
    names = system_names(labels)
    told = [*notes_on(labels), *(_apart(it) for it in made.separations), *(f"{it.summary()}." for it in made.missing)]
    has_recall = any(it.what == "FR" for it in made.values)
    note = FR_IS if has_recall else FR_IS_NOT
    if made.values:
        rows = [_row(it, names[it.system]) for it in made.values]
        print_table(table_of("As people would score", COLUMNS, rows, notes=(MEANINGS, note)))
    else:
        print_text(note)
    print_text(*told, *made.notes)


def _row(it: "CorrectedValue", name: str) -> list[object]:
    return [
        f"{it.what}, {name}" if it.what in SHARES else f"{name} {it.what}",
        it.n_labels,
        it.n_items,
        it.judged,
        Cell(it.value, "number", it.low, it.high),
        Cell(it.labels_alone, "number", it.labels_alone_low, it.labels_alone_high),
        Cell(it.gain, "tenths"),
    ]


def _apart(it: "Separation") -> str:
    told = f"{it.a} less {it.b}: {with_interval(it.difference, it.low, it.high)}"
    if it.low is None or it.high is None:
        return f"{told}; below five users there is no interval."
    if it.low > 0 or it.high < 0:
        return f"{told}; shown by {it.labels} labels."
    if it.labels_needed is None:
        return f"{told}; if it is so large, no number of labels on these reports would show it: run more queries."
    return f"{told}; if it is so large, about {max(1, it.labels_needed - it.labels):,} labels more would show it."
