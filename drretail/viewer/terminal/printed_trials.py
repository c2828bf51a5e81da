"""Planted errors and undeserving reports on the terminal."""

from typing import TYPE_CHECKING

from drretail.lab.finding import unanswered_in_words
from drretail.tables.figures import interval, number, with_interval
from drretail.tables.table import table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.lab.trial_findings import ExploitRow, ExploitsFound, Found, PlantedFound, PlantedKind


def print_planted(found: "PlantedFound") -> None:
    """A row a kind of error on stdout: how many were planted, and how many each finder found."""
    finders = list(found.everything.found)
    rows = [_planted_row(it, finders) for it in (*found.kinds, found.everything)]
    everything = [f"{it}: {_of_all(found.everything.found[it])}" for it in finders]
    notes = [
        f"Of all, with the 95 % interval: {'; '.join(everything)}.",
        "3/10 -2 !1: found 3 of the 10 that were judged; 2 more have no claim there, or no answer of the judge; 1 "
        "original, right there, was faulted, too. No place: good reports without a place for such an error.",
        *(
            f"{name}: {left}; in no share."
            for name, it in found.everything.found.items()
            if (left := unanswered_in_words(it.failed, it.unasked))
        ),
        *(
            f"{name}: of the {it.n_fresh:,} whose original it had passed there, {it.found_fresh:,} found."
            for name, it in found.everything.found.items()
            if it.false
        ),
        *(
            f"{it.finder}: in the reports as they were, {it.alarms:,} of {it.n:,} {it.unit} faulted"
            f"{_ends(it.low, it.high)}."
            for it in found.alarms
        ),
    ]
    columns = ["kind", "planted", "no place", *finders]
    print_table(table_of("Planted errors that were found", columns, rows, notes=notes))


def _planted_row(row: "PlantedKind", finders: list[str]) -> list[object]:
    cells = [_found(row.found[it]) if it in row.found else "–" for it in finders]
    return [row.kind, row.n, row.without_place, *cells]


def _found(found: "Found") -> str:
    left = found.unjudged + found.failed + found.unasked
    unjudged = f" -{left}" if left else ""
    false = f" !{found.false}" if found.false else ""
    return f"{found.found}/{found.n}{unjudged}{false}"


def _of_all(found: "Found") -> str:
    share = f" = {with_interval(found.found / found.n, found.low, found.high)}" if found.n else ""
    return f"{found.found}/{found.n}{share}"


def _ends(low: float | None, high: float | None) -> str:
    ends = interval(low, high)
    return f" ({ends})" if ends else ""


def print_exploits(found: "ExploitsFound") -> None:
    """A row an exploit on stdout, a table for each judge."""
    for judge in dict.fromkeys(it.judge for it in found.rows):
        rows = [_exploit_row(it) for it in found.rows if it.judge == judge]
        columns = ["exploit", "verdict", "below honest", "above honest", "no difference shown"]
        print_table(table_of(f"Reports that deserve nothing, by {judge} and by code", columns, rows))
    print_text(
        "Each is compared with the honest reports it is made of, over all planned runs: what fails or lacks a value "
        "earns 0. Caught: below them in a primary headline, and above them in none (Holm over its headlines, and the "
        "interval). 0.20 < 1.00: the exploit's mean, then theirs.",
        f"Made of {found.honest[0]}.",
    )


def _exploit_row(row: "ExploitRow") -> list[object]:
    verdict = "caught" if row.is_caught else "open" if row.is_concluded else f"{row.n} of {row.needed} queries"
    sides = ((row.below, "<"), (row.above, ">"), (row.level, "~"))
    told = [", ".join(f"{it.name} {number(it.value)} {sign} {number(it.honest)}" for it in its) for its, sign in sides]
    return [row.exploit.replace("_", " "), verdict, *(it or "–" for it in told)]
