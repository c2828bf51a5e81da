"""Corrected scores on the terminal."""

from typing import TYPE_CHECKING

from drretail.viewer.output import print_notes, print_table

if TYPE_CHECKING:
    from drretail.eval.lab.findings import CorrectedValue, Correction, Separation

COLUMNS = ["", "labels", "of", "judge alone", "corrected", "labels alone", "λ", "gain"]
MEANINGS = (
    "Corrected: what people would say of all claims, 95 %, valid whatever the judge; queries are the unit. λ: how far "
    "verdicts were trusted. Gain: as many times the labels it is worth."
)


def print_correction(made: "Correction") -> None:
    """Every value with and without the verdicts, then what would tell systems apart, then what must be known."""
    print_table("As people would score", COLUMNS, [_row(it) for it in made.values])
    print_notes([MEANINGS, "", *(_apart(it) for it in made.separations), *made.notes])


def _row(it: "CorrectedValue") -> list[object]:
    judged = "–" if it.judged is None else f"{it.judged:.2f}"
    corrected = _interval(it.value, it.low, it.high)
    alone = _interval(it.labels_alone, it.labels_alone_low, it.labels_alone_high)
    gain = "–" if it.gain is None else f"× {it.gain:.1f}"
    return [f"{it.what}, {it.system}", it.n_labels, it.n_items, judged, corrected, alone, f"{it.power:.2f}", gain]


def _apart(it: "Separation") -> str:
    told = f"{it.a} less {it.b}: {_interval(it.difference, it.low, it.high)}"
    if it.low is None or it.high is None:
        return f"{told}; labels on two queries or more would give an interval."
    if it.low > 0 or it.high < 0:
        return f"{told}; shown by {it.labels} labels."
    if it.labels_needed is None:
        return f"{told}; if it is so large, no number of labels on these reports would show it: run more queries."
    return f"{told}; if it is so large, about {max(1, it.labels_needed - it.labels):,} labels more would show it."


def _interval(value: float, low: float | None, high: float | None) -> str:
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f} to {high:.2f})"
