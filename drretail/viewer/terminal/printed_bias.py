"""How a judge is biased, on the terminal."""

from typing import TYPE_CHECKING

from drretail.lab.finding import unanswered_in_words
from drretail.lab.trial_findings import seen_from, why_open
from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from drretail.lab.trial_findings import BiasEffect, BiasFound, ProbeFound

COLUMNS = ["", "of", "effect (95 %)", "queries", "n", ""]
NOTES = (
    "Intervals are over queries. None found is no proof that there is none: the smallest true effect that so many "
    "queries show in four of five cases stands beside it.",
    "Shares of which no value is neutral, such as flips, have neither.",
)


def print_bias(found: "BiasFound") -> None:
    """A table for each judge and probe on stdout; what a probe could not say in a sentence below."""
    for row in found.probes:
        if row.effects:
            title = f"{row.probe.replace('_', ' ').capitalize()}, by {row.judge}"
            print_table(table_of(title, COLUMNS, [_row(it) for it in row.effects]))
    silent = [*_silent(found.probes), *_unanswered(found.probes)]
    print_text(*(NOTES if any(it.effects for it in found.probes) else ()), *silent)


def _silent(rows: "Sequence[ProbeFound]") -> "Iterator[str]":
    """A sentence for each reason of each judge, with the probes that it is for."""
    for judge, reason in dict.fromkeys((it.judge, it.reason) for it in rows if not it.effects):
        probes = [it.probe.replace("_", " ") for it in rows if (it.judge, it.reason) == (judge, reason)]
        yield f"{judge}, {', '.join(probes)}: {reason}."


def _unanswered(rows: "Sequence[ProbeFound]") -> "Iterator[str]":
    for row in rows:
        if left := unanswered_in_words(row.failed, row.unasked):
            yield f"{row.judge}, {row.probe.replace('_', ' ')}: {left}."


def _row(it: "BiasEffect") -> list[object]:
    effect = Cell(it.value, "number", it.low, it.high)
    return [it.name, it.dimension.replace("_", " "), effect, it.n, it.n_items, _verdict(it)]


def _verdict(it: "BiasEffect") -> str:
    if it.neutral is None:
        return ""
    if it.is_found is None:
        return why_open(it)
    return "found" if it.is_found else f"none found; {seen_from(it)}"
