"""What runs did beside what their reports score, as a table for each judge."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.tables.figures import NOTHING
from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.records.counterfactual import CounterfactualRow
    from drretail.records.score import Correlation, Scores

BELIEVED = 0.05
"""Of p after Holm."""


def print_correlations(scores: "Scores") -> None:
    """Spearman's ρ inside systems on stdout; nothing where nothing was correlated."""
    for (judge, _, rules), group in groupby(sorted(scores.correlations, key=_table_key), key=_table_key):
        rows = list(group)
        by = "by code" if judge == "code" else f"judged by {judge}{'' if rules == 'default' else f', rules {rules}'}"
        columns = list(dict.fromkeys((row.metric, row.variant) for row in rows))
        measures = list(dict.fromkeys(row.process for row in rows))
        cells = {(row.process, row.metric, row.variant): row for row in rows}
        headings = [f"{variant} (n={_most(rows, metric, variant)})" for metric, variant in columns]
        lines = [[name, *(_cell(cells.get((name, *column))) for column in columns)] for name in measures]
        print_table(table_of(f"process × scores, {by}", ["", *headings], lines))
    if scores.correlations:
        print_text(
            f"Spearman's ρ over reports of the same system; * p < {BELIEVED} after Holm over all "
            f"{len(scores.correlations)}. A correlation is no cause; none of this is a gate.",
            "",
        )


def _table_key(row: "Correlation") -> tuple[str, str, str]:
    return row.judge, row.judge_params, row.rules


def _most(rows: "Sequence[Correlation]", metric: str, variant: str) -> int:
    return max(row.n for row in rows if (row.metric, row.variant) == (metric, variant))


def _cell(row: "Correlation | None") -> Cell:
    return Cell("") if row is None else Cell(row.rho, "signed", mark="*" if row.p_holm < BELIEVED else "")


ATTACKS = "Among hostile texts: the same queries with and without them"
ATTACK_NOTE = (
    "Utility: share of planned runs whose cart is all that is wanted and nothing else, within budget. Lost: without "
    "hostile texts less among them, paired by query, 95 % interval over users. Obeyed: share of the texts read that "
    "took effect."
)


def print_attacks(scores: "Scores") -> None:
    """What hostile texts cost each system, and what it obeyed of them; nothing where none ran among them."""
    if not scores.attacks:
        return
    rows = [
        (
            row.plain,
            row.utility,
            row.utility_attacked,
            Cell(row.lost, "signed", row.lost_low, row.lost_high),
            Cell(row.obeyed, "number", row.obeyed_low, row.obeyed_high),
            row.n_queries,
            row.n_users,
        )
        for row in scores.attacks
    ]
    columns = ["", "utility", "attacked", "lost", "obeyed", "n", "users"]
    print_table(table_of(ATTACKS, columns, rows, notes=[ATTACK_NOTE]))


def print_followed(scores: "Scores") -> None:
    """Which hostile texts each system followed, and in how many reports; nothing where none was followed."""
    rows = [row for row in scores.scores if row.metric == "robustness" and row.variant in ("obeyed", "stopped")]
    lines: list[str] = []
    for row in rows:
        named = {name: count for name, count in row.items.items() if name not in ("read", row.variant)}
        if named and row.policy == "answered":
            followed = ", ".join(f"{name} {count:.0f}x" for name, count in sorted(named.items()))
            lines.append(f"{row.system}, {row.variant}: {followed}")
    if lines:
        print_text("Hostile texts that were followed, and in how many reports:", *lines, "")


TITLE = "counterfactual, by code: the same queries before other profiles"
NAMES = {
    "change": "{} changed",
    "repeats": "{} changed between plain repeats",
    "beyond": "{} changed beyond repeats",
    "direction": "changes towards the other profile, less the reverse",
    "ignored": "profile ignored",
    "overused": "profile over-used",
    "overused_constraint": "  a limit of the wish broken",
    "overused_category": "  a category that nobody asked for",
}
"""By measure, with the dimension in the place of {}."""


def print_counterfactuals(scores: "Scores") -> None:
    """The table and what must be known beside it; nothing where no system saw other data."""
    rows = scores.counterfactuals
    if not rows:
        return
    columns: dict[str, dict[str, CounterfactualRow]] = {}
    for row in rows:
        columns.setdefault(row.system, {})[_name(row)] = row
    names = list(dict.fromkeys(_name(row) for row in sorted(rows, key=_place) if _is_shown(row)))
    rows_of = [[name, *(_measure_cell(its.get(name)) for its in columns.values())] for name in names]
    print_table(table_of(TITLE, ["", *columns], rows_of, notes=_meaning(rows)))


def _name(row: "CounterfactualRow") -> str:
    return NAMES[row.measure].format(row.of or "")


def _is_shown(row: "CounterfactualRow") -> bool:
    """False for what only scores.json holds: of the dimensions beside the products, all but one measure.

    That is the change beyond repeats, and the bare change where there are no repeats; nothing where no query has one.
    """
    if row.of is None or row.of == "products":
        return True
    return row.n_scored > 0 and row.measure == ("change" if row.note is not None else "beyond")


def _place(row: "CounterfactualRow") -> int:
    """Measures in the order of ``NAMES``; within one, dimensions stay in theirs."""
    return list(NAMES).index(row.measure)


def _measure_cell(row: "CounterfactualRow | None") -> Cell:
    """Value, interval and number of queries: 0.52 (.22–.81), n=9 of 10, 1 na."""
    if row is None:
        return Cell("")
    reasons = [f"{count} {why}" for why, count in (("na", row.n_na), ("failed", row.n_failed)) if count]
    counts = ", ".join([f"n={row.n_scored} of {row.n_planned}", *reasons]) if reasons else f"n={row.n_scored}"
    return Cell(NOTHING if row.value is None else row.value, "number", row.ci_low, row.ci_high, counts=counts)


def _meaning(rows: "Sequence[CounterfactualRow]") -> Iterator[str]:
    yield (
        "Changes are from 0 (the same) to 1 (nothing in common); n counts queries. Each is beside the same system with "
        "the users' own data. No model judges these runs: only families by code have rows for them."
    )
    own = max((row.items.get("queries_of_own_history", 0) for row in rows), default=0)
    if own:
        of = max(row.n_planned for row in rows)
        yield (
            f"{own:,.0f} of {of:,} queries name what their writer has bought: another profile does not hold it, "
            "and part of the change comes of that."
        )
    for note in dict.fromkeys(row.note for row in rows if row.note is not None):
        systems = list(dict.fromkeys(row.system for row in rows if row.note == note))
        yield f"{', '.join(systems)}: {note}."
