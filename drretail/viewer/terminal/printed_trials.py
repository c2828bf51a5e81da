"""Planted errors and undeserving reports on the terminal."""

from typing import TYPE_CHECKING

from drretail.viewer.output import print_notes, print_table

if TYPE_CHECKING:
    from drretail.eval.lab.trial_findings import ExploitRow, ExploitsFound, Found, PlantedFound, PlantedKind


def print_planted(found: "PlantedFound") -> None:
    """A row a kind of error on stdout: how many were planted, and how many each finder found."""
    finders = list(found.everything.found)
    rows = [_planted_row(it, finders) for it in (*found.kinds, found.everything)]
    print_table("Planted errors that were found", ["kind", "planted", "no place", *finders], rows)
    everything = [f"{it}: {_interval(found.everything.found[it])}" for it in finders]
    print_notes(
        [
            f"Of all, with the 95 % interval: {'; '.join(everything)}.",
            "3/10 −2 !1: found 3 of 10; 2 have no claim that was judged there; 1 original, right there, was faulted, "
            "too. No place: good reports without a place for such an error.",
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
    )


def _planted_row(row: "PlantedKind", finders: list[str]) -> list[object]:
    cells = [_found(row.found[it]) if it in row.found else "–" for it in finders]
    return [row.kind, row.n, row.without_place, *cells]


def _found(found: "Found") -> str:
    unjudged = f" −{found.unjudged}" if found.unjudged else ""
    false = f" !{found.false}" if found.false else ""
    return f"{found.found}/{found.n}{unjudged}{false}"


def _interval(found: "Found") -> str:
    share = "" if not found.n else f" = {found.found / found.n:.2f}"
    return f"{found.found}/{found.n}{share}{_ends(found.low, found.high)}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:.2f} to {high:.2f})"


def print_exploits(found: "ExploitsFound") -> None:
    """A row an exploit on stdout, a table for each judge."""
    for judge in dict.fromkeys(it.judge for it in found.rows):
        rows = [_exploit_row(it) for it in found.rows if it.judge == judge]
        columns = ["exploit", "verdict", "below honest", "above honest", "no difference shown"]
        print_table(f"Reports that deserve nothing, by {judge} and by code", columns, rows)
    print_notes(
        [
            "Each is compared with the honest reports it is made of, over all planned runs: what fails or lacks a "
            "value earns 0. Caught: below them in a primary headline, and above them in none (Holm over its headlines, "
            "and the interval). 0.20 < 1.00: the exploit's mean, then theirs.",
            f"Made of {found.honest[0]}.",
        ]
    )


def _exploit_row(row: "ExploitRow") -> list[object]:
    verdict = "caught" if row.is_caught else "open" if row.is_concluded else f"{row.n} of {row.needed} queries"
    sides = ((row.below, "<"), (row.above, ">"), (row.level, "~"))
    told = [", ".join(f"{it.name} {_mean(it.value)} {sign} {_mean(it.honest)}" for it in its) for its, sign in sides]
    return [row.exploit.replace("_", " "), verdict, *(it or "–" for it in told)]


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
