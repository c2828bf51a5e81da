"""Corrected scores on the terminal."""

from typing import TYPE_CHECKING

from drretail.eval.lab.finding import short_share, with_ends
from drretail.eval.lab.people_findings import SHARES
from drretail.viewer.output import print_notes, print_table
from drretail.viewer.tables.scores import notes_on, system_names

if TYPE_CHECKING:
    from drretail.eval.lab.people_findings import CorrectedValue, Correction, Separation

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
    if made.values:
        print_table("As people would score", COLUMNS, [_row(it, names[it.system]) for it in made.values])
    told = [*notes_on(labels), *(_apart(it) for it in made.separations)]
    told += [f"{it.told()}." for it in made.missing]
    told += made.notes
    has_recall = any(it.what == "FR" for it in made.values)
    print_notes([MEANINGS if made.values else "", FR_IS if has_recall else FR_IS_NOT, "", *told])


def _row(it: "CorrectedValue", name: str) -> list[object]:
    judged = short_share(it.judged)
    corrected = with_ends(it.value, it.low, it.high)
    alone = with_ends(it.labels_alone, it.labels_alone_low, it.labels_alone_high)
    gain = "–" if it.gain is None else f"× {it.gain:.1f}"
    return [
        f"{it.what}, {name}" if it.what in SHARES else f"{name} {it.what}",
        it.n_labels,
        it.n_items,
        judged,
        corrected,
        alone,
        gain,
    ]


def _apart(it: "Separation") -> str:
    told = f"{it.a} less {it.b}: {with_ends(it.difference, it.low, it.high)}"
    if it.low is None or it.high is None:
        return f"{told}; below five users there is no interval."
    if it.low > 0 or it.high < 0:
        return f"{told}; shown by {it.labels} labels."
    if it.labels_needed is None:
        return f"{told}; if it is so large, no number of labels on these reports would show it: run more queries."
    return f"{told}; if it is so large, about {max(1, it.labels_needed - it.labels):,} labels more would show it."
